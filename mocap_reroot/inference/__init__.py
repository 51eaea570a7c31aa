"""Inference: unit, up axis, frame rate and segments, where a file does not state them.

``inference`` calls the others: ``channels`` says which numbers are rotations, ``sampling`` poses
some frames; ``naming`` and ``topology`` (``body_graph``, ``limbs``, ``sides``) give the segments to
``anatomy``; then the up axis (``axes``), ``flights`` in free fall, the unit (``units``), and
whether the frame rate is plausible (``timebase``).
"""
