"""Temporary folders, which are cleared though the process that made them was stopped."""

from __future__ import annotations

import tempfile
from contextlib import AbstractContextManager
from pathlib import Path

from mocap_reroot.resources.drafts import clear_abandoned, draft_folder


def scratch_folder() -> AbstractContextManager[Path]:
    """Return a temporary folder of this process, to be used as a context."""
    return draft_folder(Path(tempfile.gettempdir()), "scratch")


def sweep_scratch() -> None:
    """Remove the temporary folders of processes that were stopped before they could."""
    clear_abandoned(Path(tempfile.gettempdir()))
