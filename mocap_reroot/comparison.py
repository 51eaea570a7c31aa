"""Two runs of one clip side by side: how far apart their torques and ground forces are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from mocap_reroot.errors import FileError, MocapRerootError
from mocap_reroot.export.tables import write_csv
from mocap_reroot.report.clip_tables import ClipTables, read_clip
from mocap_reroot.report.comparison_page import comparison_html

COLUMNS = (
    "what", "name", "unit", "rmse", "rmse_x", "rmse_y", "rmse_z", "rmse_percent", "r",
    "peak_a", "peak_b", "peak_difference", "peak_shift_s", "frames",
)  # fmt: skip
_NEAR = 0.25  # s, within which two peaks are one and the same


@dataclass(frozen=True, eq=False)
class Comparison:
    """What differs between run A and run B.

    Attributes:
        name_a, name_b: The folders.
        time: ``(F)`` s, of run A.
        pairs: ``(3, F)`` vectors of A and of B by kind (``torque``, ``force``) and name.
        table: One row a joint and a foot; ``rmse`` is of the vector, ``rmse_percent`` against A's
            range, ``r`` over all three components, peaks are of the vector's length, and
            ``peak_shift_s`` is how much later B peaks, near A's peak (the highest of many
            strides may be another one).
        notes: What the reader must know, e.g. joints that only one run has.
    """

    name_a: str
    name_b: str
    time: np.ndarray
    pairs: dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]
    table: pd.DataFrame
    notes: tuple[str, ...]


def compare_runs(run_a: str | Path, run_b: str | Path) -> Comparison:
    """Compare the torques and ground forces of two result folders of the same clip.

    Frames are matched by the time since each run's first frame; where the rates differ, run
    B is interpolated.

    Raises:
        MocapRerootError: A folder holds no results, or the runs have no joint in common.
    """
    a, b = read_clip(run_a), read_clip(run_b)
    for clip, run in ((a, run_a), (b, run_b)):
        if "torques" not in clip:
            raise FileError(run, "has no torques table.", todo="Run the clip with --tables core.")
    time = a["torques"]["time"].to_numpy(float)
    pairs, notes = {}, []
    for kind, table, letter in (("torque", "torques", "m"), ("force", "grf", "f")):
        mine, theirs = _names(a, kind), _names(b, kind)
        for name in (n for n in mine if n in theirs):
            other = _at_times(b.vectors(table, name, letter), b.fps, time)
            pairs[kind, name] = (a.vectors(table, name, letter), other)
        lone = sorted(set(mine) ^ set(theirs))
        if lone:
            notes.append(f"Only one run has the {kind} of {', '.join(lone)}.")
    if not any(kind == "torque" for kind, _ in pairs):
        raise MocapRerootError(
            f"{run_a} and {run_b} have no joint in common: they are not two runs of one clip."
        )
    if a.fps != b.fps:
        notes.append(f"Run B at {b.fps:g} Hz was interpolated to {a.fps:g} Hz.")
    if a.n_frames / a.fps != b.n_frames / b.fps:
        notes.append(
            f"The runs last {a.n_frames / a.fps:.2f} and {b.n_frames / b.fps:.2f} s; only what "
            "both have is compared."
        )
    rows = [_row(kind, name, *both, time) for (kind, name), both in pairs.items()]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return Comparison(str(run_a), str(run_b), time, pairs, table, tuple(notes))


def _names(clip: ClipTables, kind: str) -> list[str]:
    return clip.joints if kind == "torque" else clip.feet


def _at_times(vectors: np.ndarray, fps: float, time: np.ndarray) -> np.ndarray:
    """Return ``(3, F)`` vectors at other times; empty outside, and beside what is empty."""
    place = (time - time[:1]) * fps
    low = np.floor(place + 1e-6).astype(int)
    share = np.where(np.abs(place - np.round(place)) < 1e-6, 0.0, place - low)
    last = vectors.shape[1] - 1
    inside = low <= last
    low = np.clip(low, 0, last)
    high = np.clip(low + (share > 0), 0, last)
    found = vectors[:, low] + share * (vectors[:, high] - vectors[:, low])
    return np.where(inside, found, np.nan)


def _row(
    kind: str, name: str, ours: np.ndarray, theirs: np.ndarray, time: np.ndarray
) -> dict[str, object]:
    known = np.isfinite(ours).all(axis=0) & np.isfinite(theirs).all(axis=0)
    unit = "N·m" if kind == "torque" else "N"
    row: dict[str, object] = {"what": kind, "name": name, "unit": unit, "frames": int(known.sum())}
    if not known.any():
        return row
    ours, theirs, time = ours[:, known], theirs[:, known], time[known]
    apart = np.sqrt(((ours - theirs) ** 2).mean(axis=1))
    whole = float(np.sqrt((apart**2).sum()))
    size_a, size_b = np.linalg.norm(ours, axis=0), np.linalg.norm(theirs, axis=0)
    span = float(np.ptp(ours, axis=1).max())
    top_a, top_b = int(size_a.argmax()), int(size_b.argmax())
    near = np.flatnonzero(np.abs(time - time[top_a]) <= _NEAR)
    same = int(near[size_b[near].argmax()])
    return row | {
        "rmse": whole,
        **{f"rmse_{axis}": float(value) for axis, value in zip("xyz", apart, strict=True)},
        "rmse_percent": 100 * whole / span if span > 0 else np.nan,
        "r": _correlation(ours, theirs),
        "peak_a": float(size_a[top_a]),
        "peak_b": float(size_b[top_b]),
        "peak_difference": float(size_b[top_b] - size_a[top_a]),
        "peak_shift_s": float(time[same] - time[top_a]),
    }


def _correlation(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Return how alike two curves run: components pooled, each about its own mean."""
    a = ours - ours.mean(axis=1, keepdims=True)
    b = theirs - theirs.mean(axis=1, keepdims=True)
    size = float(np.sqrt((a**2).sum() * (b**2).sum()))
    return float((a * b).sum() / size) if size > 1e-12 else float("nan")


def in_words(comparison: Comparison) -> str:
    """Return the table for a terminal, with the notes below."""
    shown = comparison.table.drop(columns=["rmse_x", "rmse_y", "rmse_z", "frames"])
    lines = [f"A {comparison.name_a}", f"B {comparison.name_b}", ""]
    lines.append(shown.to_string(index=False, float_format=lambda v: f"{v:.3g}", na_rep="–"))
    return "\n".join([*lines, *(f"note: {note}" for note in comparison.notes)])


def write_comparison(comparison: Comparison, folder: Path) -> Path:
    """Write ``comparison.csv`` and ``comparison.html``; return the page's path.

    Raises:
        FileError: The folder cannot be written to.
    """
    page = folder / "comparison.html"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_csv(comparison.table, folder / "comparison.csv")
        html = comparison_html(
            comparison.name_a,
            comparison.name_b,
            comparison.time,
            comparison.pairs,
            comparison.table,
            comparison.notes,
        )
        page.write_text(html, encoding="utf-8")
    except OSError as error:
        raise FileError(page, f"cannot be written: {error.strerror or error}.") from error
    return page
