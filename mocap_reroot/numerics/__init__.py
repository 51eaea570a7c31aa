"""Numerics: array helpers over frames.

``units`` says how many metres a unit is, ``vectors`` rotates vectors and multiplies quaternions,
``frames`` finds runs of frames, ``banded`` solves banded least squares.
"""
