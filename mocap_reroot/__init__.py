"""From any motion-capture file to joint torques and ground forces, without force plates."""

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.version import __version__

__all__ = ["MocapRerootError", "__version__"]
