"""The batch: every clip accounted for, resumable, one failure never stops the rest."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mocap_reroot.batch.fingerprint import fingerprint, summary_if_done
from mocap_reroot.batch.index import index_row, write_index
from mocap_reroot.batch.workers import Limits, Outcome, work
from mocap_reroot.clips import Clip
from mocap_reroot.config import Config
from mocap_reroot.errors import FileError, MocapRerootError
from mocap_reroot.kernels.compiling import compiled_before, remember_compiled

_INDEX_EVERY = 15.0
"""s between two writings of the index while the batch runs."""


@dataclass(frozen=True)
class Task:
    """One clip to analyse: picklable, all a worker needs.

    Attributes:
        clip: File and place.
        out: Output folder.
        config: Configuration.
    """

    clip: Clip
    out: Path
    config: Config


@dataclass
class Tally:
    """How far a batch has come.

    Attributes:
        total, done, skipped: Numbers of clips; skipped ones were already there.
        frames: Frames analysed in this run.
        rows, failures: Of the index, so far.
        begun: When it started.
    """

    total: int
    done: int = 0
    skipped: int = 0
    frames: int = 0
    rows: list[dict[str, Any]] = field(default_factory=list)
    failures: list[dict[str, str]] = field(default_factory=list)
    begun: float = field(default_factory=time.monotonic)

    @property
    def rate(self) -> float:
        """Clips per second in this run."""
        worked = self.done - self.skipped
        return worked / max(time.monotonic() - self.begun, 1e-9)


def run_task(task: Task) -> dict[str, Any]:
    """Analyse one clip unless its result is there already, and return its row of the index.

    Called in a worker process, or on a Dask worker.
    """
    folder = task.out / task.clip.place
    mark = fingerprint(task.clip.path, task.config)
    summary = summary_if_done(folder, mark)
    fresh = summary is None
    if summary is None:
        from mocap_reroot.analysis import analyze

        analysis = analyze(task.clip.path, config=task.config)
        summary = analysis.save(folder, fingerprint=mark)
        remember_compiled()
    return index_row(task.clip.path, task.clip.place, summary) | {"_fresh": fresh}


def run_batch(
    clips: list[Clip],
    out: Path,
    config: Config,
    *,
    jobs: int | None = None,
    fresh: bool = False,
    limits: Limits | None = None,
    engine: Callable[[list[Task]], Iterator[Outcome]] | None = None,
    tell: Callable[[Tally, Outcome], None] | None = None,
) -> Tally:
    """Analyse clips into a folder and write its index.

    Args:
        clips: Files and their places below ``out``.
        out: Output folder.
        config: Configuration of every clip.
        jobs: Worker processes; all cores by default.
        fresh: Whether to start over instead of resuming.
        limits: Time and memory one file may cost.
        engine: Other ways to run tasks (Dask); by default processes on this machine.
        tell: Called after every clip.

    Raises:
        FileError: The output folder cannot be written, or the disk is full.
    """
    _prepare(out, clips, fresh)
    tasks = [Task(clip, out, config) for clip in clips]
    tally, written = Tally(len(tasks)), time.monotonic()
    warm = compiled_before()
    outcomes = engine(tasks) if engine else work(run_task, tasks, jobs or cores(), limits, warm)
    for outcome in outcomes:
        _count(tally, outcome)
        if tell is not None:
            tell(tally, outcome)
        _stop_if_disk_full(out, outcome)
        if time.monotonic() - written > _INDEX_EVERY:
            write_index(out, tally.rows, tally.failures)
            written = time.monotonic()
    write_index(out, tally.rows, tally.failures)
    return tally


def cores() -> int:
    """Return the number of cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


def _prepare(out: Path, clips: list[Clip], fresh: bool) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        probe = out / f".writable-{os.getpid()}"
        probe.touch()
        probe.unlink()
        if fresh:
            for clip in clips:
                shutil.rmtree(out / clip.place, ignore_errors=True)
    except OSError as error:
        raise FileError(
            out, f"cannot be written to: {error.strerror or error}.", todo="Choose another with -o."
        ) from None


def _count(tally: Tally, outcome: Outcome) -> None:
    tally.done += 1
    if outcome.stage:
        file = os.fspath(outcome.task.clip.path)
        tally.failures.append({"file": file, "stage": outcome.stage, "reason": outcome.reason})
        return
    row = dict(outcome.value)
    if row.pop("_fresh"):
        tally.frames += row["frames"]
    else:
        tally.skipped += 1
    tally.rows.append(row)


def _stop_if_disk_full(out: Path, outcome: Outcome) -> None:
    if outcome.stage and "No space left on device" in outcome.reason:
        raise MocapRerootError(
            f"{out}: the disk is full; the batch has stopped and nothing is half-written. "
            "Free some space and run the same command again: what is done is kept."
        )
