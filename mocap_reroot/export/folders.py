"""Result folders that appear under their final name only when they are complete."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mocap_reroot.errors import FileError


@contextmanager
def complete_folder(final: str | Path) -> Iterator[Path]:
    """Give a fresh folder to write into; on success it takes the final name, else it is gone.

    A folder that is already there is replaced as a whole, so results of two runs never mix.

    Raises:
        FileError: The folder cannot be made, written or put in place (read-only, full disk …).
    """
    final = Path(final)
    draft: Path | None = None
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=draft_prefix(final, os.getpid()), dir=final.parent))
        draft.chmod(0o755)
        yield draft
        _put_in_place(draft, final)
    except OSError as error:
        reason = error.strerror or str(error)
        todo = "Free some space or choose another folder with -o."
        raise FileError(final, f"results cannot be written there: {reason}.", todo=todo) from error
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)


def draft_prefix(final: Path, process: int) -> str:
    """Return how the names of drafts of a folder begin that a process writes."""
    return f".{final.name[:80]}.{process}."


def _put_in_place(draft: Path, final: Path) -> None:
    """Rename the draft to its final name; what stood there moves aside first, then goes."""
    aside = draft.with_name(f"{draft.name}.old")
    try:
        final.rename(aside)
    except FileNotFoundError:
        aside = None  # type: ignore[assignment]
    try:
        draft.rename(final)
    except OSError:
        if aside is not None and not final.exists():
            aside.rename(final)
        raise
    if aside is not None:
        shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def complete_file(final: str | Path) -> Iterator[Path]:
    """Give a temporary path to write to; on success it takes the final name."""
    final = Path(final)
    handle = None
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{final.name[:80]}.", dir=final.parent)
        os.close(handle)
        draft = Path(name)
    except OSError as error:
        raise FileError(final, f"cannot be written: {error.strerror or error}.") from error
    try:
        yield draft
        draft.chmod(0o644)
        draft.replace(final)
    except OSError as error:
        raise FileError(final, f"cannot be written: {error.strerror or error}.") from error
    finally:
        draft.unlink(missing_ok=True)
