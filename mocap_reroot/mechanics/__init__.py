"""Mechanics: the textbook, used by every later room; one algorithm a file.

``kinematics`` places bodies in the world, ``coordinates`` tells a state as generalised positions
and velocities, ``whole_body`` gives wrench and momentum of a body as a whole, part by part,
``centroidal`` what turns of joints do to its centre of mass and angular momentum.
``world_axes`` turns the world so that another axis points up.
Featherstone's algorithms: ``newton_euler`` over frames; ``tree`` for one state: inverse dynamics,
composite and articulated bodies. Yamane and Nakamura's ``closed_chain``. ``model`` moves an OpenSim
model by its own coordinates and projects wrenches on them. Faure's displacement constraints:
``constraints`` are joints as pairs of frames, ``displacement`` moves solids until all fit; in a
tree's own joints ``closed_chain`` does so.
"""
