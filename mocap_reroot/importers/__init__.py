"""Importers: each turns one file format into a Recording, in the file's own units; no guessing.

``bvh`` reads the hierarchy with ``bvh_header``, the numbers with ``bvh_rows`` and the rate with
``frame_time``. ``c3d`` reads the parameters itself (``c3d_parameters``), the data through a library
that may crash (``c3d_data``, guarded by ``c3d_guard``), sorts the points with ``c3d_labels`` and
turns analog channels into forces with ``plates``. ``trc`` and ``mot`` are OpenSim's text files.
``gltf`` opens the container with ``gltf_data`` and brings keys to frames with ``keyframes``;
``fbx`` has ``fbx_nodes`` do its work ``elsewhere``, in a process that may crash; both make a tree
of ``nodes`` a hierarchy. ``impossible`` and ``printable`` are checks that several of them share.
"""
