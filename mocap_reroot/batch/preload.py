"""What a worker needs, loaded once in the server that workers are forked from."""

import mocap_reroot.analysis
import mocap_reroot.export.rooted_tables

__all__ = ["mocap_reroot"]
