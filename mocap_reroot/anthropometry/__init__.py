"""Anthropometry: segment inertias on any skeleton.

``bodies`` makes the body model: a published table (``segment_table``), segment lengths and stature
of the skeleton (``proportions``), segment masses laid along its bones (``human``) and summed by
body (``rigid_parts``); or a table of the user's (``bodies_file``).
"""
