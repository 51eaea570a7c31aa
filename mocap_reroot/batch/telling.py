"""How a batch tells of itself: a progress bar for people, JSON lines for logs, or nothing."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mocap_reroot.batch.engine import Tally
from mocap_reroot.batch.workers import Outcome

Tell = Callable[[Tally, Outcome], None]


@contextmanager
def progress_bar(total: int) -> Iterator[Tell]:
    """Show a bar with rate, remaining time and failures so far."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]:.1f} clips/s"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("[red]{task.fields[failed]} failed"),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("Analysing", total=total, rate=0.0, failed=0)

        def tell(tally: Tally, outcome: Outcome) -> None:
            failed = len(tally.failures)
            bar.update(task, completed=tally.done, rate=tally.rate, failed=failed)
            if outcome.stage:
                message = f"{outcome.task.clip.path}: {outcome.reason}"
                bar.console.print(f"failed ({outcome.stage}): {message}", markup=False)

        yield tell


@contextmanager
def json_lines() -> Iterator[Tell]:
    """Write one JSON object a clip to standard output, for logs and other programs."""

    def tell(tally: Tally, outcome: Outcome) -> None:
        line = {
            "time": time.time(),
            "file": str(outcome.task.clip.path),
            "clip": outcome.task.clip.place.as_posix(),
            "ok": not outcome.stage,
            "stage": outcome.stage,
            "reason": outcome.reason,
            "seconds": round(outcome.seconds, 4),
            "done": tally.done,
            "total": tally.total,
        }
        sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
        sys.stdout.flush()

    yield tell


@contextmanager
def silence() -> Iterator[None]:
    """Say nothing."""
    yield None
