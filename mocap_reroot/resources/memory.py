"""Memory that a clip needs, checked before the machine runs out of it."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from pathlib import Path

from mocap_reroot.errors import FileError

ANALYSING = 200
"""Bytes per frame and body that an analysis takes at its peak: see docs/reliability.md."""

READING = 6
"""Bytes that reading takes at its peak per byte of the file."""

_LARGE = 1 << 28  # bytes; less is not worth a question to the system
_OURS = 0.9  # of what is free; the system wants some too
_CGROUP = Path("/sys/fs/cgroup")


def memory_needed(n_frames: int, n_bodies: int) -> int:
    """Return the bytes that an analysis of a clip takes at its peak, besides the program's own."""
    return ANALYSING * n_frames * n_bodies


def memory_free() -> int:
    """Return the bytes this process may still take: of the machine, or of its container."""
    import psutil  # loaded when needed: --help does without

    free = int(psutil.virtual_memory().available)
    with suppress(OSError, ValueError):  # no container, no limit
        limit = int((_CGROUP / "memory.max").read_text())
        used = int((_CGROUP / "memory.current").read_text())
        free = min(free, max(limit - used, 0))
    return free


def require_memory(path: str | Path | None, needed: int, what: str) -> None:
    """Go on if there is memory for it.

    Args:
        path: The file.
        needed: Bytes.
        what: What needs them, e.g. ``"2592000 frames of 31 bodies"``.

    Raises:
        FileError: There is not enough; says how much it would take and what to do.
    """
    if needed < _LARGE:
        return
    free = memory_free()
    if needed > _OURS * free:
        raise FileError(
            path or "motion",
            f"{what} need about {_gigabytes(needed)} of memory; {_gigabytes(free)} are free.",
            todo="Cut the recording into shorter files, or use a machine with more memory.",
        )


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:.1f} GB"


def give_back(used: int) -> None:
    """Return what was freed to the system, if so many bytes in use are worth it.

    The allocator keeps it for later, beside what is then taken in large pieces.
    """
    if used >= _LARGE and sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library than glibc
            ctypes.CDLL(None).malloc_trim(0)
