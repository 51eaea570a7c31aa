"""Mechanics: the textbook, used by every later room; one algorithm a file.

``kinematics`` places bodies in the world, ``coordinates`` tells a state as generalised positions
and velocities, ``whole_body`` gives wrench and momentum of a body as a whole, part by part.
``world_axes`` turns the world so that another axis points up.
Featherstone's algorithms: ``newton_euler``, ``crba``, ``aba``. Yamane and Nakamura's
``closed_chain``. ``model`` moves an OpenSim model by its own coordinates and projects wrenches on
them. Faure's displacement constraints: ``constraints`` are joints as pairs of frames,
``displacement`` moves solids until all fit, ``relative`` does so in a tree's own joints,
``loop_closure`` keeps both feet in place at once.
"""
