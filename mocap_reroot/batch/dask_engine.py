"""The same work on a Dask cluster, for when one machine is not enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from mocap_reroot.batch.engine import Task, run_task
from mocap_reroot.batch.workers import Limits, Outcome
from mocap_reroot.errors import MocapRerootError


def on_dask(
    address: str, limits: Limits | None = None
) -> Callable[[list[Task]], Iterator[Outcome]]:
    """Return an engine that runs tasks on a Dask cluster.

    Args:
        address: ``"tcp://scheduler:8786"``, or ``"local"`` for a cluster on this machine.
        limits: Time one file may cost; memory is the cluster's own affair.

    Raises:
        MocapRerootError: Dask is not installed, or the scheduler cannot be reached.
    """
    try:
        from distributed import Client, as_completed
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise MocapRerootError(
            "--dask needs the package dask.distributed: pip install 'mocap_reroot[dask]'."
        ) from None
    seconds = (limits or Limits()).seconds

    def engine(tasks: list[Task]) -> Iterator[Outcome]:
        with _client(Client, address) as client:
            futures = {client.submit(_guarded, task, pure=False, retries=0): task for task in tasks}
            for future in as_completed(futures, timeout=None):
                task = futures[future]
                try:
                    stage, value, took = future.result(timeout=seconds)
                except KilledWorker:
                    reason = "The workers that tried this file died, several times."
                    yield Outcome(task, None, "crash", reason)
                    continue
                except Exception as error:  # whatever a cluster can come up with
                    yield Outcome(task, None, "crash", f"{type(error).__name__}: {error}")
                    continue
                if stage:
                    yield Outcome(task, None, stage, value, took)
                else:
                    yield Outcome(task, value, seconds=took)

    return engine


def _client(kind: Any, address: str) -> Any:
    try:
        if address == "local":
            return kind(processes=True, threads_per_worker=1, dashboard_address=None)
        return kind(address, timeout=20)
    except (OSError, ValueError, TimeoutError) as error:
        raise MocapRerootError(
            f"No Dask scheduler answers at {address!r} ({error}). "
            "Start one with 'dask scheduler', or say --dask local."
        ) from None


def _guarded(task: Task) -> tuple[str, Any, float]:
    """Run one task; an error is an answer, so that one file never fails the rest."""
    import time

    begun = time.monotonic()
    try:
        return "", run_task(task), time.monotonic() - begun
    except MocapRerootError as error:
        return "input", str(error), time.monotonic() - begun
    except Exception as error:
        return "bug", f"{type(error).__name__}: {error}", time.monotonic() - begun
