"""Progress of a batch: a bar, JSON lines for logs, or nothing."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from mocap_reroot.batch.engine import Tally, TellOutcome
from mocap_reroot.batch.outcome import Outcome
from mocap_reroot.errors import path_text


@contextmanager
def progress_bar(total: int, doing: str = "Analysing") -> Iterator[TellOutcome]:
    """Show a bar with rate, remaining time and failures so far; plain lines outside a terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]:.1f} clips/s"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failed]} failed"),
    )
    console = Console(stderr=True, emoji=False)
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(doing, total=total, rate=0.0, failed=0)

        def tell(tally: Tally, outcome: Outcome) -> None:
            failed = len(tally.failures)
            bar.update(task, completed=tally.done, rate=tally.rate, failed=failed)
            if outcome.kind:
                bar.console.print(Text(said(outcome)), soft_wrap=True)  # no markup, no pictures

        yield tell


@contextmanager
def json_lines() -> Iterator[TellOutcome]:
    """Write one JSON object a clip to standard output, for logs and other programs."""

    def tell(tally: Tally, outcome: Outcome) -> None:
        line = {
            "time": time.time(),
            "file": path_text(outcome.task.clip.path),
            "clip": outcome.task.clip.place.as_posix(),
            "ok": not outcome.kind,
            "stage": outcome.stage,
            "kind": outcome.kind,
            "reason": outcome.reason,
            "seconds": round(outcome.seconds, 4),
            "done": tally.done,
            "failed": len(tally.failures),
            "total": tally.total,
        }
        sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
        sys.stdout.flush()

    yield tell


@contextmanager
def silence() -> Iterator[None]:
    """Say nothing."""
    yield None


def said(outcome: Outcome) -> str:
    """Return a failure as one line that names the file once."""
    file = path_text(outcome.task.clip.path)
    place = "" if file in outcome.reason else f"{file}: "
    return f"failed ({outcome.kind}, {outcome.stage}): {place}{outcome.reason}"
