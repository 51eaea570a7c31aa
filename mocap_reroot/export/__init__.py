"""Export: tables, OpenSim files and BVH; each appears under its name only when complete.

``folders`` makes files and folders appear whole. ``tables`` writes what ``mocap_reroot.schema``
describes, as Parquet with unit, axes and meaning of every column or as CSV; ``opensim`` and ``bvh``
write for other programs.
"""
