"""Skeletons: a hierarchy, measured segments or markers become a Skeleton and its Motion.

``hierarchy`` builds from the channels of a BVH, ``from_segments`` from poses measured apart,
``by_model`` moves an OpenSim model (``from_model``) by stored coordinates or fits it to markers
(``model_fitting``, ``model_scaling``), and ``from_markers`` tells the longer story: ``labels``,
``markersets`` and ``landmarks`` say which marker is what (``gaps``, ``pivots`` fill in),
``joint_centres`` and ``limbs`` find where the bones are, ``build`` what is constant in the person,
feet among it, ``calibration`` where markers sit on it, and ``fitting``
fits the skeleton to all of them by displacement constraints. If ``unsmoothing`` finds that a spline
of the file's took something from the body, it is given back and the skeleton fitted
once more. ``vectors`` holds the axes and turns of segments over frames.
"""
