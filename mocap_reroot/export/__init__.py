"""Export: tables, and files for other programs; each appears under its name only when complete.

``folders`` makes files and folders appear whole. ``tables`` writes what ``mocap_reroot.schema``
describes, as Parquet with unit, axes and meaning of every column or as CSV. For OpenSim:
``opensim``, ``storage`` (its tables), ``osim`` (the body as a model), ``own_model`` (the user's
model), ``trc``. For Vicon and others ``c3d``, for viewers ``gltf`` (``gltf_shapes``), for animation
``bvh``. For simulators: ``simulators`` gathers motion, wrenches and torques, ``body_shapes``
collision shapes, ``mjcf`` and ``urdf`` write them.
"""
