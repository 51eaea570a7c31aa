"""Skeletons: a hierarchy, measured segments or markers become a Skeleton and its Motion.

``hierarchy`` builds from channels (BVH and others), ``from_segments`` from measured poses.
``from_markers`` builds from markers: ``labels``, marker sets (``markersets``), ``landmarks`` with
``gaps`` filled (``pivots`` stand in for missing ones), ``limbs`` with their ``joint_centres``,
segment lengths (``build``), marker positions on segments (``calibration``), and ``fitting`` of all
frames; ``unsmoothing`` undoes a spline in the file, and all is fitted again. With an OpenSim model:
``by_model``, the model as a skeleton (``from_model``), ``model_scaling``, ``model_fitting``.
``vectors`` holds vector algebra over frames.
"""
