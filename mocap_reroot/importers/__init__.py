"""Importers: each turns one file format into a Recording, in the file's own units; no guessing.

``files`` opens a file, ``numbers`` parses numbers in text; ``other_kinds`` refuses formats that are
not read. BVH: ``bvh``, its hierarchy ``bvh_header``, its values ``bvh_rows``, its rate
``frame_time``. C3D: ``c3d``, its parameters ``c3d_parameters``, its points and labels ``c3d_data``,
its analog channels as forces ``plates``. OpenSim: ``trc``, ``mot`` (forces, coordinates), and
models, ``osim`` (``osim_xml``, ``osim_joints``, ``osim_functions``). Acclaim: ``amc`` and its
skeleton ``asf``. Xsens: ``mvnx`` (``mvnx_subject``, ``mvnx_frames``). AMASS: ``smpl`` by the body
model ``smpl_model``. glTF: ``gltf``, its container ``gltf_data``, its ``keyframes``. FBX: ``fbx``,
read by ``fbx_nodes`` in a process that may crash; ``nodes`` are the trees of both. ``channels``
makes a hierarchy of the rotations of the last five.
"""
