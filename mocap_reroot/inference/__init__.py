"""Inference: what the file does not say, asked on a few frames.

``inference`` tells the story: ``sampling`` looks at some frames (``channels`` says which numbers of
a hierarchy are what), then come the unit (``units``, with ``flights`` as a witness), the way up
(``axes``), whether the frame time is believable (``timebase``), and who is who (``anatomy``: from
names, ``naming``, and from shape, ``topology`` with ``body_graph``, ``limbs`` and ``sides``).
"""
