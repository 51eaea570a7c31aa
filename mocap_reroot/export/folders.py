"""Result folders that appear under their final name only when they are complete."""

from __future__ import annotations

import errno
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mocap_reroot.errors import FileError

RESULTS = (
    r"(summary\.json|config\.toml|report\.html|[a-z_]+\.(parquet|csv)|"
    r".*_(id\.sto|grf\.mot)|.*\.(c3d|glb))"
)
"""Names of the files in a clip's folder."""
PHASES = r"phase-\d+-.*\.(bvh|trc|c3d|glb)"
"""Names of the files that a clip cut into its phases becomes."""
TABLES = r"[a-z_]+"
"""Names of the folders of a data set."""
_ASIDE = ".old"
"""How the name of a folder ends that is about to be replaced."""
_CHANCES = 10
"""Times that a folder is put in place while other processes do the same."""
_OCCUPIED = (errno.ENOTEMPTY, errno.EEXIST)


@contextmanager
def complete_folder(final: str | Path, ours: str = RESULTS) -> Iterator[Path]:
    """Give a fresh folder to write into; on success it takes the final name, else it is gone.

    A folder of results that is already there is replaced as a whole, so results of two runs never
    mix; one that holds anything else is left alone.

    Args:
        final: The folder.
        ours: Pattern of the names that may be in a folder that is replaced.

    Raises:
        FileError: The folder cannot be made, written or put in place (read-only, full disk …), or
            holds other things.
    """
    final = Path(final)
    for place in (final, *final.parents):
        if place.is_file():
            raise FileError(place, "is a file, not a folder.", todo="Choose another place with -o.")
    _refuse_to_replace(final, ours)
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


def _refuse_to_replace(final: Path, ours: str) -> None:
    """Refuse a folder that holds anything but what this program writes there."""
    try:
        foreign = [p.name for p in final.iterdir() if not re.fullmatch(ours, p.name)]
    except OSError:  # there is none yet; or it is no folder, which is said when it is replaced
        return
    if foreign:
        raise FileError(
            final,
            f"would be replaced, but holds other things, such as {sorted(foreign)[0]!r}.",
            todo="Choose a new or an empty folder.",
        )


def safe_name(text: str) -> str:
    """Return text with only those characters that every disk takes in a file's name."""
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in text)


def draft_prefix(final: Path, process: int) -> str:
    """Return how the names of drafts of a folder or file begin that a process writes."""
    return f".{final.name[:80]}.{process}."


def sweep_after(final: Path, process: int) -> None:
    """Remove the drafts of a folder or file that a process left when it was stopped.

    What it had moved aside and not replaced yet comes back.
    """
    prefix = draft_prefix(final, process)
    try:
        left = [place for place in final.parent.iterdir() if place.name.startswith(prefix)]
    except OSError:  # not even begun
        return
    for place in left:
        if place.is_file():
            place.unlink(missing_ok=True)
            continue
        if place.suffix == _ASIDE:
            _come_back_or_go(place, final)
        else:
            shutil.rmtree(place, ignore_errors=True)


def _put_in_place(draft: Path, final: Path) -> None:
    """Rename the draft to its final name; what stood there moves aside first, then goes.

    Where another process puts a folder of its own there in between, that moves aside, too.
    """
    for chance in range(_CHANCES):
        aside = draft.with_name(f"{draft.name}.{chance}{_ASIDE}")
        placed = False
        try:
            with suppress(FileNotFoundError):
                final.rename(aside)
            draft.rename(final)
            placed = True
        except BaseException as error:
            occupied = isinstance(error, OSError) and error.errno in _OCCUPIED
            if not occupied or chance == _CHANCES - 1:
                _come_back_or_go(aside, final)
                raise
        shutil.rmtree(aside, ignore_errors=True)
        if placed:
            return


def _come_back_or_go(aside: Path, final: Path) -> None:
    """Give what was moved aside its name again; remove it if something has taken the name."""
    if final.exists():
        shutil.rmtree(aside, ignore_errors=True)
    else:
        with suppress(OSError):
            aside.rename(final)


@contextmanager
def complete_file(final: str | Path) -> Iterator[Path]:
    """Give a temporary path to write to; on success it takes the final name."""
    final = Path(final)
    handle = None
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=draft_prefix(final, os.getpid()), dir=final.parent)
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
