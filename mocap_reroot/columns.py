"""Columns: arrays ``(body, component, frame)`` to DataFrames with one row a frame, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

XYZ = ("x", "y", "z")
WXYZ = ("w", "x", "y", "z")


def body_columns(names: Sequence[str], suffixes: Sequence[str]) -> list[str]:
    """Return ``<name>_<suffix>`` for every name and suffix, names outermost."""
    return [f"{name}_{suffix}" for name in names for suffix in suffixes]


def wide(columns: Sequence[str], *arrays: np.ndarray) -> pd.DataFrame:
    """Return a DataFrame from arrays whose last axis is the frame.

    The arrays are stacked along the columns in the order given; nothing is copied for one array.
    """
    flat = [array.reshape(-1, array.shape[-1]) for array in arrays]
    block = flat[0] if len(flat) == 1 else np.concatenate(flat, axis=0)
    return pd.DataFrame(block.T, columns=list(columns), copy=False)


def beside(*tables: pd.DataFrame) -> pd.DataFrame:
    """Return tables of equal length side by side."""
    return pd.concat([t.reset_index(drop=True) for t in tables], axis=1)
