"""The nouns: what flows down the corridor, with shapes and units.

``n`` bodies, ``F`` frames, ``k`` bodies whose joint translates. SI units; frames last; quaternions
``w, x, y, z`` turn vectors of the body's frame into its parent's. Every noun is checked once, when
it is made, and cannot be changed afterwards: stages return new ones.

In the order of the corridor: an importer makes a :class:`Recording`; reading turns it into a
:class:`Motion` of a :class:`Skeleton`; the body gets a :class:`BodyModel`; contacts are
:class:`Contacts`: :class:`Touches`, and what follows from them, :class:`Phase` and :class:`Gait`;
what the ground does is a :class:`Ground`; re-rooting gives :class:`Rooted`; Newton-Euler
:class:`Dynamics`.
"""

from mocap_reroot.types.body import BodyModel
from mocap_reroot.types.checks import STANDARD_GRAVITY, check_arrays, default, read_only, shaped
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
