"""Clips to measure on: a person of 31 joints who wanders, or one who walks, as long as asked."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks import bvh_reading

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"
"""Recordings that are not part of the project; what needs them is left out where they are not."""
SAMPLE = ROOT / "sample_data" / "walk.bvh"


def wandering(folder: Path, frames: int) -> Path:
    """Write random angles of 31 joints, 96 channels, with as many digits as CMU's files."""
    path = folder / f"wandering_{frames}.bvh"
    if not path.exists():
        bvh_reading.FRAMES = frames
        bvh_reading.cmu_like(path)
    return path


def walking(folder: Path, frames: int) -> Path:
    """Write a stride of a recorded walk (CMU 02_01, 31 joints, or the sample's) again and again."""
    path = folder / f"walking_{frames}.bvh"
    if path.exists():
        return path
    recorded = SHARED / "bvh" / "cmu" / "02_01.bvh"
    lines = (recorded if recorded.exists() else SAMPLE).read_text().splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("Frame Time")) + 1
    stride = _stride(np.array([line.split() for line in lines[start:] if line.strip()], float))
    rows = np.tile(stride[:-1], (frames // (len(stride) - 1) + 1, 1))[:frames]
    rows[:, :3] += np.arange(frames)[:, None] // (len(stride) - 1) * (stride[-1] - stride[0])[:3]
    head = [f"Frames: {frames}" if line.startswith("Frames:") else line for line in lines[:start]]
    text = "\n".join(" ".join(f"{v:.4f}" for v in row) for row in rows)
    path.write_text("\n".join([*head, text]) + "\n")
    return path


def _stride(rows: np.ndarray) -> np.ndarray:
    """Return the frames of a stride, from a pose to the same again: what differs is spread."""
    angles, place = rows[:, 3:], rows[:, :3]
    pairs = [(a, b) for a in range(60, len(rows) - 60) for b in range(a + 60, len(rows) - 5)]
    first, last = min(pairs, key=lambda p: float(np.abs(angles[p[1]] - angles[p[0]]).sum()))
    stride = rows[first : last + 1].copy()
    ramp = np.linspace(0.0, 1.0, len(stride))[:, None]
    stride[:, 3:] -= ramp * (angles[last] - angles[first])
    stride[:, 1] -= ramp[:, 0] * (place[last, 1] - place[first, 1])
    return stride
