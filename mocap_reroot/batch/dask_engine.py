"""The same work on a Dask cluster, for when one machine is not enough.

Every Dask worker runs its files in a process of its own, so that the limits hold there too and a
file that kills its process does not take a Dask worker with it. Processes of one machine compile in
turns, kernel by kernel (``kernels/turns.py``).
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from mocap_reroot.batch.engine import Engine, sweep
from mocap_reroot.batch.outcome import Function, Outcome
from mocap_reroot.batch.workers import Keeper, Limits
from mocap_reroot.errors import MocapRerootError
from mocap_reroot.resources.clips import Clip


def on_dask(address: str, jobs: int | None = None, limits: Limits | None = None) -> Engine:
    """Return an engine that runs tasks on a Dask cluster.

    Args:
        address: ``"tcp://scheduler:8786"``, or ``"local"`` for a cluster on this machine.
        jobs: Workers of a local cluster; all cores by default.
        limits: What one file may cost.

    Raises:
        MocapRerootError: Dask is not installed, or (when used) the scheduler cannot be reached.
    """
    try:
        from distributed import Client, as_completed
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise MocapRerootError(
            "--dask needs the package dask.distributed: pip install 'mocap_reroot[dask]'."
        ) from None
    limits = limits or Limits()

    def engine(function: Function, tasks: list[Any]) -> Iterator[Outcome]:
        with _client(Client, address, jobs) as client:
            futures = {
                client.submit(_on_worker, function, _everywhere(task), limits, pure=False): task
                for task in tasks
            }
            try:
                for future in as_completed(futures):
                    yield _outcome(future, futures[future], KilledWorker)
                    future.release()
            finally:
                client.cancel([f for f in futures if not f.done()], force=True)

    return engine


def _client(kind: Any, address: str, jobs: int | None) -> Any:
    try:
        if address == "local":
            return kind(
                n_workers=jobs, processes=True, threads_per_worker=1, dashboard_address=None
            )
        return kind(address, timeout=20)
    except (OSError, ValueError, TimeoutError) as error:
        raise MocapRerootError(
            f"No Dask scheduler answers at {address!r} ({error}). "
            "Start one with 'dask scheduler', or say --dask local."
        ) from None


def _outcome(future: Any, task: Any, killed: type[Exception]) -> Outcome:
    """Return what became of a task on the cluster."""
    try:
        outcome: Outcome = future.result()
    except killed:
        reason = "The Dask workers that tried this file died, several times."
        return Outcome(task, None, "start", reason, "crash")
    except Exception as error:  # whatever a cluster can come up with
        return Outcome(task, None, "start", f"{type(error).__name__}: {error}", "crash")
    return replace(outcome, task=task)


def _everywhere(task: Any) -> Any:
    """Return a task whose paths mean the same on every machine that shares the disk."""
    clip = Clip(task.clip.path.absolute(), task.clip.place)
    return replace(task, clip=clip, out=task.out.absolute())


_own = threading.local()
"""The keeper of every thread of a Dask worker."""


def _on_worker(function: Function, task: Any, limits: Limits) -> Outcome:
    """Run one task beside a Dask worker; a failure is an answer, never an exception."""
    # Dask marks its workers as processes that may have no children; ours ends with its parent.
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    if getattr(_own, "keeper", None) is None:
        _own.keeper = Keeper(function, limits.for_jobs(os.cpu_count() or 1), sweep)
    keeper: Keeper = _own.keeper
    keeper.function, keeper.limits = function, limits.for_jobs(os.cpu_count() or 1)
    return keeper.run(task)
