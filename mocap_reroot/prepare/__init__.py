"""Preparation: from what a file says to a body of known size, mass and motion.

In the order in which a clip meets them:

- ``inference`` asks what the file leaves open, on a few frames (``sampling``): the unit (``units``,
  with ``flights`` as a witness), the way up (``axes``), whether the frame time is believable
  (``timebase``), and who is who (``anatomy``: from names, ``naming``, and from shape, ``topology``
  with ``body_graph``, ``limbs`` and ``sides``);
- ``plates_to_frames`` brings force plates to the rate of the motion;
- ``cleaning`` finds what is not motion: rest poses, repeated frames, holes, ``leaps``;
- ``smoothing`` gives velocities and accelerations: the cut-off from ``cutoff``, low-passes from
  ``filters``, ``derivatives`` of the smooth curve, ``easing`` where turns are too fast for the
  rate;
- ``bodies`` gives every body its mass: a table of parts (``segment_table``), the bones of the
  person (``figure``), mass laid along them (``person``, ``pieces``), or a user's own
  (``bodies_file``).
"""
