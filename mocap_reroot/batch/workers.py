"""Workers: processes that may crash, hang or eat memory without taking the batch with them.

A pool of the standard library breaks when one of its processes dies. Here every worker has a pipe
of its own; the parent watches the clock, the memory and the process, and replaces what is lost.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

import psutil

from mocap_reroot.errors import MocapRerootError

_POLL = 0.2
"""s between looks at the clock and at the memory of the workers."""


@dataclass(frozen=True)
class Limits:
    """What one file may cost.

    Attributes:
        seconds: Wall-clock time.
        megabytes: Resident memory of the worker.
    """

    seconds: float = 600.0
    megabytes: float = 8000.0


@dataclass(frozen=True)
class Outcome:
    """What became of one task.

    Attributes:
        task: The task.
        value: What the function returned, None if it failed.
        stage: Where it failed: ``"input"`` (the file's fault, a sentence), ``"crash"``,
            ``"time"``, ``"memory"`` or ``"bug"``; empty on success.
        reason: A sentence; empty on success.
        seconds: How long it took.
    """

    task: Any
    value: Any = None
    stage: str = ""
    reason: str = ""
    seconds: float = 0.0


@dataclass
class _Worker:
    process: Any
    pipe: Connection
    task: Any = None
    begun: float = field(default_factory=time.monotonic)

    def megabytes(self) -> float:
        try:
            return float(psutil.Process(self.process.pid).memory_info().rss) / 1e6
        except psutil.Error:
            return 0.0

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _context() -> Any:
    """Return how processes are started: forked from a server that has the modules loaded."""
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["mocap_reroot.batch.preload"])
    return context


def _serve(pipe: Connection, function: Callable[[Any], Any]) -> None:
    """Work on tasks until told to stop; an error of our family is an answer, not an end."""
    while True:
        try:
            task = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            return
        if task is None:
            return
        try:
            answer = ("", function(task))
        except MocapRerootError as error:
            answer = ("input", str(error))
        except KeyboardInterrupt:
            return
        except MemoryError:
            answer = ("memory", "There was not enough memory for this file.")
        except Exception as error:  # one failure never stops the rest
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{os.path.basename(where.filename)}:{where.lineno}"  # noqa: PTH119
            answer = ("bug", f"{type(error).__name__} at {place}: {error}")
        pipe.send(answer)


def work(
    function: Callable[[Any], Any],
    tasks: Iterable[Any],
    jobs: int,
    limits: Limits | None = None,
    warm: bool = True,
) -> Iterator[Outcome]:
    """Run a function on every task in parallel and yield outcomes as they come.

    Args:
        function: Importable function of one picklable task.
        tasks: What to work on.
        jobs: Number of worker processes.
        limits: What one task may cost.
        warm: Whether compiled code is already cached; otherwise one worker starts alone, so that
            compilation happens once and not once per worker.
    """
    limits, context = limits or Limits(), _context()
    waiting, workers = deque(tasks), list[_Worker]()

    def start() -> _Worker:
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, function), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def give(worker: _Worker) -> None:
        worker.task, worker.begun = waiting.popleft(), time.monotonic()
        worker.pipe.send(worker.task)

    try:
        while waiting or any(w.task is not None for w in workers):
            allowed = jobs if warm else 1
            while waiting and len(workers) < min(allowed, jobs):
                worker = start()
                workers.append(worker)
                give(worker)
            busy = [w for w in workers if w.task is not None]
            ready = wait([w.pipe for w in busy] + [w.process.sentinel for w in busy], _POLL)
            for worker in busy:
                outcome = _look(worker, worker.pipe in ready, limits)
                if outcome is None:
                    continue
                yield outcome
                warm = warm or not outcome.stage
                worker.task = None
                if outcome.stage in ("crash", "time", "memory"):
                    worker.stop()
                    workers.remove(worker)
                elif waiting:
                    give(worker)
    finally:
        for worker in workers:
            worker.stop()


def _look(worker: _Worker, has_answer: bool, limits: Limits) -> Outcome | None:
    """Return what became of a worker's task, or None while it is still at work."""
    seconds = time.monotonic() - worker.begun
    if has_answer or worker.pipe.poll():
        try:
            stage, value = worker.pipe.recv()
        except (EOFError, OSError):
            return _lost(worker, seconds)
        if stage:
            return Outcome(worker.task, None, stage, value, seconds)
        return Outcome(worker.task, value, seconds=seconds)
    if not worker.process.is_alive():
        return _lost(worker, seconds)
    if seconds > limits.seconds:
        reason = f"Not done after {limits.seconds:g} s; given up (see --time-limit)."
        return Outcome(worker.task, None, "time", reason, seconds)
    if worker.megabytes() > limits.megabytes:
        reason = f"Needs more than {limits.megabytes:g} MB; given up (see --memory-limit)."
        return Outcome(worker.task, None, "memory", reason, seconds)
    return None


def _lost(worker: _Worker, seconds: float) -> Outcome:
    worker.process.join(1)
    code = worker.process.exitcode
    how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
    reason = f"The process that worked on this file died ({how})."
    return Outcome(worker.task, None, "crash", reason, seconds)
