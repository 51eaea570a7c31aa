"""compare_runs(): differences in torques and ground forces between two analyses of one clip."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from mocap_reroot.errors import FileError, MocapRerootError
from mocap_reroot.export.tables import write_csv
from mocap_reroot.report.clip_tables import ClipTables, read_clip
from mocap_reroot.report.comparison_page import comparison_html
from mocap_reroot.report.joint_choice import choices

COLUMNS = (
    "what", "name", "unit", "rmse", "rmse_x", "rmse_y", "rmse_z", "rmse_percent", "r",
    "peak_a", "peak_b", "peak_difference", "peak_shift_s", "frames", "body",
)  # fmt: skip
_DIGITS = {
    "rmse": 1, "rmse_percent": 0, "r": 2, "peak_a": 0, "peak_b": 0, "peak_difference": 0,
    "peak_shift_s": 2,
}  # fmt: skip
"""What a terminal shows, and to how many digits."""
_NEAR = 0.25  # s, within which two peaks are one and the same


@dataclass(frozen=True, eq=False)
class Comparison:
    """What differs between run A and run B.

    Attributes:
        name_a, name_b: The folders.
        time: ``(F)`` s, of run A.
        pairs: ``(3, F)`` vectors of A and of B by kind (``torque``, ``force``) and name; empty in
            frames that are not compared.
        table: One row a joint and a foot, by their clinical names (``left knee``) where they have
            one, ``body`` as in the file; ``rmse`` is of the vector, ``rmse_percent`` against A's
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
    B is interpolated. Only frames in which both have the same kind of force are compared; where one
    run measured and the other was asked to predict, those in which that is so.

    Raises:
        MocapRerootError: A folder holds no results, the runs are of different clips, or have no
            joint or no kind of force in common.
    """
    a, b = read_clip(run_a), read_clip(run_b)
    for clip, run in ((a, run_a), (b, run_b)):
        if "torques" not in clip:
            raise FileError(run, "has no torques table.", todo="Run the clip with --tables core.")
    time = a["torques"]["time"].to_numpy(float)
    notes = _same_clip(a, b, str(run_a), str(run_b))
    chosen, said = _same_forces(a, b, time)
    notes += said
    pairs, bodies = {}, {}
    for kind, table, letter in (("torque", "torques", "m"), ("force", "grf", "f")):
        mine, theirs = _names(a, kind), _names(b, kind)
        for body in (n for n in mine if n in theirs):
            other = _at_times(b.vectors(table, body, letter), b.fps, time)
            key = (kind, mine[body])
            bodies[key] = body
            ours = np.where(chosen, a.vectors(table, body, letter), np.nan)
            pairs[key] = ours, np.where(chosen, other, np.nan)
        lone = sorted(set(mine) ^ set(theirs))
        if lone:
            notes.append(f"Only one run has the {kind} of {', '.join(lone)}.")
    if not any(kind == "torque" for kind, _ in pairs):
        raise MocapRerootError(
            f"{run_a} and {run_b} have no joint in common: they are not two runs of one clip."
        )
    if a.fps != b.fps:
        notes.append(f"Run B at {b.fps:g} Hz was interpolated to {a.fps:g} Hz.")
    rows = [
        _row(kind, name, *both, time) | {"body": bodies[kind, name]}
        for (kind, name), both in pairs.items()
    ]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return Comparison(str(run_a), str(run_b), time, pairs, table, tuple(notes))


def _same_clip(a: ClipTables, b: ClipTables, run_a: str, run_b: str) -> list[str]:
    """Refuse two clips; note where one clip may be two files, or lasts differently."""
    inputs = [clip.summary.get("input") or {} for clip in (a, b)]
    hashes = {str(found.get("sha256") or "") for found in inputs}
    seconds = [clip.n_frames / clip.fps for clip in (a, b)]
    apart = abs(seconds[0] - seconds[1]) > 1.5 / min(a.fps, b.fps)
    lasting = f"last {seconds[0]:.2f} and {seconds[1]:.2f} s"
    if len(hashes) == 2 and "" not in hashes:
        if apart:
            raise MocapRerootError(
                f"{run_a} and {run_b} are results of different clips: {a.name} and {b.name} "
                f"{lasting}. Compare two results of one clip, such as two cut-offs; clips of a "
                "study are compared by mr.load(OUT).plot.cycles()."
            )
        return [f"The runs are of two files, {a.name} and {b.name}: one clip only if you know it."]
    return [f"The runs {lasting}; only what both have is compared."] if apart else []


def _same_forces(a: ClipTables, b: ClipTables, time: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Return ``(F)`` which frames of A can be compared, by the kind of their forces, and say so."""
    theirs = b["torques"]["source"].to_numpy(object)
    near = np.clip(np.round((time - time[:1]) * b.fps).astype(int), 0, len(theirs) - 1)
    mine, theirs = a["torques"]["source"].to_numpy(object), theirs[near]
    words = [str(clip.summary.get("forces", "")) for clip in (a, b)]
    if words[0] != words[1] and "none" not in words:  # that is what is to be compared
        plates = ("measured", "mixed")
        chosen = np.isin(mine, plates) ^ np.isin(theirs, plates)
        note = (
            f"Forces of A are {words[0]}, those of B {words[1]}: compared are the {chosen.sum()} "
            f"of {len(chosen)} frames in which that is so."
        )
    else:
        chosen = mine == theirs
        note = (
            f"Left out: {(~chosen).sum()} of {len(chosen)} frames in which the runs have different "
            "kinds of force (measured, predicted, none)."
        )
    if not chosen.any():
        raise MocapRerootError(
            "The runs have the same kind of force in no frame: run both with the same --forces."
        )
    return chosen, [] if chosen.all() else [note]


def _names(clip: ClipTables, kind: str) -> dict[str, str]:
    """Return bodies with such columns, and what people call them."""
    if kind == "force":
        sides = {foot: clip.sides.get(foot, "") for foot in clip.feet}
        double = len(set(sides.values())) < len(sides)
        return {f: f if double or not side else f"{side} foot" for f, side in sides.items()}
    known = {
        body: f"{side} {choice.label}".strip().lower()
        for choice in choices(clip)
        for side, body in choice.bodies.items()
        if choice.known
    }
    return {body: known.get(body, body) for body in clip.joints}


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
    """Return the correlation of two curves: components pooled, each about its own mean."""
    a = ours - ours.mean(axis=1, keepdims=True)
    b = theirs - theirs.mean(axis=1, keepdims=True)
    size = float(np.sqrt((a**2).sum() * (b**2).sum()))
    return float((a * b).sum() / size) if size > 1e-12 else float("nan")


def in_words(comparison: Comparison) -> str:
    """Return the table for a terminal, with the notes below."""
    table = comparison.table
    clinical = table[table["name"] != table["body"]]
    shown = table if clinical.empty else clinical
    columns = {
        name: [_rounded(value, digits) for value in shown[name]] for name, digits in _DIGITS.items()
    }
    words = shown["name"] + " " + shown["what"] + " (" + shown["unit"] + ")"
    lines = [f"A {comparison.name_a}", f"B {comparison.name_b}", ""]
    lines.append(pd.DataFrame({"": words.tolist(), **columns}).to_string(index=False))
    rest = len(table) - len(shown)
    more = [f"Further joints in comparison.csv (-o FOLDER): {rest}."] if rest else []
    return "\n".join([*lines, *(f"note: {note}" for note in (*comparison.notes, *more))])


def _rounded(value: float, digits: int) -> str:
    return "–" if value != value else f"{round(value, digits) + 0.0:.{digits}f}"


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
