"""Clips to measure on: a person of 31 joints who wanders, or one who walks, as long as asked."""

from __future__ import annotations

from pathlib import Path

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
    """Write a recorded walk (CMU 02_01, 31 joints, or the sample's) there and back, repeated."""
    path = folder / f"walking_{frames}.bvh"
    if path.exists():
        return path
    recorded = SHARED / "bvh" / "cmu" / "02_01.bvh"
    lines = (recorded if recorded.exists() else SAMPLE).read_text().splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("Frame Time")) + 1
    rows = [line for line in lines[start:] if line.strip()]
    rows = rows[1:]  # a T-pose comes first
    there_and_back = rows + rows[-2:0:-1]
    rows = (there_and_back * (frames // len(there_and_back) + 1))[:frames]
    head = [f"Frames: {frames}" if line.startswith("Frames:") else line for line in lines[:start]]
    path.write_text("\n".join([*head, *rows]) + "\n")
    return path
