"""The batch on a Dask cluster.

Every Dask worker runs its files in a process of its own, so that the limits hold there too and a
file that kills its process does not take a Dask worker with it. Processes of one machine compile in
turns, kernel by kernel (``kernels/compiling.py``).
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import Any

from mocap_reroot.batch.engine import Engine, sweep
from mocap_reroot.batch.outcome import Function, Outcome
from mocap_reroot.batch.workers import Keeper, Limits
from mocap_reroot.errors import MocapRerootError, legible, quoted
from mocap_reroot.resources.clips import Clip
from mocap_reroot.resources.search_path import nothing_from_here

_log = logging.getLogger(__name__)
_PATIENCE = 20.0
"""s within which a scheduler must answer."""
_LOOK = 5.0
"""s without news after which it is asked whether it is there."""
_FAREWELL = 5.0
"""s to say good-bye to it."""


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
        import distributed
    except ImportError:
        raise MocapRerootError(
            "--dask needs the package dask.distributed: pip install 'mocap_reroot[dask]'."
        ) from None
    limits = limits or Limits()

    def engine(function: Function, tasks: list[Any]) -> Iterator[Outcome]:
        if not _log.isEnabledFor(logging.INFO):  # what matters is said in a sentence of ours
            for name in ("distributed", "distributed.client", "tornado"):
                logging.getLogger(name).setLevel(logging.CRITICAL)
        with nothing_from_here():  # a cluster on this machine is started here
            client = _client(distributed.Client, address, jobs)
        arrived: SimpleQueue[Any] = SimpleQueue()
        futures = {
            client.submit(_on_worker, function, _everywhere(task), limits, pure=False): task
            for task in tasks
        }
        try:
            for future in futures:
                future.add_done_callback(arrived.put)
            for done in range(len(futures)):
                left = len(futures) - done
                future = _next(arrived, client, address, left)
                try:
                    outcome = _outcome(future, futures[future])
                except _NotTheTaskError as error:
                    raise _gone(address, left, "is gone") from error
                yield outcome
                future.release()
        finally:
            _leave(client, [future for future in futures if not future.done()])

    return engine


def _client(kind: Any, address: str, jobs: int | None) -> Any:
    hint = "Start one with 'dask scheduler', or say --dask local."
    try:
        if address == "local":
            return kind(
                n_workers=jobs, processes=True, threads_per_worker=1, dashboard_address=None
            )
        found = _who_answers(address)
        if found != "Scheduler":
            raise MocapRerootError(
                f"At {address!r} there is a Dask {quoted(found).lower()}, not a scheduler. {hint}"
            )
        return kind(address, timeout=_PATIENCE)
    except MocapRerootError:
        raise
    except TimeoutError:
        reason = f"no answer within {_PATIENCE:g} s"
    except MemoryError:  # the first bytes of another protocol, taken for the size of a message
        reason = "what answers there is no scheduler"
    except Exception as error:  # whatever another program answers
        reason = quoted(str(error) or type(error).__name__)
    raise MocapRerootError(f"No Dask scheduler answers at {address!r} ({reason}). {hint}")


def _who_answers(address: str) -> str:
    """Return what kind of Dask process answers at an address.

    A client of Dask itself waits for ever where somebody listens and says nothing.
    """
    from distributed.core import rpc

    async def ask() -> str:
        process = rpc(address, timeout=_PATIENCE)
        try:
            identity = await asyncio.wait_for(process.identity(), _PATIENCE)
            return str(identity["type"])
        finally:
            await process.close_rpc()

    # In a thread of its own: notebooks have a loop running in the first one.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, ask()).result()


def _next(arrived: SimpleQueue[Any], client: Any, address: str, left: int) -> Any:
    """Return the next task that has come to an end.

    Raises:
        MocapRerootError: The scheduler is gone; what it was given is left to do.
    """
    why = "is gone"
    while client.status == "running":
        try:
            future = arrived.get(timeout=_LOOK)
        except Empty:
            try:
                client.sync(client.scheduler.identity, callback_timeout=_PATIENCE)
            except Exception as error:  # closed, broken, or silent
                late = isinstance(error, TimeoutError)
                why = f"does not answer for {_PATIENCE:g} s" if late else why
                break
            continue
        if future.status in ("lost", "cancelled"):
            break
        return future
    raise _gone(address, left, why)


def _gone(address: str, left: int, why: str) -> MocapRerootError:
    return MocapRerootError(
        f"The Dask scheduler at {address!r} {why}; {left} clips are left to do. "
        "Start it again and run the same command: what is done is kept."
    )


class _NotTheTaskError(Exception):
    """The cluster could not say what became of a task."""


def _leave(client: Any, unfinished: list[Any]) -> None:
    """Take back what was not begun and close; a scheduler that is gone does not hold us up."""
    with suppress(Exception):
        if client.status == "running" and unfinished:
            client.sync(client._cancel, unfinished, force=True, callback_timeout=_FAREWELL)
    with suppress(Exception):
        client.close(timeout=_FAREWELL)


def _outcome(future: Any, task: Any) -> Outcome:
    """Return what became of a task on the cluster."""
    from distributed.scheduler import KilledWorker

    try:
        outcome: Outcome = future.result(timeout=_PATIENCE)
    except KilledWorker:
        reason = "The Dask workers that tried this file died, several times."
        return Outcome(task, None, "start", reason, "crash")
    except Exception as error:  # whatever a cluster can come up with
        if future.status != "error":
            raise _NotTheTaskError from error
        reason = legible(f"{type(error).__name__}: {error}")
        return Outcome(task, None, "start", reason, "crash")
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
