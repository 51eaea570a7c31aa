"""Fingerprints: whether a result on disk is what this input and configuration would give."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from mocap_reroot.batch.dataset import moved_table
from mocap_reroot.config import Config, all_options
from mocap_reroot.errors import FileError
from mocap_reroot.reading import companions
from mocap_reroot.results import digest as content_hash
from mocap_reroot.results import settings
from mocap_reroot.version import __version__


def fingerprint(path: Path, config: Config, subject: str = "") -> str:
    """Return a hash of the input's bytes, of every file the options name, and of the options.

    Args:
        path: The input.
        config: The options.
        subject: Whose clip it is, which the parts of a data set say.

    Raises:
        FileError: The input cannot be read.
    """
    digest = hashlib.sha256(f"mocap_reroot {__version__}\n".encode())
    digest.update(json.dumps([settings(config), subject], sort_keys=True).encode())
    options = {name: value for part in settings(config).values() for name, value in part.items()}
    named = [options[name] for name, one in all_options().items() if one.file]
    named += [options["markerset"]] if Path(options["markerset"]).is_file() else []
    for file in (path, *companions(path, config.reading), *(Path(n) for n in named if n)):
        try:
            file.open("rb").close()  # a name that cannot be read is said here, with its reason
            digest.update(content_hash(file).encode())
        except OSError as error:
            raise FileError(file, f"cannot be read: {error.strerror or error}.") from None
    return digest.hexdigest()


def summary_if_done(out: Path, place: Path, mark: str) -> dict[str, Any] | None:
    """Return the summary of a whole result with this fingerprint, or None.

    Args:
        out: Output folder of the batch.
        place: The clip's folder below it.
        mark: What :func:`fingerprint` gives for the clip now.
    """
    folder = out / place
    try:
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(summary, dict) or summary.get("fingerprint") != mark:
        return None
    for name, size in (summary.get("files") or {}).items():
        if not (_has(folder / name, size) or moved_table(out, place, name).is_file()):
            return None  # somebody took a part of it away, or the machine died while writing
    return summary


def is_summary(path: Path) -> bool:
    """Return whether a file is a summary that a batch has written."""
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(summary, dict) and "fingerprint" in summary


def _has(file: Path, size: int) -> bool:
    try:
        return file.stat().st_size == size
    except OSError:
        return False
