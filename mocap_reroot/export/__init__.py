"""Export: tables, OpenSim files and BVH; each appears under its name only when complete.

``folders`` makes files and folders appear whole. ``tables`` writes Parquet and CSV, with the
``meaning`` of every column; Parquet is put together by ``parquet`` from ``pages`` and ``thrift``.
``rooted_tables`` lays out the re-rooted motion, ``opensim`` and ``bvh`` write for other programs.
"""
