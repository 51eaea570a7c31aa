"""A real scheduler and two real workers on loopback, one of them killed in the middle."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import psutil
import pytest

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
