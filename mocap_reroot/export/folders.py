"""Result folders that appear under their final name only when they are complete."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mocap_reroot import schema
from mocap_reroot.errors import FileError
from mocap_reroot.resources.drafts import abandoned, draft_folder

_TABLE = "|".join(schema.TABLES)
_KNOWN = (
    rf"(summary\.json|config\.toml|report\.html|({_TABLE})\.(parquet|csv)|"
    r".*_(id\.sto|grf\.mot|ik\.mot)|.*\.(c3d|glb|osim|trc|xml|urdf|npz))"
)
"""Names of files in a clip's folder whose summary does not list them."""
PART = ".part"
"""Suffix of tables that wait in a clip's folder to be taken into the data set of a batch."""
_PHASE = r"phase-\d+-.*(\.(bvh|trc|c3d|glb|osim|xml|urdf|npz)|_ik\.mot)"
"""Names of the files that a clip cut into its phases becomes."""
Others = Callable[[Path], list[str]]
_NEW, _OLD = "new", "old"
"""Within a draft: what is being written, and what it is about to replace."""
_CHANCES = 10
"""Times that a folder is put in place while other processes do the same."""
_OCCUPIED = (errno.ENOTEMPTY, errno.EEXIST)
_FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def complete_folder(final: str | Path, others: Others | None = None) -> Iterator[Path]:
    """Give a fresh folder to write into; on success it takes the final name, else it is gone.

    A folder of results that is already there is replaced as a whole, so results of two runs never
    mix; one that holds anything else is left alone.

    Args:
        final: The folder.
        others: Returns what is in a folder that this program cannot have put there; by default
            what is no result of a clip.

    Raises:
        FileError: The folder cannot be made, written or put in place (read-only, full disk …), or
            holds other things.
    """
    final = Path(final)
    try:
        for place in (final, *final.parents):
            if place.is_file():
                todo = "Choose another place with -o."
                raise FileError(place, "is a file, not a folder.", todo=todo)
        _refuse_to_replace(final, others or other_than_results)
        final.parent.mkdir(parents=True, exist_ok=True)
        with draft_folder(final.parent, final.name) as draft:
            new = draft / _NEW
            new.mkdir()
            yield new
            _put_in_place(draft, final)
    except OSError as error:
        reason = error.strerror or str(error)
        todo = "Free some space or c" if error.errno in _FULL else "C"
        raise FileError(
            final,
            f"results cannot be written there: {reason}.",
            todo=f"{todo}hoose another folder with -o.",
        ) from error


def _refuse_to_replace(final: Path, others: Others) -> None:
    """Refuse a folder that holds anything but what this program writes there."""
    foreign = others(final) if final.is_dir() else []
    if foreign:
        raise FileError(
            final,
            f"would be replaced, but holds other things, such as {sorted(foreign)[0]!r}.",
            todo="Choose a new or an empty folder.",
        )


def other_than_results(folder: Path) -> list[str]:
    """Return what is in a folder that is no result of a clip.

    The summary lists what was written with it; without such a list only known names are ours.
    """
    listed = None
    with suppress(OSError, ValueError):
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        listed = summary.get("files") if isinstance(summary, dict) else None
    known = _KNOWN if listed is None else r"(summary\.json|report\.html)"
    known = rf"{known}|({_TABLE})\{PART}"
    return [
        p.name
        for p in folder.iterdir()
        if p.is_dir() or not (re.fullmatch(known, p.name) or p.name in (listed or ()))
    ]


def other_than_phases(folder: Path) -> list[str]:
    """Return what is in a folder that is no phase of a clip."""
    return [p.name for p in folder.iterdir() if p.is_dir() or not re.fullmatch(_PHASE, p.name)]


def safe_name(text: str) -> str:
    """Return text with only those characters that every disk takes in a file's name."""
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in text)


def sweep_after(final: Path) -> None:
    """Remove what stopped processes left of a folder or file that they were writing.

    What they had moved aside and not replaced yet comes back.
    """
    with abandoned(final.parent) as left:
        for draft, purpose in left:
            if purpose == final.name:
                _clear(draft, final)


def clear_drafts(parent: Path, patience: float) -> None:
    """Do so for everything that stopped processes were writing in a place.

    Args:
        parent: The place.
        patience: s, how old a draft of another machine is that counts as left behind.
    """
    with abandoned(parent, patience) as left:
        for draft, purpose in left:
            if purpose == Path(purpose).name:
                _clear(draft, parent / purpose)


def _clear(draft: Path, final: Path) -> None:
    for aside in sorted(draft.glob(f"{_OLD}-*"), reverse=True):  # the newest
        _come_back_or_go(aside, final)
    shutil.rmtree(draft, ignore_errors=True)


def _put_in_place(draft: Path, final: Path) -> None:
    """Rename what was written to its final name; what stood there moves into the draft first.

    Where another process puts a folder of its own there in between, that moves aside, too.
    """
    for chance in range(_CHANCES):
        aside = draft / f"{_OLD}-{chance}"
        try:
            with suppress(FileNotFoundError):
                final.rename(aside)
            (draft / _NEW).rename(final)
            return
        except BaseException as error:
            occupied = isinstance(error, OSError) and error.errno in _OCCUPIED
            if not occupied or chance == _CHANCES - 1:
                _come_back_or_go(aside, final)
                raise


def _come_back_or_go(aside: Path, final: Path) -> None:
    """Give what was moved aside its name again, unless something has taken the name."""
    if not os.path.lexists(final):
        with suppress(OSError):
            aside.rename(final)


@contextmanager
def complete_file(final: str | Path) -> Iterator[Path]:
    """Give a temporary path to write to; on success it takes the final name."""
    final = Path(final)
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        with draft_folder(final.parent, final.name) as draft:
            new = draft / _NEW
            yield new
            new.chmod(0o644)
            new.replace(final)
    except OSError as error:
        raise FileError(final, f"cannot be written: {error.strerror or error}.") from error
