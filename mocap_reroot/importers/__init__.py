"""Importers: each turns one file format into a Recording, in the file's own units; no guessing.

``bvh`` reads the hierarchy with ``bvh_header``, the numbers with ``bvh_rows`` and the rate with
``frame_time``. ``c3d`` decodes parameters (``c3d_parameters``) and data, which it
sorts (``c3d_data``), and turns analog channels into forces with ``plates``. ``trc`` and
``mot`` (forces, coordinates) are OpenSim's text files, ``osim`` reads its models: XML
(``osim_xml``), ``osim_joints`` and ``osim_functions``. ``amc`` reads Acclaim's motions with the
skeleton that ``asf`` reads, ``mvnx`` Xsens' XML as a stream (``mvnx_subject``, ``mvnx_frames``),
``smpl`` AMASS files by the body model of ``smpl_model``; ``channels`` makes a
hierarchy of their rotations. ``gltf`` opens the container with ``gltf_data`` and brings keys to
frames with ``keyframes``; ``fbx`` has ``fbx_nodes`` do its work in a process that may crash; both
make a tree of ``nodes`` a hierarchy. ``other_kinds`` says of all other files which program converts
them. ``files`` and ``numbers`` are what all of them share: opening, names, numbers in text.
"""
