"""Compilation lock: of several processes one compiles a kernel, and the others wait.

A kernel's lock is held while it is compiled and with it those that it calls; these call no kernel
above them, so nobody waits in a circle. Locks are the system's and end with their process, however
that ends.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from numba.core.compiler_lock import global_compiler_lock

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PATIENCE = 120.0
"""s after which a kernel is compiled anyway: who holds it may have been suspended."""
_POLL = 0.02


def compile_in_turn(compiled: Any, kept: Any, lock: Path) -> None:
    """Make a kernel wait, before it is compiled, for a process that is compiling it.

    Args:
        compiled: Numba's dispatcher.
        kept: Function of it that returns the signatures that are in the cache.
        lock: File of this kernel.
    """
    compile_now = compiled.compile

    def in_turn(signature: Any) -> Any:
        if signature in compiled.overloads or signature in kept(compiled):
            return compile_now(signature)
        # Numba's own lock first: a thread that waits for another process must not hold up one
        # that it waits for.
        with global_compiler_lock, _held(lock), _nothing_collected():
            return compile_now(signature)  # which looks into the cache again

    compiled.compile = in_turn


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Keep Python from looking for garbage: the many objects of a compilation are all in use."""
    collected = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collected:
            gc.enable()


@contextmanager
def _held(lock: Path) -> Iterator[None]:
    """Hold a lock, or go on without where there are none or it takes too long."""
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        file = lock.open("w")
    except OSError:
        yield
        return
    with file:
        _wait(file)
        yield


def _wait(file: IO[str]) -> None:
    until = time.monotonic() + PATIENCE
    while fcntl is not None and time.monotonic() < until:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(_POLL)
        except OSError:  # a file system without locks
            return
