"""Fresh memory for large arrays, in large pages.

The first touch of every page of 4 KiB interrupts the program, in a virtual machine for about a
microsecond: as long as it takes to compute what goes there. Linux gives pages of 2 MiB to those who
ask for them and start at their boundary; that is five times faster. Elsewhere, and for small
arrays, this is ``np.empty``.
"""

from __future__ import annotations

import mmap
from math import prod
from typing import Any

import numpy as np

_PAGE = 1 << 21
_ADVICE: int | None = getattr(mmap, "MADV_HUGEPAGE", None)


def fresh(shape: int | tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """Return an array whose content is not defined, like ``np.empty``."""
    kind = np.dtype(dtype)
    count = shape if isinstance(shape, int) else prod(shape)
    pages = (count * kind.itemsize + 3 * _PAGE // 4) // _PAGE  # the last if a quarter is used
    if _ADVICE is None or pages == 0:
        return np.empty(shape, kind)
    # Only what is touched takes room; the last page may reach beyond the array.
    size = max(count * kind.itemsize, pages * _PAGE) + _PAGE
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    start = -np.frombuffer(memory, np.uint8).ctypes.data % _PAGE
    try:
        memory.madvise(_ADVICE, start, pages * _PAGE)
    except OSError:  # a kernel without large pages
        return np.empty(shape, kind)
    return np.frombuffer(memory, kind, count, start).reshape(shape)
