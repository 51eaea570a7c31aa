"""Numerics: what every room needs of arrays over frames.

``frames`` finds runs in which something holds, ``vectors`` turns vectors and quaternions,
``units`` says how many metres a unit is,
``banded`` solves least squares whose rows know neighbouring frames.
"""
