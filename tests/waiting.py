"""Looking at a folder that other processes write into."""

from __future__ import annotations

import time
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
    until = time.monotonic() + PATIENCE
    while len(results_in(folder)) < count:
        assert time.monotonic() < until, f"fewer than {count} results after {PATIENCE:g} s"
        time.sleep(0.02)
