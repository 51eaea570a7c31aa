"""Metres per unit of length."""

from __future__ import annotations

METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "cmu": 0.0254 / 0.45}
"""Metres per unit of the units that a user can name; CMU's is an inch divided by 0.45."""

LENGTH_UNITS = METRES | {"dm": 0.1, "ft": 0.3048}
"""Metres per unit of all that files state."""
