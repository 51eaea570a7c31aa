"""Export: tables, and files for other programs; each appears under its name only when complete.

``folders`` makes files and folders appear whole. ``tables`` writes what ``mocap_reroot.schema``
describes, as Parquet with unit, axes and meaning of every column or as CSV; ``opensim`` (with
``osim``, the body as a model, ``own_model``, a model that was given, and ``storage``, its tables),
``bvh``, ``trc``, ``c3d`` and ``gltf`` (with ``gltf_shapes``) write for other programs. For
simulators, ``simulators`` gathers motion, pushes and torques (and writes them as plain arrays),
``body_shapes`` gives bones, soles and steps a shape, ``mjcf`` and ``urdf`` write them.
"""
