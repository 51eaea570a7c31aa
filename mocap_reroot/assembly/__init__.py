"""Assembly: bodies that hang together, from markers or from segments measured apart.

The first form works in closed form, frame by frame: joint centres by published regressions,
segment axes from the markers around them, and a chain of constant lengths from the pelvis outwards
in which every bone is aimed at the measured far joint, so that errors do not add up.
Marker sets are data (``markersets/*.toml``): they only say which label is which landmark.
"""
