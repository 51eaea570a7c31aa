"""Types: the dataclasses that stages take and return, with shapes and units.

``n`` bodies, ``F`` frames, ``k`` bodies whose joint translates. SI units; frames last; quaternions
``w, x, y, z`` rotate vectors of the body's frame into its parent's. Every type is checked once,
when it is made, and cannot be changed afterwards (``checks``): stages return new ones.

In the order of the pipeline: an importer makes a Recording (``recording``, ``source``; ``model``
for OpenSim's); reading turns it into a Skeleton and its Motion (``skeleton``, ``motion``); ``body``
is the mass model; ``touches`` and ``contacts`` say which limb is in support; ``ground`` holds
wrenches, ``rooted`` the re-rooted motion, ``dynamics`` the torques. ``closure`` closes a loop.
"""

from mocap_reroot.types.body import BodyModel
from mocap_reroot.types.checks import (
    LEAST_FORCE,
    STANDARD_GRAVITY,
    check_arrays,
    default,
    read_only,
    shaped,
)
from mocap_reroot.types.closure import WORLD, Closure, closure_arrays, held_directions
from mocap_reroot.types.contacts import MODES, Contacts, Gait, Phase
from mocap_reroot.types.dynamics import Dynamics
from mocap_reroot.types.ground import Ground, Loads, Measured, Prediction, Support, Total
from mocap_reroot.types.model import (
    Coupling,
    Function,
    Generalised,
    Model,
    ModelCoordinate,
    ModelJoint,
)
from mocap_reroot.types.motion import FLAGS, LEFT_OUT, STATES, Motion, Plates, flag_code
from mocap_reroot.types.recording import (
    Analogs,
    Hierarchy,
    Markers,
    RawPlates,
    Recording,
    SegmentPoses,
    StoredCoordinates,
)
from mocap_reroot.types.rooted import Rooted
from mocap_reroot.types.skeleton import Anatomy, JointType, Skeleton
from mocap_reroot.types.source import Event, Inference, Source
from mocap_reroot.types.touches import Plane, Sole, Touches
