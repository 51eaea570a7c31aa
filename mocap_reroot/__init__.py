"""From any motion-capture file to joint torques and ground forces, without force plates.

    import mocap_reroot as mr

    analysis = mr.analyze("walk.bvh", mass=70.0)
    analysis.torques        # pandas DataFrame, one row a frame
    analysis.save("out/")

or stage by stage: :func:`read`, :func:`body_model`, :func:`detect_contacts`,
:func:`estimate_ground`, :func:`reroot`, :func:`inverse_dynamics`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.version import __version__

if TYPE_CHECKING:
    from mocap_reroot.analysis import Analysis, analyze
    from mocap_reroot.anthropometry.bodies import body_model
    from mocap_reroot.batch.study import Study, load
    from mocap_reroot.bridges import from_bvhio, to_bvhio
    from mocap_reroot.consistency import make_consistent
    from mocap_reroot.contact.detection import detect_contacts
    from mocap_reroot.contact.pinning import pin_feet
    from mocap_reroot.dynamics.inverse import inverse_dynamics
    from mocap_reroot.export.bvh import write_bvh
    from mocap_reroot.ground.estimate import estimate_ground
    from mocap_reroot.mechanics.kinematics import World, forward
    from mocap_reroot.reading import read
    from mocap_reroot.rerooting.reroot import reroot
    from mocap_reroot.signals.smoothing import smooth
    from mocap_reroot.types import (
        BodyModel,
        Contacts,
        Dynamics,
        Ground,
        JointType,
        Motion,
        Plates,
        Rooted,
        Skeleton,
    )

# Loaded when first used, so that importing the package (and --help) is quick.
_HOMES = {
    "analysis": ("Analysis", "analyze"),
    "batch.study": ("Study", "load"),
    "bridges": ("from_bvhio", "to_bvhio"),
    "consistency": ("make_consistent",),
    "contact.detection": ("detect_contacts",),
    "contact.pinning": ("pin_feet",),
    "dynamics.inverse": ("inverse_dynamics",),
    "ground.estimate": ("estimate_ground",),
    "export.bvh": ("write_bvh",),
    "mechanics.kinematics": ("World", "forward"),
    "anthropometry.bodies": ("body_model",),
    "signals.smoothing": ("smooth",),
    "reading": ("read",),
    "rerooting.reroot": ("reroot",),
    "types": (
        "BodyModel", "Contacts", "Dynamics", "Ground", "JointType", "Motion", "Plates", "Rooted",
        "Skeleton",
    ),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [  # noqa: RUF022 (in the order of the corridor)
    "read", "body_model", "detect_contacts", "estimate_ground", "reroot", "inverse_dynamics",
    "analyze", "load", "smooth", "pin_feet", "make_consistent", "forward", "write_bvh",
    "from_bvhio", "to_bvhio",
    "Motion", "Skeleton", "JointType", "Plates", "BodyModel", "Contacts", "Ground", "Rooted",
    "Dynamics",
    "World", "Analysis", "Study", "MocapRerootError", "__version__",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'mocap_reroot' has no attribute {name!r}")
    value = getattr(import_module(f"mocap_reroot.{_HOME_OF[name]}"), name)
    globals()[name] = value  # found the second time without coming here
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
