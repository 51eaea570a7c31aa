"""Points, analogs and rotations of a C3D, decoded from its bytes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mocap_reroot.errors import FileError
from mocap_reroot.importers.c3d_parameters import BLOCK, Decoder, Layout

_ROTATION = 17
"""Words of a stored rotation: a 4×4 matrix by columns, and how reliable it is (negative: not)."""


@dataclass(frozen=True, eq=False)
class C3DData:
    """The data section of a C3D, decoded.

    Attributes:
        points: ``(m, 3, F)`` file units, NaN where missing.
        analog: ``(a, S)`` scaled by the file's own factors.
        rotations: ``(s, 4, 4, F)`` or None.
    """

    points: np.ndarray
    analog: np.ndarray
    rotations: np.ndarray | None = None


def decode(path: Path, data: bytes, layout: Layout) -> C3DData:
    """Decode the data section, written on any processor type, by integers or real numbers.

    Nothing larger than the file is ever made: its size was held against the header before.
    Missing analog factors count as 1, missing offsets as 0.

    Raises:
        FileError: The rotations do not lie where the parameters say.
    """
    table = _table(data, layout)
    factor = 1.0 if layout.scale < 0 else layout.scale
    words = table[:, : 4 * layout.points].reshape(len(table), layout.points, 4).transpose(1, 2, 0)
    points = words[:, :3] * np.float64(factor)
    points.transpose(0, 2, 1)[words[:, 3] < 0] = np.nan
    return C3DData(_missing(points), _analog(table, layout), _rotations(path, data, layout))


def _table(data: bytes, layout: Layout) -> np.ndarray:
    """Return ``(F, words)`` the data section as it stands, a row a frame."""
    words = 4 * layout.points + layout.analog_words
    stop = layout.data_start + layout.frames * layout.frame_size
    section = Decoder(layout.processor).words(data[layout.data_start : stop], layout.scale < 0)
    return section.reshape(max(layout.frames, 0), words)


def _analog(table: np.ndarray, layout: Layout) -> np.ndarray:
    """Return ``(a, S)`` the analog channels."""
    samples = max(layout.analog_per_frame, 1)
    channels = layout.analog_words // samples
    first = 4 * layout.points
    counts = table[:, first : first + channels * samples]
    counts = counts.reshape(len(table) * samples, channels).T
    scale, offset = _factors(layout, channels)
    declared = layout.texts("ANALOG", "FORMAT")
    if layout.scale > 0 and declared and declared[0].upper().startswith("UNSIGNED"):
        counts, offset = counts.astype(np.int32) % 65536, offset % 65536
    with np.errstate(over="ignore", invalid="ignore"):  # hostile factors
        return np.asarray((counts - offset) * scale)


def _rotations(path: Path, data: bytes, layout: Layout) -> np.ndarray | None:
    """Return ``(s, 4, 4, F)`` segments stored as matrices, or None where there are none."""
    used = int(layout.number("ROTATION", "USED", 0))
    if not used:
        return None
    frames = layout.frames * max(int(layout.number("ROTATION", "RATIO", 1)), 1)
    start = (int(layout.number("ROTATION", "DATA_START", 0)) - 1) * BLOCK
    stop = start + 4 * _ROTATION * used * frames
    if not (used > 0 and frames > 0 and 0 < start < stop <= len(data)):
        raise FileError(path, f"{used} rotations should stand at byte {start}; they do not fit.")
    words = Decoder(layout.processor).words(data[start:stop], real=True)
    words = words.reshape(frames, used, _ROTATION).astype(float)
    words[words[..., -1] < 0] = np.nan
    matrices = words[..., :-1].reshape(frames, used, 4, 4)  # a column of a matrix after the other
    return np.ascontiguousarray(matrices.transpose(1, 3, 2, 0))


def _missing(points: np.ndarray) -> np.ndarray:
    """Mark points that are exactly at the origin as missing: no marker is glued there."""
    points.transpose(0, 2, 1)[(points == 0).all(axis=1)] = np.nan
    points[~np.isfinite(points)] = np.nan
    return points


def _factors(layout: Layout, channels: int) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(a, 1)`` scale and offset of the analog channels."""
    scale, offset = np.ones(channels), np.zeros(channels)
    for name, target in (("SCALE", scale), ("OFFSET", offset)):
        stated = layout.numbers("ANALOG", name)
        if stated is not None:
            target[: stated.size] = np.ravel(stated)[:channels]
    return scale[:, None] * layout.number("ANALOG", "GEN_SCALE", 1.0), offset[:, None]
