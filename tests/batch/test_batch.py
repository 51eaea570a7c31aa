"""Batches: every clip accounted for, resumable, the same tables whatever the way."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
TABLES = ("torques", "grf", "contacts")


def batch(*words, **keywords):
    return [sys.executable, "-m", "mocap_reroot.cli", "batch", *map(str, words)], keywords


def run(*words, code=0):
    arguments, _ = batch(*words)
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    """Six sound clips in a tree of folders."""
    folder = tmp_path_factory.mktemp("clips")
    for k in range(3):
        for name in ("walk", "run"):
            place = folder / f"day{k}"
            place.mkdir(exist_ok=True)
            shutil.copy(SAMPLES / f"{name}.bvh", place / f"{name}.bvh")
    return folder


@pytest.fixture(scope="module")
def reference(clips, tmp_path_factory):
    out = tmp_path_factory.mktemp("reference")
    run(clips, "-o", out, "--mass", 70, "--jobs", 1, "--quiet")
    return out


def tables(out):
    """Return the bytes of every table below a folder."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for name in TABLES
        for path in sorted(out.rglob(f"{name}.parquet"))
        if "dataset" not in path.parts
    }


def test_index_has_a_row_a_clip(reference):
    index = pd.read_parquet(reference / "index.parquet")
    assert set(index["clip"]) == {f"day{k}/{n}" for k in range(3) for n in ("walk", "run")}
    assert {"frames", "seconds", "convention", "unit", "phases", "mass", "grade"} <= set(index)
    assert (index.frames > 0).all()
    assert index.grade.isin(list("ABCD")).all()
    assert len(pd.read_csv(reference / "failures.csv")) == 0
    assert len(tables(reference)) == 18


def test_two_processes_give_the_same_bytes(clips, reference, tmp_path):
    run(clips, "-o", tmp_path, "--mass", 70, "--jobs", 2, "--quiet")
    assert tables(tmp_path) == tables(reference)


def test_failures_are_named_and_the_rest_is_done(clips, tmp_path):
    mixed = tmp_path / "in"
    shutil.copytree(clips / "day0", mixed)
    (mixed / "rubbish.bvh").write_bytes(os.urandom(2000))
    (mixed / "empty.c3d").write_bytes(b"")
    done = run(mixed, "-o", tmp_path / "out", "--mass", 70, "--quiet", code=1)
    failures = pd.read_csv(tmp_path / "out/failures.csv")
    assert {Path(f).name for f in failures.file} == {"rubbish.bvh", "empty.c3d"}
    assert (failures.stage == "input").all()
    assert len(pd.read_parquet(tmp_path / "out/index.parquet")) == 2
    assert "2 failed" in done.stdout


def test_killed_in_the_middle_and_resumed(clips, reference, tmp_path):
    arguments, _ = batch(clips, "-o", tmp_path, "--mass", 70, "--jobs", 1, "--quiet")
    process = subprocess.Popen(arguments, start_new_session=True)
    for _ in range(600):
        if len(list(tmp_path.rglob("summary.json"))) >= 2:
            break
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("summary.json")}
    done = run(clips, "-o", tmp_path, "--mass", 70, "--quiet")
    assert f"({len(before)} were there already)" in done.stdout
    assert all(p.stat().st_mtime_ns == t for p, t in before.items())
    assert tables(tmp_path) == tables(reference)


def test_what_changed_is_done_again(clips, tmp_path):
    own = tmp_path / "in"
    shutil.copytree(clips / "day0", own)
    run(own, "-o", tmp_path / "out", "--mass", 70, "--quiet")
    assert (
        "(2 were there already)" in run(own, "-o", tmp_path / "out", "--mass", 70, "--quiet").stdout
    )
    text = (own / "walk.bvh").read_text().splitlines()
    frames = text.index("Frames: 360")
    (own / "walk.bvh").write_text("\n".join([*text[:-10]]).replace("Frames: 360", "Frames: 350"))
    assert frames > 0
    assert (
        "(1 were there already)" in run(own, "-o", tmp_path / "out", "--mass", 70, "--quiet").stdout
    )
    assert len(pd.read_parquet(tmp_path / "out/walk/torques.parquet")) == 350
    assert (
        "(0 were there already)" in run(own, "-o", tmp_path / "out", "--mass", 60, "--quiet").stdout
    )
    fresh = run(own, "-o", tmp_path / "out", "--mass", 60, "--quiet", "--fresh")
    assert "(0 were there already)" in fresh.stdout


def test_two_runs_into_one_folder(clips, reference, tmp_path):
    arguments, _ = batch(clips, "-o", tmp_path, "--mass", 70, "--jobs", 1, "--quiet")
    both = [subprocess.Popen(arguments) for _ in range(2)]
    assert [p.wait(timeout=300) for p in both] == [0, 0]
    assert tables(tmp_path) == tables(reference)
    assert len(pd.read_parquet(tmp_path / "index.parquet")) == 6
    assert not list(tmp_path.rglob(".*"))  # no drafts left behind


def test_dataset_opens_as_one_table(clips, reference, tmp_path):
    duckdb, polars = pytest.importorskip("duckdb"), pytest.importorskip("polars")
    run(clips, "-o", tmp_path, "--mass", 70, "--quiet", "--dataset", "only")
    run(
        clips, "-o", tmp_path, "--mass", 70, "--quiet", "--dataset", "only"
    )  # resumed: nothing lost
    whole = pd.read_parquet(tmp_path / "dataset/torques")
    assert set(whole["clip"]) == {f"day{k}/{n}" for k in range(3) for n in ("walk", "run")}
    walk = whole[whole["clip"] == "day1/walk"].drop(columns="clip").reset_index(drop=True)
    pd.testing.assert_frame_equal(walk, pd.read_parquet(reference / "day1/walk/torques.parquet"))
    pattern = str(tmp_path / "dataset/torques/*.parquet")
    assert polars.scan_parquet(pattern).select("clip").collect().height == len(whole)
    count = duckdb.sql(f"select count(*) from '{pattern}'").fetchall()
    assert count == [(len(whole),)]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_read_only_output_is_one_sentence(clips, tmp_path):
    tmp_path.chmod(0o500)
    done = run(clips, "-o", tmp_path / "out", "--quiet", code=1)
    assert "cannot be written" in done.stderr


def test_json_lines(clips, tmp_path):
    import json

    done = run(clips / "day0", "-o", tmp_path, "--mass", 70, "--jsonl")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["ok"] for line in lines] == [True, True]
    assert {line["clip"] for line in lines} == {"walk", "run"}
