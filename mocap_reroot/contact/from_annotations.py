"""Stances from the file's own events or from the user's table."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from mocap_reroot.contact.limbs import Limb
from mocap_reroot.contact.stances import Stance, joined
from mocap_reroot.errors import FileError, MocapRerootError, UnknownNameError
from mocap_reroot.numerics.frames import runs
from mocap_reroot.resources.csv_text import as_meant
from mocap_reroot.types import Event, Motion


def event_stances(
    events: Sequence[Event], limbs: Sequence[Limb], motion: Motion, found: list[list[Stance]]
) -> list[list[Stance]]:
    """Return for every limb the stances that stored events tell, in frames with fractions.

    Events that open or close a stance without a counterpart (files often store one stride) take
    the missing edge from the stances found from the motion. Events that tell every contact are
    taken at their word.

    Raises:
        MocapRerootError: The file stores no strikes or offs of these limbs.
    """
    stances: list[list[Stance]] = []
    for limb, mine in zip(limbs, found, strict=True):
        marks = sorted(
            (event.time * motion.fps - motion.start, event.event)
            for event in events
            if event.side == limb.side and event.event in ("strike", "off")
        )
        if motion.source.events_complete and limb.kind == "foot":
            stances.append(_told(marks, motion.n_frames))
            continue
        marks = [(t, e) for t, e in marks if 0 <= t < motion.n_frames]
        if limb.kind != "foot" or not marks:
            stances.append(list(mine))
            continue
        stances.append(_paired(marks, mine, motion.n_frames))
    if not any(e.event in ("strike", "off") for e in events):
        raise MocapRerootError(
            "Contacts were asked from the file's events, but it stores no foot strike and no foot "
            "off. Use source='kinematics', or give a table of contacts."
        )
    return stances


def _told(marks: list[tuple[float, str]], frames: int) -> list[Stance]:
    """Return stances from marks that leave nothing out; before the first one the foot is off."""
    result: list[Stance] = []
    since: float | None = None
    for time, event in [*marks, (float(frames), "off")]:
        if event == "strike" and since is None:
            since = time
        elif event == "off" and since is not None:
            result.append((max(since, 0.0), min(time, float(frames))))
            since = None
    return [(a, b) for a, b in result if b - a >= 1]


def _paired(marks: list[tuple[float, str]], found: list[Stance], frames: int) -> list[Stance]:
    """Return stances from strikes and offs in order; edges without a mark come from the motion."""
    result: list[Stance] = []
    for strike, off in found:
        begin = _nearest(marks, "strike", strike, 0.5 * (off - strike))
        end = _nearest(marks, "off", off, 0.5 * (off - strike))
        result.append((strike if begin is None else begin, off if end is None else end))
    for k, (time, event) in enumerate(marks):
        # A stance that the motion did not show but the file tells in full.
        following = [t for t, e in marks[k + 1 :] if e == "off"]
        if event == "strike" and following:
            known = any(a <= time <= b or abs(a - time) < 1e-9 for a, b in result)
            if not known:
                result.append((time, following[0]))
    result.sort()
    return [(a, b) for a, b in result if b - a >= 1 and a < frames]


def _nearest(
    marks: list[tuple[float, str]], event: str, time: float, within: float
) -> float | None:
    near = [t for t, e in marks if e == event and abs(t - time) <= within]
    return min(near, key=lambda t: abs(t - time)) if near else None


def read_table(table: str | Path | pd.DataFrame) -> pd.DataFrame:
    """Return a table of contacts from a CSV or Parquet file, or as it is.

    Raises:
        FileError: The file does not exist or is no table.
    """
    if isinstance(table, pd.DataFrame):
        return table
    path = Path(table)
    if not path.is_file():
        raise FileError(path, "there is no such file.", todo="Give a CSV or Parquet table.")
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            return pd.read_parquet(path)
        if not path.read_bytes().strip():
            raise FileError(path, "the file is empty.", todo="Give a CSV or Parquet table.")
        return as_meant(pd.read_csv(path, sep=None, engine="python", comment="#"))
    except (ValueError, OSError, csv.Error) as error:
        raise FileError(path, f"it cannot be read as a table ({error}).") from error


def table_stances(
    table: pd.DataFrame, limbs: Sequence[Limb], motion: Motion
) -> tuple[list[list[Stance]], dict[int, np.ndarray]]:
    """Return stances of every limb, and where given the ``(F)`` contact of single parts.

    Two forms are understood. One row a stance: ``foot`` (or ``body``: name of a foot or toe body,
    a segment like ``left_foot``, or a side), ``start_frame``, ``stop_frame`` (rows of the file,
    half open) or ``start_time``, ``stop_time`` (s on the file's own clock). One row a
    frame: ``contacts.parquet``, with ``frame`` and ``<body>_contact``.

    Raises:
        MocapRerootError: A column is missing, a name unknown, an interval empty or outside.
    """
    columns = {str(c).strip().lower(): c for c in table.columns}
    if any(str(c).endswith("_contact") for c in table.columns):
        return _framewise(table, limbs, motion)
    who = columns.get("foot", columns.get("body"))
    if who is None:
        raise MocapRerootError(
            "A table of contacts needs a column 'foot' (or 'body'), or '<body>_contact' columns; "
            f"found {', '.join(map(str, table.columns))}."
        )
    edges = []
    for edge in ("start", "stop"):
        if f"{edge}_frame" in columns:
            edges.append(_numbers(table, columns[f"{edge}_frame"]))
        elif f"{edge}_time" in columns:
            seconds = _numbers(table, columns[f"{edge}_time"]) - motion.source.start_time
            edges.append(seconds * motion.fps)
        else:
            raise MocapRerootError(
                f"A table of contacts needs a column '{edge}_frame' or '{edge}_time'; "
                f"found {', '.join(map(str, table.columns))}."
            )
    stances: list[list[Stance]] = [[] for _ in limbs]
    parts: dict[int, np.ndarray] = {}
    for row, (name, start, stop) in enumerate(zip(table[who], *edges, strict=True), start=1):
        limb, part = _who(str(name), limbs, motion)
        begin, end = start - motion.start, stop - motion.start
        if not (np.isfinite(begin) and np.isfinite(end) and end > begin):
            raise MocapRerootError(
                f"Row {row} of the table of contacts: {name} from {start:g} to {stop:g} is no "
                "interval; stop must be greater than start."
            )
        if begin < -0.5 or end > motion.n_frames + 0.5:
            raise MocapRerootError(
                f"Row {row} of the table of contacts: {name} from {start:g} to {stop:g} lies "
                f"outside the clip's frames {motion.start} to {motion.start + motion.n_frames}."
            )
        stances[limb].append((max(begin, 0.0), min(end, float(motion.n_frames))))
        if part != limbs[limb].foot:
            mask = parts.setdefault(part, np.zeros(motion.n_frames, bool))
            mask[round(begin) : round(end)] = True
    return [joined(s) for s in stances], parts


def _numbers(table: pd.DataFrame, column: str) -> np.ndarray:
    """Return a column as numbers, empty cells as NaN."""
    values = pd.to_numeric(table[column], errors="coerce")
    wrong = np.flatnonzero(values.isna() & table[column].notna())
    if len(wrong):
        raise MocapRerootError(
            f"Row {wrong[0] + 1} of the table of contacts: {column} is "
            f"{table[column].iloc[wrong[0]]!r}; expected a number."
        )
    return values.to_numpy(float)


def _framewise(
    table: pd.DataFrame, limbs: Sequence[Limb], motion: Motion
) -> tuple[list[list[Stance]], dict[int, np.ndarray]]:
    if "frame" not in table:
        raise MocapRerootError("A table of contacts with one row a frame needs a column 'frame'.")
    frames = _numbers(table, "frame")
    if len(frames) == 0 or not np.isfinite(frames).all():
        raise MocapRerootError(
            "A table of contacts with one row a frame needs a frame number in every row."
        )
    if frames.max() >= motion.start + motion.n_frames:
        raise MocapRerootError(
            f"The table of contacts goes up to frame {frames.max():.0f}, but the clip's last frame "
            f"is {motion.start + motion.n_frames - 1}: was it made for another clip?"
        )
    rows = frames.astype(int) - motion.start
    inside = (rows >= 0) & (rows < motion.n_frames)
    stances: list[list[Stance]] = [[] for _ in limbs]
    parts: dict[int, np.ndarray] = {}
    for column in (str(c) for c in table.columns if str(c).endswith("_contact")):
        limb, part = _who(column.removesuffix("_contact"), limbs, motion)
        mask = np.zeros(motion.n_frames, bool)
        mask[rows[inside]] = table[column].to_numpy(bool)[inside]
        parts[part] = mask
        stances[limb] += [(float(a), float(b)) for a, b in runs(mask)]
    return [joined(s) for s in stances], parts


def _who(name: str, limbs: Sequence[Limb], motion: Motion) -> tuple[int, int]:
    """Return the limb and the part that a name in a table speaks of."""
    names, anatomy = motion.skeleton.names, motion.skeleton.anatomy
    valid: list[str] = []
    for k, limb in enumerate(limbs):
        for part in limb.parts:
            called = [names[part]] + ([anatomy.segments[part]] if anatomy is not None else [])
            if part == limb.foot and limb.kind == "foot" and limb.side:
                called += [limb.side, limb.side[0]]
            if name.strip().lower() in [c.lower() for c in called]:
                return k, part
            valid.append(names[part])
    raise UnknownNameError("foot", name, valid)
