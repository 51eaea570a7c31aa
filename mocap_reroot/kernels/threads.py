"""Two threads for long arrays. Compiled code lets go of the GIL, so both really run.

Work is divided where the parts do not meet, so results are the same to the last bit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TypeVar

WORTH = 1 << 20
"""Bytes to read or write from which a second thread gains more than it takes to start."""

A = TypeVar("A")
B = TypeVar("B")


def worth_two(size: int) -> bool:
    """Whether work on so many bytes should be shared with a second thread.

    ``MOCAP_REROOT_THREADS=1`` in the environment forbids it.
    """
    return size >= WORTH and os.environ.get("MOCAP_REROOT_THREADS") != "1" and _spare_core()


def together(first: Callable[[], A], second: Callable[[], B]) -> tuple[A, B]:
    """Run two functions at the same time and return what both return."""
    with ThreadPoolExecutor(1) as pool:
        later = pool.submit(second)
        return first(), later.result()


@contextmanager
def meanwhile(function: Callable[[], A], size: int) -> Iterator[Callable[[], A]]:
    """Run a function on so many bytes beside what follows; what is given returns its result.

    Where a second thread is not worth it, the function runs when its result is first asked for.
    """
    if not worth_two(size):
        yield cache(function)
        return
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(function).result


def cores() -> int:
    """Return the number of cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


def _spare_core() -> bool:
    """Whether some core is likely idle: on a busy machine the threads wait for each other."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return cores() > 1 and load < cores()
