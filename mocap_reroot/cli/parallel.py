"""Options of commands that work on many files at once (jobs, limits), and their progress."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from mocap_reroot.batch.workers import Limits

_OPTIONS = (
    click.option(
        "--jobs", type=click.IntRange(1), default=None, help="Processes (default: all cores)."
    ),
    click.option(
        "--time-limit",
        type=click.FloatRange(min=0, min_open=True),
        default=600.0,
        show_default=True,
        help="s per file.",
    ),
    click.option(
        "--memory-limit",
        type=click.FloatRange(min=0, min_open=True),
        default=None,
        help="MB per file (default: the machine's memory, shared among the processes).",
    ),
    click.option("--quiet", is_flag=True, help="No progress, only the last line."),
    click.option("--jsonl", is_flag=True, help="One JSON object a clip on standard output."),
)


@dataclass(frozen=True)
class Parallel:
    """How many files are worked on at once, as the options say.

    Attributes:
        jobs: Number of processes, or None for all cores.
        time_limit: s per file.
        memory_limit: MB per file, or None for the machine's, shared among the processes.
        quiet: Whether to tell only the last line.
        jsonl: Whether to write JSON lines instead of a progress bar.
    """

    jobs: int | None
    time_limit: float
    memory_limit: float | None
    quiet: bool
    jsonl: bool

    @property
    def limits(self) -> Limits:
        """What one file may cost."""
        from mocap_reroot.batch.workers import Limits

        return Limits(self.time_limit, self.memory_limit)

    def progress(self, total: int, doing: str) -> AbstractContextManager[Any]:
        """Return a context that gives a function to call after every clip, or None."""
        from mocap_reroot.batch import progress

        if self.jsonl:
            return progress.json_lines()
        return progress.silence() if self.quiet else progress.progress_bar(total, doing)


def parallel_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command these options, which reach it as one argument: ``parallel``."""

    @wraps(command)
    def gathered(**given: Any) -> int:
        chosen = Parallel(**{one.name: given.pop(one.name) for one in fields(Parallel)})
        return command(parallel=chosen, **given)

    for option in reversed(_OPTIONS):
        gathered = option(gathered)
    return gathered
