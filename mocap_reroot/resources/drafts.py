"""Hidden temporary folders, recognised as this package's own and cleared when abandoned.

Such a folder has a random name and holds a note that we wrote: the folder's own name, the machine,
and whom it is for. The process that made it holds a lock on the note; the system takes the lock
away when that process ends, however it ends. What has no such note, or one that is held, is never
touched, whatever it is called.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]
    import msvcrt

PREFIX = ".mocap_reroot-"
"""How the names of our folders begin."""
_NOTE = "made-by-mocap_reroot.json"
_LONGEST = 4096
"""Bytes that a note may have."""


@contextmanager
def draft_folder(parent: Path, purpose: str) -> Iterator[Path]:
    """Give a fresh hidden folder, which goes in the end.

    Args:
        parent: Where to make it.
        purpose: Whom it is for, e.g. the name of the folder that is being written.
    """
    folder = parent / f"{PREFIX}{secrets.token_hex(8)}"
    folder.mkdir(mode=0o700)
    note = None
    try:
        # The note appears under its name when it is whole and locked.
        unnamed = folder / f"{_NOTE}.new"
        note = unnamed.open("x", encoding="utf-8")
        _lock(note)
        json.dump({"folder": folder.name, "purpose": purpose, "host": socket.gethostname()}, note)
        note.flush()
        unnamed.rename(folder / _NOTE)
        yield folder
    finally:
        if note is not None:
            note.close()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def abandoned(parent: Path, patience: float = 0.0) -> Iterator[list[tuple[Path, str]]]:
    """Give our folders in a place whose processes have ended, with their purposes.

    They are locked until the block ends. Folders that another machine made count once they are
    older than ``patience`` s: not every network disk tells one machine of the locks of another.
    """
    notes, found = [], []
    try:
        for folder in _ours(parent):
            note = _opened(folder / _NOTE)
            if note is None:
                continue
            notes.append(note)
            said = _said(note, folder, patience)
            if said is not None and _lock(note):
                found.append((folder, said))
        yield found
    finally:
        for note in notes:
            note.close()


def clear_abandoned(parent: Path, patience: float = 0.0) -> None:
    """Remove our folders in a place whose processes have ended."""
    with abandoned(parent, patience) as left:
        for folder, _ in left:
            shutil.rmtree(folder, ignore_errors=True)


def scratch_folder() -> AbstractContextManager[Path]:
    """Return a temporary folder of this process, to be used as a context."""
    return draft_folder(Path(tempfile.gettempdir()), "scratch")


def sweep_scratch() -> None:
    """Remove the temporary folders of processes that were stopped before they could."""
    clear_abandoned(Path(tempfile.gettempdir()))


def _ours(parent: Path) -> list[Path]:
    """Return the folders in a place that bear a name of ours and belong to this user."""
    found = []
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            with suppress(OSError):
                if not entry.name.startswith(PREFIX) or not entry.is_dir(follow_symlinks=False):
                    continue
                status = entry.stat(follow_symlinks=False)
                if not hasattr(os, "getuid") or status.st_uid == os.getuid():
                    found.append(Path(entry.path))
    return found


def _opened(path: Path) -> Any:
    """Return a note, open; None if there is none, or it is anything but a small file."""
    flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        note = os.fdopen(os.open(path, flags), "r+", encoding="utf-8")
    except OSError:
        return None
    status = os.fstat(note.fileno())
    if not stat.S_ISREG(status.st_mode) or status.st_size > _LONGEST:
        note.close()
        return None
    return note


def _said(note: Any, folder: Path, patience: float) -> str | None:
    """Return the purpose that a note tells of, or None if it is not the note of this folder."""
    try:
        said = json.load(note)
        if said["folder"] != folder.name:
            return None
        old = time.time() - os.fstat(note.fileno()).st_mtime > patience
        return str(said["purpose"]) if old or said["host"] == socket.gethostname() else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _lock(note: Any) -> bool:
    """Hold a note until it is closed or this process ends; return whether that was possible."""
    try:
        if fcntl is not None:
            fcntl.flock(note, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            note.seek(0)
            msvcrt.locking(note.fileno(), msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True
