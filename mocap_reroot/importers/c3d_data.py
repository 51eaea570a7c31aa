"""Points, analogs and rotations of a C3D: through ezc3d, the ``c3d`` package, or plainly."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mocap_reroot.importers.c3d_parameters import Decoder, Layout


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


def read_with_ezc3d(path: Path, layout: Layout) -> C3DData:
    """Read an Intel file. May crash or hang on files that are not sane: see ``c3d_guard``."""
    import ezc3d

    content = ezc3d.c3d(str(path))
    data = content["data"]
    points = np.array(data["points"][:3].transpose(1, 0, 2))
    residuals = data["meta_points"]["residuals"] if len(data["meta_points"]) else None
    if residuals is not None and residuals.shape[-1] == points.shape[-1]:
        points.transpose(0, 2, 1)[residuals[0] < 0] = np.nan
    rotations = np.asarray(data.get("rotations", np.zeros((4, 4, 0, 0))))
    return C3DData(
        _missing(points),
        _unsigned(np.array(data["analogs"][0]), layout),
        rotations.transpose(2, 0, 1, 3).copy() if rotations.shape[2] else None,
    )


def read_with_c3d(path: Path, layout: Layout) -> C3DData:
    """Read a file of any processor type (pure Python)."""
    import c3d

    with path.open("rb") as handle, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about metadata that we check ourselves
        frames = list(c3d.Reader(handle).read_frames())
    points = np.zeros((layout.points, 3, len(frames)))
    samples = []
    for k, (_, point, analog) in enumerate(frames):
        points[..., k] = np.where(point[:, 3:4] < 0, np.nan, point[:, :3])
        samples.append(np.atleast_2d(analog))
    channels = np.concatenate(samples, axis=1) if samples and samples[0].size else np.zeros((0, 0))
    return C3DData(_missing(points), _unsigned(channels, layout))


def read_plainly(data: bytes, layout: Layout) -> C3DData:
    """Decode the data section by the header alone, for files that no reader can cope with.

    Missing analog factors count as 1, missing offsets as 0.
    """
    decode = Decoder(layout.processor)
    real = layout.scale < 0
    words = 4 * layout.points + layout.analog_words
    frames = layout.last_frame - layout.first_frame + 1
    stop = layout.data_start + frames * words * (4 if real else 2)
    section = data[layout.data_start : stop]
    table = (decode.floats(section) if real else decode.integers(section)).reshape(frames, words)
    points = table[:, : 4 * layout.points].reshape(frames, layout.points, 4).transpose(1, 2, 0)
    position = points[:, :3] * (1.0 if real else layout.scale)
    position = np.where(points[:, 3:] < 0, np.nan, position)
    samples = max(layout.analog_per_frame, 1)
    channels = layout.analog_words // samples
    analog = table[:, 4 * layout.points : 4 * layout.points + channels * samples]
    analog = analog.reshape(frames * samples, channels).T
    scale, offset = _factors(layout, channels)
    return C3DData(_missing(position), _unsigned((analog - offset) * scale, layout))


def _missing(points: np.ndarray) -> np.ndarray:
    """Mark points that are exactly at the origin as missing: no marker is glued there."""
    points.transpose(0, 2, 1)[(points == 0).all(axis=1)] = np.nan
    points[~np.isfinite(points)] = np.nan
    return points


def _unsigned(analog: np.ndarray, layout: Layout) -> np.ndarray:
    """Take integers as unsigned where the file says so, whatever the reader took them for."""
    declared = layout.texts("ANALOG", "FORMAT")
    if layout.scale < 0 or not declared or not declared[0].upper().startswith("UNSIGNED"):
        return analog
    scale, offset = _factors(layout, len(analog))
    offset = offset % 65536
    safe = np.where(scale == 0, 1.0, scale)
    # The reader subtracted the offset as a 16 bit number; modulo 65536 its reading does not matter.
    counts = np.round(analog / safe + offset) % 65536
    return np.where(scale == 0, 0.0, (counts - offset) * scale)


def _factors(layout: Layout, channels: int) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(a, 1)`` scale and offset of the analog channels."""
    scale, offset = np.ones(channels), np.zeros(channels)
    for name, target in (("SCALE", scale), ("OFFSET", offset)):
        stated = layout.numbers("ANALOG", name)
        if stated is not None:
            target[: stated.size] = np.ravel(stated)[:channels]
    return scale[:, None] * layout.number("ANALOG", "GEN_SCALE", 1.0), offset[:, None]
