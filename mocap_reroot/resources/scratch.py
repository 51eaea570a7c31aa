"""Temporary folders that can be found again: their names tell whose they are."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path


def scratch_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a temporary folder of this process, to be used as a context."""
    return tempfile.TemporaryDirectory(prefix=_prefix(os.getpid()))


def sweep_scratch(process: int) -> None:
    """Remove the temporary folders of a process that was stopped before it could."""
    for place in Path(tempfile.gettempdir()).glob(f"{_prefix(process)}*"):
        shutil.rmtree(place, ignore_errors=True)


def _prefix(process: int) -> str:
    return f"mocap-reroot-{process}-"
