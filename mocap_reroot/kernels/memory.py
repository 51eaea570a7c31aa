"""Memory for large arrays, in large pages, used again.

The first touch of every page of 4 KiB interrupts the program, in a virtual machine for about a
microsecond: as long as it takes to compute what goes there. Linux gives pages of 2 MiB to those who
ask for them and start at their boundary; that is five times faster. Quicker still is memory that
was touched before, so what arrays of one clip leave behind serves those of the next. Where there
are no large pages, and for small arrays, this is ``np.empty``.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from contextlib import suppress
from math import prod
from typing import Any

import numpy as np

_PAGE = 1 << 21
_LARGE = 1 << 28
_KEPT = 1 << 26
"""Bytes that may wait to be used again."""
_ADVICE: int | None = getattr(mmap, "MADV_HUGEPAGE", None)
_waiting: list[_Block] = []  # the oldest first


class _Block:
    """Memory that begins with large pages: where it starts, and how many bytes there are."""

    def __init__(self, size: int) -> None:
        large = (size + 3 * _PAGE // 4) // _PAGE * _PAGE  # the last page if a quarter is used
        self.size = max(size, large)
        # Only what is touched takes room.
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self.memory = mmap.mmap(-1, self.size + _PAGE, flags=flags)
        address = np.frombuffer(self.memory, np.uint8).ctypes.data
        offset = -address % _PAGE
        self.start = address + offset
        self.memory.madvise(_ADVICE or 0, offset, large)


class _Loan:
    """A block in use. Every array on it holds it; when the last is gone, the block waits again."""

    def __init__(self, block: _Block) -> None:
        self.block = block
        self.__array_interface__ = {
            "shape": (block.size,),
            "typestr": "|u1",
            "data": (block.start, False),
            "version": 3,
        }

    def __del__(self, waiting: list[_Block] = _waiting, kept: int = _KEPT) -> None:
        # May run at any moment, even within the functions below or when the program ends: nothing
        # here takes two steps that must not be parted, or looks for names that may be gone.
        if self.block.size <= kept:
            waiting.append(self.block)
            while len(waiting) > 1 and sum(block.size for block in waiting) > kept:
                waiting.pop(0)


def fresh(shape: int | tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """Return an array whose content is not defined, like ``np.empty``."""
    kind = np.dtype(dtype)
    size = (shape if isinstance(shape, int) else prod(shape)) * kind.itemsize
    if _ADVICE is None or size < _PAGE // 4:
        return np.empty(shape, kind)
    try:
        block = _used(size) or _Block(size)
    except OSError:  # a kernel without large pages
        return np.empty(shape, kind)
    return np.asarray(_Loan(block))[:size].view(kind).reshape(shape)


def _used(size: int) -> _Block | None:
    """Return a block that waits, is large enough and not much larger, or None."""
    fitting = [block for block in _waiting if size <= block.size < 2 * size + _PAGE]
    for block in sorted(fitting, key=lambda block: block.size):
        try:
            _waiting.remove(block)
        except ValueError:  # another thread was quicker
            continue
        return block
    return None


def give_back(used: int) -> None:
    """Return what was freed to the system, if so many bytes in use are worth it.

    The allocator keeps it for later, beside what is then taken in large pieces.
    """
    if used >= _LARGE and sys.platform == "linux":
        _waiting.clear()
        with suppress(OSError, AttributeError):  # another C library than glibc
            ctypes.CDLL(None).malloc_trim(0)
