"""A real scheduler and two real workers on loopback, one of them killed in the middle."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import pandas as pd
import psutil
import pytest

from mocap_reroot.batch import dask_engine
from mocap_reroot.batch.engine import run_task
from mocap_reroot.errors import MocapRerootError
from tests.waiting import wait_for_results

pytest.importorskip("distributed")

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
TABLES = ("torques", "grf", "contacts")


def tables(out):
    return {
        str(path.relative_to(out)): path.read_bytes()
        for name in TABLES
        for path in sorted(out.rglob(f"{name}.parquet"))
        if not any(part.startswith(".") for part in path.parts)  # drafts of killed processes
    }


def command(*words):
    return [sys.executable, "-m", "mocap_reroot.cli", "batch", *map(str, words), "--mass", "70"]


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    """Twelve sound clips and one that cannot be read."""
    folder = tmp_path_factory.mktemp("clips")
    for k in range(6):
        for name in ("walk", "run"):
            shutil.copy(SAMPLES / f"{name}.bvh", folder / f"{name}{k}.bvh")
    (folder / "rubbish.bvh").write_text("rubbish")
    return folder


@pytest.fixture(scope="module")
def reference(clips, tmp_path_factory):
    out = tmp_path_factory.mktemp("reference")
    subprocess.run(command(clips, "-o", out, "--jobs", 2, "--quiet"), timeout=300, check=False)
    assert len(tables(out)) == 36
    return out


@pytest.fixture
def cluster(tmp_path):
    """A scheduler with two workers, started as a user would; gives its address and the workers."""
    file = tmp_path / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", *words, "--scheduler-file", file],
        **quiet,
    )
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", file]
            + ["--nthreads", "1", "--no-dashboard", "--local-directory", tmp_path / f"w{k}"]
            + (["--no-nanny"] if k == 0 else []),
            **quiet,
        )
        for k in range(2)
    ]
    try:
        from distributed import Client

        with Client(scheduler_file=str(file), timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            address = client.scheduler.address
        yield address, workers
    finally:
        for process in (*workers, scheduler):
            if process.poll() is None:
                for child in psutil.Process(process.pid).children(recursive=True):
                    child.kill()
                process.kill()
                process.wait()


def test_a_worker_dies_and_every_clip_is_done_with_the_same_bytes(
    clips, reference, cluster, tmp_path
):
    address, workers = cluster
    out = tmp_path / "out"
    process = subprocess.Popen(
        command(clips, "-o", out, "--dask", address, "--quiet"), stdout=subprocess.PIPE, text=True
    )
    wait_for_results(out, 2)
    os.kill(workers[0].pid, signal.SIGKILL)
    said, _ = process.communicate(timeout=200)
    assert process.returncode == 1
    assert "12 of 13 clips done" in said
    assert "1 failed" in said
    assert workers[0].wait() == -signal.SIGKILL
    assert tables(out) == tables(reference)
    failures = pd.read_csv(out / "failures.csv")
    assert [Path(f).name for f in failures.file] == ["rubbish.bvh"]
    assert failures[["stage", "kind"]].values.tolist() == [["read", "input"]]
    assert len(pd.read_parquet(out / "index.parquet")) == 12


def test_a_cluster_on_this_machine(clips, reference, tmp_path):
    one = clips / "walk0.bvh"
    done = subprocess.run(
        command(one, "-o", tmp_path, "--dask", "local", "--jobs", 1, "--quiet"),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    whole = tables(reference)
    expected = {name: data for name, data in whole.items() if name.startswith("walk0/")}
    assert tables(tmp_path) == expected


def test_no_scheduler_is_one_sentence(clips, tmp_path):
    from mocap_reroot.batch.dask_engine import on_dask
    from mocap_reroot.errors import MocapRerootError

    with pytest.raises(MocapRerootError, match="dask scheduler"):
        list(on_dask("udp://nowhere")(None, []))


@contextmanager
def answering(answer):
    """Listen on loopback and answer every connection in this way; gives the address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        kept = []

        def serve():
            with suppress(OSError):
                while True:
                    kept.append(listener.accept()[0])
                    answer(kept[-1])

        threading.Thread(target=serve, daemon=True).start()
        yield f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
        for connection in kept:
            connection.close()


def as_http(connection):
    connection.recv(1)
    connection.sendall(b"HTTP/1.0 400 Bad request\r\n\r\n")


ANSWERS = {
    "nothing": lambda connection: None,
    "an HTTP server": as_http,
    "a secure shell": lambda connection: connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\n"),
    "rubbish": lambda connection: connection.sendall(bytes([5, *bytes(7)]) + b"rubbish"),
    "a closed door": lambda connection: connection.close(),
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_whatever_answers_that_is_no_scheduler(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(dask_engine, "_PATIENCE", 2.0)
    with answering(ANSWERS[kind]) as address:
        engine = dask_engine.on_dask(address)
        with pytest.raises(MocapRerootError, match="No Dask scheduler answers at 'tcp://127"):
            list(engine(run_task, []))


def test_a_worker_is_no_scheduler(cluster, monkeypatch):
    from distributed import Client

    with Client(cluster[0], timeout=60) as client:
        worker = next(iter(client.scheduler_info()["workers"]))
    with pytest.raises(MocapRerootError, match="there is a Dask worker, not a scheduler"):
        list(dask_engine.on_dask(worker)(run_task, []))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "suspended"])
def test_a_scheduler_that_goes_leaves_the_rest_to_do(clips, reference, cluster, tmp_path, how):
    address, _ = cluster
    many = tmp_path / "in"
    for k in range(8):
        shutil.copytree(clips, many / f"day{k}")
    out = tmp_path / "out"
    process = subprocess.Popen(
        command(many, "-o", out, "--dask", address, "--quiet"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_for_results(out, 2)
    scheduler = next(
        p for p in psutil.process_iter(["cmdline"])
        if "distributed.cli.dask_scheduler" in (p.info["cmdline"] or ())
        and str(tmp_path / "scheduler.json") in p.info["cmdline"]
    )  # fmt: skip
    os.kill(scheduler.pid, how)
    said, complained = process.communicate(timeout=200)
    os.kill(scheduler.pid, signal.SIGKILL)
    assert process.returncode == 1, said
    (line,) = complained.strip().splitlines()
    assert line.startswith(f"Error: The Dask scheduler at '{address}'")
    assert "clips are left to do" in line
    failures = pd.read_csv(out / "failures.csv")
    assert set(failures.kind) <= {"input"}
    assert len(pd.read_parquet(out / "index.parquet")) < 96
