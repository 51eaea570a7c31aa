"""OpenSim's storage files (``.sto``, ``.mot``), its world axes, and names that it accepts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from mocap_reroot.export.folders import complete_file
from mocap_reroot.kernels.printing import WIDTH, print_rows
from mocap_reroot.schema import XYZ
from mocap_reroot.types import read_only

DECIMALS = 9
CLOCK = "Time is that of the motion file, from 0 where it has none."


def opensim_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names without what OpenSim forbids in them (blanks, ``/ \\ * +``), unique still."""
    found: list[str] = []
    for name in names:
        plain = re.sub(r"[\s/\\*+]", "_", name) or "_"
        while plain in found or plain == "ground":  # the world's name
            plain += "_"
        found.append(plain)
    return tuple(found)


def to_y_up(up: np.ndarray) -> np.ndarray:
    """Return ``(3, 3)`` the smallest rotation that turns a unit vector into (0, 1, 0)."""
    y = np.array([0.0, 1.0, 0.0])
    cosine = float(up @ y)
    if cosine < -1 + 1e-12:  # upside down: half a turn about x
        return np.diag([1.0, -1.0, -1.0])
    axis = np.cross(up, y)
    skew = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.asarray(np.eye(3) + skew + skew @ skew / (1 + cosine))


def combination(row: np.ndarray) -> str:
    """Return a row of a rotation in words: ``-y``, or ``0.98 y + 0.17 z``."""
    parts: list[str] = []
    for value, axis in zip(row, XYZ, strict=True):
        if abs(value) > 1e-9:
            size = "" if abs(abs(value) - 1) < 1e-9 else f"{abs(value):.6g} "
            parts.append(f"{'-' if value < 0 else '+' if parts else ''}{size}{axis}")
    return " ".join(parts)


def write_storage(table: pd.DataFrame, path: Path, notes: Sequence[str] = ()) -> None:
    """Write a table in OpenSim's storage format, tabs between the numbers.

    Args:
        table: ``time`` and further columns, finite numbers.
        path: ``.sto`` or ``.mot`` file to write; it appears when it is complete.
        notes: Sentences for the header; OpenSim keeps them.
    """
    labels = ["_".join(str(column).split()) for column in table.columns]
    told = [note.replace("=", ":") for note in (CLOCK, *notes)]  # what has '=' is a key to OpenSim
    head = [
        path.name,
        "version=1",
        f"nRows={len(table)}",
        f"nColumns={len(labels)}",
        "inDegrees=no",
        *told,
        "endheader",
        "\t".join(labels),
    ]
    values = read_only(np.ascontiguousarray(table.to_numpy(dtype=float).T))
    text = np.empty(values.size * WIDTH, dtype=np.uint8)
    decimals = read_only(np.full(len(values), DECIMALS), np.int64)
    size = print_rows(values, 0, values.shape[1], decimals, text)
    text = text[:size]
    text[text == ord(" ")] = ord("\t")
    with complete_file(path) as draft:
        draft.write_bytes("\n".join(head).encode() + b"\n" + text.tobytes())
