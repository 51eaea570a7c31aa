"""Waiting for what other processes do."""

from __future__ import annotations

import time
from collections.abc import Callable
from glob import glob
from pathlib import Path

PATIENCE = 240.0
"""s: a machine that has other things to do compiles for minutes."""


def results_in(folder: Path) -> list[str]:
    """Return the summaries of results that are whole, while a batch is at work.

    Unlike :meth:`Path.rglob` it passes over drafts, whose names begin with a dot, and over folders
    that vanish meanwhile.
    """
    return glob(f"{folder}/**/summary.json", recursive=True)  # noqa: PTH207


def wait_for_results(folder: Path, count: int = 1) -> None:
    """Return as soon as a batch at work has left so many whole results."""
    wait_until(lambda: len(results_in(folder)) >= count, f"{count} results")


def wait_for_child(pid: int) -> None:
    """Return as soon as a process has started another one."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    wait_until(lambda: bool(children.read_text().strip()), "a child process")


def wait_until(there: Callable[[], object], what: str) -> None:
    """Return as soon as something is so."""
    until = time.monotonic() + PATIENCE
    while not there():
        assert time.monotonic() < until, f"no {what} after {PATIENCE:g} s"
        time.sleep(0.02)
