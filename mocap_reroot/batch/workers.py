"""Workers: processes that may crash, hang or eat memory without taking the batch with them.

A pool of the standard library breaks when one of its processes dies. Here every worker has a pipe
of its own; the parent watches the clock, the memory and the process, and replaces what is lost.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any

import psutil

from mocap_reroot.batch.outcome import Function, Outcome, attempt
from mocap_reroot.resources.scratch import sweep_scratch

_POLL = 0.2
"""s between looks at the clock and at the memory of the workers."""
_FAREWELL = 2.0
"""s that a worker has to end before it is killed."""
_GROWTH = 500.0
"""MB that a worker may have grown between two files before a fresh one takes its place."""

Lost = Callable[[Any, int], None]
"""Called with the task and the process number of a worker that was stopped at work."""

LOST = ("crash", "time", "memory")
"""Kinds of failure after which the process is not to be used again."""


@dataclass(frozen=True)
class Limits:
    """What one file may cost.

    Attributes:
        seconds: Wall-clock time.
        megabytes: Resident memory of the worker; None: the machine's, shared among the workers.
    """

    seconds: float = 600.0
    megabytes: float | None = None

    def for_jobs(self, jobs: int) -> Limits:
        """Return the limits with the memory decided."""
        if self.megabytes is not None:
            return self
        return Limits(self.seconds, 0.9 * psutil.virtual_memory().total / 1e6 / jobs)


@dataclass
class _Worker:
    """A process, the pipe to it, and the buffer in which it says where it is.

    Attributes:
        busy: Whether it works on ``task``, since ``begun``.
        small: MB it held after its first file.
        helpers: Processes that it had started when it was told to stop.
    """

    process: Any
    pipe: Connection
    stage: Any
    task: Any = None
    busy: bool = False
    begun: float = field(default_factory=time.monotonic)
    small: float | None = None
    helpers: list[psutil.Process] = field(default_factory=list)

    def give(self, task: Any) -> None:
        """Hand over a task; a worker that is gone already is noticed when it is looked at."""
        self.task, self.busy, self.begun, self.stage.value = task, True, time.monotonic(), b""
        with suppress(OSError):
            self.pipe.send(task)

    def megabytes(self) -> float:
        """Return the resident memory of the process."""
        try:
            return float(psutil.Process(self.process.pid).memory_info().rss) / 1e6
        except psutil.Error:
            return 0.0

    def has_grown(self) -> bool:
        """Return whether memory has piled up since the first file."""
        now = self.megabytes()
        self.small = now if self.small is None else self.small
        return now > self.small + _GROWTH

    def where(self) -> str:
        """Return the stage that the worker has told of last."""
        return bytes(self.stage.value).decode() or "start"

    def look(self, has_answer: bool, limits: Limits) -> Outcome | None:
        """Return what became of the task, or None while the worker is still at it."""
        seconds = time.monotonic() - self.begun
        if has_answer or self.pipe.poll():
            try:
                kind, value = self.pipe.recv()
            except (EOFError, OSError):
                return self._lost(seconds)
            if kind:
                return Outcome(self.task, None, self.where(), value, kind, seconds)
            return Outcome(self.task, value, seconds=seconds)
        if not self.process.is_alive():
            return self._lost(seconds)
        if seconds > limits.seconds:
            reason = f"Not done after {limits.seconds:g} s; given up (see --time-limit)."
            return Outcome(self.task, None, self.where(), reason, "time", seconds)
        if limits.megabytes is not None and self.megabytes() > limits.megabytes:
            reason = f"Needs more than {limits.megabytes:.0f} MB; given up (see --memory-limit)."
            return Outcome(self.task, None, self.where(), reason, "memory", seconds)
        return None

    def _lost(self, seconds: float) -> Outcome:
        self.process.join(1)
        code = self.process.exitcode
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        reason = f"The process that worked on this file died ({how})."
        return Outcome(self.task, None, self.where(), reason, "crash", seconds)

    def ask_to_stop(self) -> None:
        """Tell the worker to end; does not wait for it."""
        if self.busy:  # afterwards nobody would know whose they are
            with suppress(psutil.Error):
                self.helpers += psutil.Process(self.process.pid).children(recursive=True)
        with suppress(OSError, ValueError):
            self.process.terminate()

    def stop(self) -> None:
        """End the process and what it has started, and wait until it is gone."""
        self.ask_to_stop()
        self.process.join(_FAREWELL)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        for helper in self.helpers:
            with suppress(psutil.Error):
                helper.kill()
        psutil.wait_procs(self.helpers, _FAREWELL)
        sweep_scratch(self.process.pid)
        self.pipe.close()


def _context() -> Any:
    """Return how processes are started: forked from a server that has the modules loaded."""
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["mocap_reroot.batch.preload"])
    return context


def start_server() -> None:
    """Begin to load what workers need, in the server they are forked from; returns at once.

    Without it that begins with the first worker. A command that has modules of its own to load
    does so meanwhile.
    """
    _context()
    if sys.platform == "win32":
        return
    # Ctrl-C reaches the server too. It inherits that the signal is held back, so that it is not
    # interrupted while it loads; here it comes through right after. The tracker is started first:
    # starting it ends with letting the signal through.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, stage: Any, function: Function) -> None:
    """Work on tasks until told to stop; whatever goes wrong with one is an answer, not an end."""
    # Ctrl-C reaches every process of a terminal: the parent alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A worker that is told to stop ends at once and in silence; the parent sweeps up after it. An
    # exception raised by a signal may strike in a finaliser, where Python prints and forgets it.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def tell(name: str) -> None:
        stage.value = name.encode()[: len(stage) - 1]

    while True:
        try:
            pipe.send(attempt(function, pipe.recv(), tell))
        except (EOFError, OSError):  # the parent is gone
            return


def _start(function: Function) -> _Worker:
    context = _context()
    start_server()
    ours, theirs = context.Pipe()
    stage = context.RawArray("c", 32)
    process = context.Process(target=_serve, args=(theirs, stage, function), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours, stage)


def _dismiss(worker: _Worker, lost: Lost | None) -> None:
    worker.stop()
    if worker.busy and lost is not None:
        lost(worker.task, worker.process.pid)


class Keeper:
    """Runs one task after the other in a process of its own, and replaces it when it is lost."""

    def __init__(self, function: Function, limits: Limits, lost: Lost | None = None) -> None:
        self.function, self.limits, self.lost = function, limits, lost
        self.worker: _Worker | None = None

    def run(self, task: Any) -> Outcome:
        """Return what became of a task."""
        worker = self.worker = self.worker or _start(self.function)
        worker.give(task)
        outcome = None
        while outcome is None:
            ready = wait([worker.pipe, worker.process.sentinel], _POLL)
            outcome = worker.look(worker.pipe in ready, self.limits)
        worker.busy = outcome.kind in LOST
        if worker.busy or worker.has_grown():
            self.stop()
        return outcome

    def stop(self) -> None:
        """End the process."""
        if self.worker is not None:
            _dismiss(self.worker, self.lost)
            self.worker = None


def work(
    function: Function,
    tasks: Iterable[Any],
    jobs: int,
    limits: Limits | None = None,
    lost: Lost | None = None,
) -> Iterator[Outcome]:
    """Run a function on every task in parallel and yield outcomes as they come.

    Args:
        function: Importable function of one picklable task and of a ``tell`` that it calls with
            the name of the stage it begins.
        tasks: What to work on.
        jobs: Number of worker processes.
        limits: What one task may cost.
        lost: Sweeps up after a worker that was stopped at work.
    """
    limits = (limits or Limits()).for_jobs(jobs)
    waiting, workers = deque(tasks), list[_Worker]()

    def dismiss(worker: _Worker) -> None:
        workers.remove(worker)
        _dismiss(worker, lost)

    try:
        while waiting or any(worker.busy for worker in workers):
            while waiting and len(workers) < jobs:
                workers.append(_start(function))
                workers[-1].give(waiting.popleft())
            busy = [worker for worker in workers if worker.busy]
            ready = wait([w.pipe for w in busy] + [w.process.sentinel for w in busy], _POLL)
            for worker in busy:
                outcome = worker.look(worker.pipe in ready, limits)
                if outcome is None:
                    continue
                if outcome.kind in LOST:
                    dismiss(worker)
                else:
                    worker.busy = False
                    if worker.has_grown():
                        dismiss(worker)
                    elif waiting:  # before anything else, so that it is never idle
                        worker.give(waiting.popleft())
                yield outcome
    finally:
        for worker in workers:
            worker.ask_to_stop()
        for worker in list(workers):
            dismiss(worker)
