"""Mechanics: rigid-body algorithms that every later room uses, one a file.

``model`` moves an OpenSim model by its own coordinates and projects wrenches on them.
``kinematics`` gives world poses, ``whole_body`` total wrench and momentum, ``newton_euler`` the
wrench of every joint, ``centroidal`` the Jacobians of momentum. One state at a time:
``coordinates`` (generalised positions and speeds), ``tree`` (Featherstone: inverse dynamics,
CRBA), ``closures`` and ``closed_chain`` (Yamane and Nakamura).
Faure's displacement constraints: ``constraints`` are joints as pairs of frames, ``displacement``
moves solids until all fit. ``world_axes`` changes the up axis of the output.
"""
