"""Fingerprints: whether a result on disk is what this input and configuration would give."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from mocap_reroot.config import Config
from mocap_reroot.errors import FileError
from mocap_reroot.version import __version__


def fingerprint(path: Path, config: Config) -> str:
    """Return a hash of the input's bytes, of every file the options name, and of the options.

    Raises:
        FileError: The input cannot be read.
    """
    digest = hashlib.sha256(f"mocap_reroot {__version__}\n".encode())
    digest.update(json.dumps(config.as_dict(), sort_keys=True).encode())
    named = (
        config.reading.segments,
        config.reading.markerset if Path(str(config.reading.markerset)).is_file() else None,
        config.reading.static,
        config.reading.plates,
        config.body.bodies,
        config.contact.contacts,
    )
    for file in (path, *(Path(n) for n in named if n)):
        try:
            with file.open("rb") as opened:
                digest.update(hashlib.file_digest(opened, "sha256").digest())
        except OSError as error:
            raise FileError(file, f"cannot be read: {error.strerror or error}.") from None
    return digest.hexdigest()


def summary_if_done(folder: Path, mark: str) -> dict[str, Any] | None:
    """Return the summary of a finished result with this fingerprint, or None."""
    try:
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return summary if isinstance(summary, dict) and summary.get("fingerprint") == mark else None
