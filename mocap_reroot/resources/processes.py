"""Child processes: bounded, counted, and ended with all that they started.

Memory and time are bounded by the system itself, within the process, so that nothing is taken
between two looks of a parent.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import psutil

from mocap_reroot.resources.search_path import nothing_from_here

try:
    import fcntl
    import resource
except ImportError:  # Windows
    fcntl = resource = None  # type: ignore[assignment]


class TookTooLongError(Exception):
    """A process that did not end in time and was ended."""


def run_bounded(module: str, *words: str, megabytes: float, seconds: float) -> tuple[int, str]:
    """Run a module that begins with :func:`bounded_arguments`; return exit code and last line.

    Args:
        module: Its name.
        *words: Its arguments.
        megabytes: Memory it may take beside its libraries.
        seconds: Time it may take.

    Raises:
        TookTooLongError: It did not end in time.
    """
    bounds = [f"{megabytes:.0f}", f"{seconds:.0f}"]
    command = [sys.executable, "-P", "-m", module, *bounds, *words]
    with nothing_from_here():
        environment = dict(os.environ)
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, timeout=seconds, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise TookTooLongError from None
    lines = done.stderr[-4096:].decode(errors="replace").strip().splitlines()
    return done.returncode, lines[-1] if lines else ""


def bounded_arguments() -> list[str]:
    """Bound this process as :func:`run_bounded` was told to, and return its arguments."""
    megabytes, seconds, *words = sys.argv[1:]
    bound_memory(float(megabytes))
    bound_time(float(seconds))
    return words


def bound_memory(megabytes: float) -> None:
    """Let this process, and each that it starts, take only so much memory beside what it has.

    More is refused by the system, which Python calls a ``MemoryError``.
    """
    if resource is None:
        return
    with suppress(OSError, ValueError, AttributeError):  # a lower bound, or a system without
        held = int(psutil.Process().memory_info().data)
        bound = held + int(1e6 * megabytes)
        resource.setrlimit(resource.RLIMIT_DATA, (bound, bound))


def bound_time(seconds: float) -> None:
    """End this process once it has used so much time of a processor, though its parent be gone."""
    if resource is None:
        return
    with suppress(OSError, ValueError):
        bound = int(seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (bound, bound))


def lead_group() -> None:
    """Make this process the first of a group: what it starts is counted and ended with it."""
    with suppress(AttributeError, OSError):  # Windows has no such groups
        os.setpgid(0, 0)


def end_with(alive: Any) -> None:
    """End this process and its group as soon as the other end of a pipe is closed.

    The system does it by a signal: it needs no thread, and reaches a process that is busy in
    compiled code. Where there is none, a process ends when it has done its task.

    Args:
        alive: The end of the pipe that reads; nothing is ever sent. To be kept.
    """
    if fcntl is None or not hasattr(os, "O_ASYNC"):
        return
    leads = os.getpgid(0) == os.getpid()
    with suppress(OSError):
        number = alive.fileno()
        fcntl.fcntl(number, fcntl.F_SETOWN, -os.getpid() if leads else os.getpid())
        flags = fcntl.fcntl(number, fcntl.F_GETFL)
        fcntl.fcntl(number, fcntl.F_SETFL, flags | os.O_ASYNC)
        if alive.poll():  # closed before that
            os.kill(0 if leads else os.getpid(), signal.SIGTERM)


def groups_of(leaders: Iterable[int]) -> dict[int, list[psutil.Process]]:
    """Return the processes of each group that is led by one of these, itself included."""
    found: dict[int, list[psutil.Process]] = {leader: [] for leader in leaders}
    for pid in psutil.pids() if hasattr(os, "getpgid") else ():
        with suppress(OSError, psutil.Error):
            if (group := os.getpgid(pid)) in found:
                found[group].append(psutil.Process(pid))
    for leader, members in found.items():
        with suppress(psutil.Error):
            if not members:  # no groups here, or not in one of its own yet
                itself = psutil.Process(leader)
                members += [itself, *itself.children(recursive=True)]
    return found


def resident(members: Iterable[psutil.Process]) -> float:
    """Return the MB of memory that processes hold together."""
    held = 0.0
    for process in members:
        with suppress(psutil.Error):
            held += float(process.memory_info().rss) / 1e6
    return held
