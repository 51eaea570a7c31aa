"""Anthropometry: body-segment parameters on any skeleton.

``bodies`` gives every body its mass: a table of parts (``segment_table``), the bones of the person
(``figure``), mass laid along them (``person``, ``pieces``), or a user's own (``bodies_file``).
"""
