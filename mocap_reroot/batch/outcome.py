"""Outcome of one task: its result, or why it failed."""

from __future__ import annotations

import errno
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mocap_reroot.errors import MocapRerootError, legible

Tell = Callable[[str], None]
Function = Callable[[Any, Tell], Any]
"""Works on a task and tells the name of every stage it begins."""


@dataclass(frozen=True)
class Outcome:
    """What became of one task.

    Attributes:
        task: The task.
        value: What the function returned, None if it failed.
        stage: Where it failed: ``"read"``, ``"smooth"`` … ``"tables"``; empty on success.
        reason: A sentence; empty on success.
        kind: How it failed: ``"input"`` (the file's fault), ``"crash"``, ``"time"``, ``"memory"``,
            ``"disk"`` (full, or not to be written to) or ``"bug"`` (ours); empty on success.
        seconds: How long it took.
    """

    task: Any
    value: Any = None
    stage: str = ""
    reason: str = ""
    kind: str = ""
    seconds: float = 0.0


def attempt(function: Function, task: Any, tell: Tell) -> tuple[str, Any]:
    """Return how a task failed with a sentence, or nothing with what it returned."""
    try:
        return "", function(task, tell)
    except MocapRerootError as error:
        return ("disk" if _is_full(error.__cause__) else "input"), str(error)
    except MemoryError:
        return "memory", "There was not enough memory for this file."
    except Exception as error:  # one failure never stops the rest
        if _is_full(error):
            return "disk", legible(f"{type(error).__name__}: {error}")
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(where.filename).name}:{where.lineno}"
        return "bug", legible(f"{type(error).__name__} at {place}: {error}")


def _is_full(error: BaseException | None) -> bool:
    """Return whether an error is the disk's, and would be the same for every other file."""
    full = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
    return isinstance(error, OSError) and error.errno in full
