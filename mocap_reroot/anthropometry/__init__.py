"""Anthropometry: segment inertias on any skeleton.

``bodies`` makes the body model: a published table (``segment_table``), segment lengths and stature
of the skeleton (``figure``), segment masses laid along its bones (``person``) and summed by body
(``pieces``); or a table of the user's (``bodies_file``).
"""
