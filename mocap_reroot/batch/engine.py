"""run_batch(): one task a clip, resumable; a failure never stops the rest."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mocap_reroot.batch.fingerprint import fingerprint, is_summary, summary_if_done
from mocap_reroot.batch.index import (
    FAILURES,
    INDEX_FILE,
    PAGE,
    index_row,
    refuse_foreign_index,
    write_index,
)
from mocap_reroot.batch.outcome import Function, Outcome, Tell
from mocap_reroot.batch.subjects import Subject
from mocap_reroot.batch.workers import Limits, work
from mocap_reroot.config import Config
from mocap_reroot.errors import FileError, MocapRerootError, path_text
from mocap_reroot.export.folders import clear_drafts, sweep_after
from mocap_reroot.resources.clips import Clip
from mocap_reroot.resources.cores import cores

_INDEX_EVERY = 15.0
"""s between two writings of the index while the batch runs."""

_MARGIN = 60.0
"""s beyond a clip's time after which a draft of another machine counts as left behind."""

Engine = Callable[[Function, list[Any]], Iterator[Outcome]]
"""Runs a function on tasks somewhere and yields what became of them."""


@dataclass(frozen=True)
class Task:
    """One clip to analyse: picklable, all a worker needs.

    Attributes:
        clip: File and place.
        out: Output folder.
        config: Configuration.
        subject: Whose clip it is.
        dataset: Whether its tables are also written for the data set.
    """

    clip: Clip
    out: Path
    config: Config
    subject: Subject = field(default_factory=Subject)
    dataset: bool = False

    @property
    def folder(self) -> Path:
        """Where the results go."""
        return self.out / self.clip.place

    @property
    def targets(self) -> tuple[Path, ...]:
        """What is written."""
        return (self.folder,)


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

    def fail(self, outcome: Outcome) -> None:
        """Count a clip that failed."""
        self.failures.append(
            {
                "file": path_text(outcome.task.clip.path),
                "stage": outcome.stage,
                "reason": outcome.reason,
                "kind": outcome.kind,
            }
        )

    def count(self, outcome: Outcome) -> None:
        """Count a clip that was analysed or tried."""
        self.done += 1
        if outcome.kind:
            self.fail(outcome)
            return
        row = dict(outcome.value)
        if row.pop("_fresh"):
            self.frames += row["frames"]
        else:
            self.skipped += 1
        self.rows.append(row)


TellOutcome = Callable[[Tally, Outcome], None]
"""Is told how far a batch has come, and of the clip that was worked on last."""


def run_task(task: Task, tell: Tell) -> dict[str, Any]:
    """Analyse one clip unless its result is there already, and return its row of the index.

    Called in a worker process, or on a Dask worker.
    """
    tell("read")
    who = task.subject.name or task.config.reading.subject or ""
    mark = fingerprint(task.clip.path, task.config, who)
    summary = summary_if_done(task.out, task.clip.place, mark)
    fresh = summary is None
    if summary is None:
        from mocap_reroot.analysis import analyze

        analysis = analyze(task.clip.path, config=task.config, tell=tell)
        tell("tables")
        labels = {"clip": task.clip.place.as_posix(), "subject": who}
        summary = analysis.save(
            task.folder, fingerprint=mark, labels=labels if task.dataset else None
        )
    person = {"subject": who, **task.subject.more}
    return index_row(task.clip.path, task.clip.place, summary) | person | {"_fresh": fresh}


def run_batch(
    clips: list[Clip],
    out: Path,
    config: Config,
    *,
    subjects: Sequence[Subject] | None = None,
    dataset: bool = False,
    jobs: int | None = None,
    fresh: bool = False,
    limits: Limits | None = None,
    engine: Engine | None = None,
    tell: TellOutcome | None = None,
) -> Tally:
    """Analyse clips into a folder and write its index.

    The index is written in the end whatever happens, Ctrl-C and a full disk included: results are
    complete or absent, and the same command goes on from there.

    Args:
        clips: Files and their places below ``out``.
        out: Output folder.
        config: Configuration of every clip.
        subjects: Whose each clip is: what is known of them goes over ``config``.
        dataset: Whether tables are also written so that :func:`gather` need only take them.
        jobs: Worker processes; all cores by default.
        fresh: Whether to start over instead of resuming.
        limits: Time and memory one file may cost.
        engine: Other ways to run tasks (Dask); by default processes on this machine.
        tell: Called after every clip.

    Raises:
        FileError: The output folder cannot be written, or the disk is full.
    """
    limits = limits or Limits()
    people = subjects or [Subject()] * len(clips)
    _prepare(out, clips, fresh, limits)
    engine = engine or on_this_machine(jobs or cores(), limits)
    tasks = [
        Task(clip, out, config.with_options(one.options), one, dataset)
        for clip, one in zip(clips, people, strict=True)
    ]
    tally, written = Tally(len(tasks)), time.monotonic()
    outcomes = engine(run_task, tasks)
    try:
        for outcome in outcomes:
            tally.count(outcome)
            if tell is not None:
                tell(tally, outcome)
            stop_if_disk_full(out, outcome)
            if time.monotonic() - written > _INDEX_EVERY:
                write_index(out, tally.rows, tally.failures)
                written = time.monotonic()
    except BaseException:
        if hasattr(outcomes, "close"):  # first stop the workers, then say what they have done
            outcomes.close()
        for parent in {final.parent for task in tasks for final in task.targets}:
            clear_drafts(parent, math.inf)  # what they were writing; never another machine's
        with suppress(MocapRerootError):  # what stopped the batch matters more
            write_index(out, tally.rows, tally.failures)
        raise
    write_index(out, tally.rows, tally.failures)
    return tally


def on_this_machine(jobs: int, limits: Limits) -> Engine:
    """Return an engine that runs tasks in processes on this machine."""

    def engine(function: Function, tasks: list[Any]) -> Iterator[Outcome]:
        return work(function, tasks, min(jobs, len(tasks)), limits, sweep)

    return engine


def stop_if_disk_full(out: Path, outcome: Outcome) -> None:
    """Raise one clear error where every further clip would fail for the same reason."""
    if outcome.kind == "disk":
        raise MocapRerootError(
            f"{out}: cannot be written to any more ({outcome.reason}) The batch has stopped and "
            "nothing is half-written. Run the same command again: what is done is kept."
        )


def _prepare(out: Path, clips: list[Clip], fresh: bool, limits: Limits) -> None:
    """Make sure that the output can be written, and tidy what earlier runs left."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out) as probe:
            probe.write(b"\0" * 4096)
            probe.flush()
        refuse_foreign_index(out)
        if fresh:
            for clip in clips:  # without it a result is done again, and replaced when that is there
                if is_summary(out / clip.place / "summary.json"):
                    (out / clip.place / "summary.json").unlink(missing_ok=True)
            for name in (INDEX_FILE, FAILURES, PAGE):
                (out / name).unlink(missing_ok=True)
    except OSError as error:
        raise FileError(
            out, f"cannot be written to: {error.strerror or error}.", todo="Choose another with -o."
        ) from error
    for parent in {out, *((out / clip.place).parent for clip in clips)}:
        clear_drafts(parent, limits.seconds + _MARGIN)


def sweep(task: Any) -> None:
    """Tidy up after a worker that was stopped while it wrote."""
    for final in task.targets:
        sweep_after(final)
