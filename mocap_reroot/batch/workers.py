"""Worker processes with limits of time and memory, whose crashes do not stop the batch.

A pool of the standard library breaks when one of its processes dies. Here every worker has a pipe
of its own; the parent watches the clock, the memory and the process, and replaces what is lost.
"""

from __future__ import annotations

import logging
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
from mocap_reroot.errors import MocapRerootError
from mocap_reroot.resources.drafts import sweep_scratch
from mocap_reroot.resources.processes import (
    bound_memory,
    end_with,
    groups_of,
    lead_group,
    resident,
)
from mocap_reroot.resources.search_path import nothing_from_here

_log = logging.getLogger(__name__)
_POLL = 0.2
"""s between looks at the clock and at the memory of the workers."""
_FAREWELL = 2.0
"""s that a worker has to end before it is killed."""
_TRIES = 5
"""Times that a worker is asked of the server, which is started again where it was stopped."""
_BREATH = 0.5
"""s between them: a process that was killed is not gone at once."""
_GROWTH = 500.0
"""MB that a worker may have grown between two files before a fresh one takes its place."""

Lost = Callable[[Any], None]
"""Called with the task of a worker that was stopped at work."""

LOST = ("crash", "time", "memory")
"""Kinds of failure after which the process is not to be used again."""


@dataclass(frozen=True)
class Limits:
    """What one file may cost.

    Attributes:
        seconds: Wall-clock time.
        megabytes: Resident memory of the worker and of all that it has started; None: the
            machine's, shared among the workers.
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
        alive: End of a pipe that is open while this process lives.
        busy: Whether it works on ``task``, since ``begun``.
        small: MB it held after its first file.
        held: MB that it and all it has started held when that was counted last.
        helpers: Processes that it had started when it was told to stop.
    """

    process: Any
    pipe: Connection
    stage: Any
    alive: Connection
    task: Any = None
    busy: bool = False
    begun: float = field(default_factory=time.monotonic)
    small: float | None = None
    held: float = 0.0
    helpers: list[psutil.Process] = field(default_factory=list)

    def give(self, task: Any) -> None:
        """Hand over a task; a worker that is gone already is noticed when it is looked at."""
        self.task, self.busy, self.begun, self.stage.value = task, True, time.monotonic(), b""
        with suppress(OSError):
            self.pipe.send(task)

    def has_grown(self) -> bool:
        """Return whether memory has piled up since the first file."""
        with suppress(psutil.Error):
            self.held = resident([psutil.Process(self.process.pid)])
        now = self.held
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
        if limits.megabytes is not None and self.held > limits.megabytes:
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
        if self.busy:  # afterwards nobody might know whose they are
            self.helpers += self._started()
        with suppress(OSError, ValueError):
            self.process.terminate()

    def stop(self) -> None:
        """End the process and what it has started, and wait until it is gone."""
        self.ask_to_stop()
        self.process.join(_FAREWELL)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.helpers += self._started()
        for helper in self.helpers:
            with suppress(psutil.Error):
                helper.kill()
        psutil.wait_procs(self.helpers, _FAREWELL)
        if self.busy:
            sweep_scratch()
        self.pipe.close()
        self.alive.close()

    def _started(self) -> list[psutil.Process]:
        leader = self.process.pid
        return [member for member in groups_of([leader])[leader] if member.pid != leader]


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
    with nothing_from_here():
        resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with nothing_from_here():
            forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(
    pipe: Connection, stage: Any, alive: Connection, memory: float | None, function: Function
) -> None:
    """Work on tasks until told to stop; whatever goes wrong with one is an answer, not an end."""
    lead_group()
    end_with(alive)
    if memory is not None:
        bound_memory(memory)
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


def _start(function: Function, limits: Limits) -> _Worker:
    """Start a worker; a server that was stopped meanwhile is started again.

    Raises:
        MocapRerootError: It was stopped every time.
    """
    for _ in range(_TRIES):
        try:
            return _try_to_start(function, limits)
        except (EOFError, ConnectionError, FileNotFoundError) as error:
            reason = f"{type(error).__name__}: {error}".rstrip(": ")
            _log.warning(
                "The process that workers are started from was stopped from outside; "
                "it is started again."
            )
            time.sleep(_BREATH)
    raise MocapRerootError(
        f"The process that workers are started from was stopped {_TRIES} times while it started "
        f"({reason}). It may have been killed because the machine is out of memory. Free some, or "
        "use fewer --jobs, and run the same command again: what is done is kept."
    )


def _try_to_start(function: Function, limits: Limits) -> _Worker:
    context = _context()
    start_server()
    (ours, theirs), (watched, alive) = context.Pipe(), context.Pipe(duplex=False)
    try:
        stage = context.RawArray("c", 32)
        words = (theirs, stage, watched, limits.megabytes, function)
        process = context.Process(target=_serve, args=words, daemon=True)
        with nothing_from_here():
            process.start()
    except BaseException:
        ours.close()
        alive.close()
        raise
    finally:
        theirs.close()
        watched.close()
    return _Worker(process, ours, stage, alive)


def _dismiss(worker: _Worker, lost: Lost | None) -> None:
    worker.stop()
    if worker.busy and lost is not None:
        lost(worker.task)


def _count(workers: list[_Worker]) -> None:
    """Count the memory of workers and of all that they have started."""
    groups = groups_of([worker.process.pid for worker in workers])
    for worker in workers:
        worker.held = resident(groups[worker.process.pid])


class Keeper:
    """Runs one task after the other in a process of its own, and replaces it when it is lost."""

    def __init__(self, function: Function, limits: Limits, lost: Lost | None = None) -> None:
        self.function, self.limits, self.lost = function, limits, lost
        self.worker: _Worker | None = None

    def run(self, task: Any) -> Outcome:
        """Return what became of a task."""
        worker = self.worker = self.worker or _start(self.function, self.limits)
        worker.give(task)
        outcome = None
        while outcome is None:
            ready = wait([worker.pipe, worker.process.sentinel], _POLL)
            if not ready:
                _count([worker])
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
    waiting, workers, counted = deque(tasks), list[_Worker](), 0.0

    def dismiss(worker: _Worker) -> None:
        workers.remove(worker)
        _dismiss(worker, lost)

    try:
        while waiting or any(worker.busy for worker in workers):
            while waiting and len(workers) < jobs:
                workers.append(_start(function, limits))
                workers[-1].give(waiting.popleft())
            busy = [worker for worker in workers if worker.busy]
            ready = wait([w.pipe for w in busy] + [w.process.sentinel for w in busy], _POLL)
            if time.monotonic() - counted > _POLL:
                _count(busy)
                counted = time.monotonic()
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
