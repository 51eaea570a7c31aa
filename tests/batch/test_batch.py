"""Batches: every clip accounted for, resumable, the same tables whatever the way."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pandas as pd
import psutil
import pytest

from mocap_reroot.cli import main
from tests.waiting import wait_for_child, wait_for_results, wait_until

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
TABLES = ("torques", "grf", "contacts")


def command(*words):
    """Return the words of a command of its own, for runs that are stopped or run side by side."""
    return [sys.executable, "-m", "mocap_reroot.cli", "batch", *map(str, words)]


def run(*words, code=0):
    """Run the command in this process, where the server of the workers is already there."""
    said, complained = io.StringIO(), io.StringIO()
    with redirect_stdout(said), redirect_stderr(complained), pytest.raises(SystemExit) as leaving:
        main(["batch", *map(str, words)])
    assert leaving.value.code == code, said.getvalue() + complained.getvalue()
    return said.getvalue()


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
    """Return the bytes of every table below a folder; drafts of killed processes are hidden."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for name in TABLES
        for path in sorted(out.rglob(f"{name}.parquet"))
        if "dataset" not in path.parts and not any(p.startswith(".") for p in path.parts)
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
    assert list(failures.columns) == ["file", "stage", "reason", "kind"]
    assert (failures.stage == "read").all()
    assert (failures.kind == "input").all()
    assert len(pd.read_parquet(tmp_path / "out/index.parquet")) == 2
    assert "2 failed" in done


def test_killed_in_the_middle_and_resumed(clips, reference, tmp_path):
    arguments = command(clips, "-o", tmp_path, "--mass", 70, "--jobs", 1, "--quiet")
    process = subprocess.Popen(arguments, start_new_session=True)
    wait_for_results(tmp_path, 2)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("summary.json")}
    done = run(clips, "-o", tmp_path, "--mass", 70, "--quiet")
    assert f"({len(before)} were there already)" in done
    assert all(p.stat().st_mtime_ns == t for p, t in before.items())
    assert tables(tmp_path) == tables(reference)


def test_what_changed_is_done_again(clips, tmp_path):
    own = tmp_path / "in"
    shutil.copytree(clips / "day0", own)
    run(own, "-o", tmp_path / "out", "--mass", 70, "--quiet")
    assert "(2 were there already)" in run(own, "-o", tmp_path / "out", "--mass", 70, "--quiet")
    text = (own / "walk.bvh").read_text().splitlines()
    frames = text.index("Frames: 360")
    (own / "walk.bvh").write_text("\n".join([*text[:-10]]).replace("Frames: 360", "Frames: 350"))
    assert frames > 0
    assert "(1 were there already)" in run(own, "-o", tmp_path / "out", "--mass", 70, "--quiet")
    assert len(pd.read_parquet(tmp_path / "out/walk/torques.parquet")) == 350
    assert "(0 were there already)" in run(own, "-o", tmp_path / "out", "--mass", 60, "--quiet")
    fresh = run(own, "-o", tmp_path / "out", "--mass", 60, "--quiet", "--fresh")
    assert "(0 were there already)" in fresh


def test_two_runs_into_one_folder(clips, reference, tmp_path):
    arguments = command(clips, "-o", tmp_path, "--mass", 70, "--jobs", 1, "--quiet")
    both = [subprocess.Popen(arguments) for _ in range(2)]
    assert [p.wait(timeout=300) for p in both] == [0, 0]
    assert tables(tmp_path) == tables(reference)
    assert len(pd.read_parquet(tmp_path / "index.parquet")) == 6
    assert not list(tmp_path.rglob(".*"))  # no drafts left behind


def test_damaged_results_are_done_again(clips, reference, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(reference, out)
    (out / "day0/walk/grf.parquet").unlink()
    cut = out / "day1/run/torques.parquet"
    cut.write_bytes(cut.read_bytes()[:-100])
    (out / "day2/run/summary.json").write_text("{")
    done = run(clips, "-o", out, "--mass", 70, "--quiet")
    assert "(3 were there already)" in done
    assert tables(out) == tables(reference)
    assert len(pd.read_parquet(out / "index.parquet")) == 6


def test_version_and_named_files_count(clips, tmp_path, monkeypatch):
    from mocap_reroot.batch import fingerprint
    from mocap_reroot.config import resolve

    clip, bodies = clips / "day0/walk.bvh", tmp_path / "bodies.csv"
    bodies.write_text("one")
    config = resolve(None, bodies=str(bodies))
    first = fingerprint.fingerprint(clip, config)
    assert fingerprint.fingerprint(clip, config) == first
    bodies.write_text("another")
    second = fingerprint.fingerprint(clip, config)
    monkeypatch.setattr(fingerprint, "__version__", "999")
    third = fingerprint.fingerprint(clip, config)
    assert len({first, second, third}) == 3


def test_clips_of_other_runs_stay_in_the_index(clips, tmp_path):
    out, bad = tmp_path / "out", tmp_path / "bad.bvh"
    bad.write_text("rubbish")
    run(clips / "day0/walk.bvh", bad, "-o", out, "--mass", 70, "--quiet", code=1)
    run(clips / "day0/run.bvh", "-o", out, "--mass", 70, "--quiet")
    assert set(pd.read_parquet(out / "index.parquet")["clip"]) == {"walk", "run"}
    assert len(pd.read_csv(out / "failures.csv")) == 1  # still there, still bad
    bad.unlink()
    shutil.rmtree(out / "walk")
    run(clips / "day0/run.bvh", "-o", out, "--mass", 70, "--quiet")
    assert set(pd.read_parquet(out / "index.parquet")["clip"]) == {"run"}
    assert len(pd.read_csv(out / "failures.csv")) == 0


def test_ctrl_c_while_the_server_loads_shows_no_traceback(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "mocap_reroot.cli", "batch", SAMPLES, "-o", tmp_path / "out"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # CI may ignore it
    )  # fmt: skip
    wait_for_child(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert "Stopped." in said
    assert "Traceback" not in said


def test_the_server_is_killed_while_it_loads(clips, reference, tmp_path):
    process = subprocess.Popen(
        command(clips, "-o", tmp_path / "out", "--mass", 70, "--jobs", 2, "--quiet"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip

    def servers():
        children = psutil.Process(process.pid).children()
        return [child for child in children if "forkserver" in " ".join(child.cmdline())]

    wait_until(servers, "server")
    (server,) = servers()
    server.suspend()  # so that it is still loading when the first worker is asked for
    wait_until((tmp_path / "out").exists, "output")
    time.sleep(2.0)
    server.kill()
    said, complained = process.communicate(timeout=200)
    assert process.returncode == 0, complained
    assert "6 of 6 clips done" in said
    assert "it is started again" in complained
    assert tables(tmp_path / "out") == tables(reference)


def test_folders_of_others_are_left_alone(clips, tmp_path):
    """Whatever they are called, wherever they are, and however old."""
    theirs = [
        tmp_path / name
        for name in (
            ".my.precious.notes", "day0/.git.backup.2024", "day0/.walk.17.abcdef",
            ".mocap_reroot-0123456789abcdef", "day0/.mocap_reroot-0123456789abcdef", "..a.b.old",
        )
    ]  # fmt: skip
    for place in theirs:
        place.mkdir(parents=True)
        (place / "thesis").write_text("years of work")
        os.utime(place, (0, 0))
    words = (clips / "day0", clips, "-o", tmp_path, "--mass", 70, "--quiet")
    run(*words, "--time-limit", 300)
    run(*words, "--fresh")
    assert all((place / "thesis").read_text() == "years of work" for place in theirs)


@pytest.mark.parametrize("name", ["index.parquet", "index.html", "failures.csv"])
def test_files_of_others_are_not_replaced_by_the_index(clips, tmp_path, name):
    (tmp_path / name).write_text("years of work")
    for more in ((), ("--fresh",)):
        run(clips / "day0", "-o", tmp_path, "--mass", 70, "--quiet", *more, code=1)
        assert (tmp_path / name).read_text() == "years of work"
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_a_data_set_of_others_is_left_alone(clips, tmp_path):
    theirs = tmp_path / "dataset/raw/walk.txt"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("years of work")
    run(clips / "day0", "-o", tmp_path, "--mass", 70, "--quiet", "--dataset", code=1)
    assert theirs.read_text() == "years of work"


def test_names_that_a_batch_needs_itself(clips, tmp_path):
    source = tmp_path / "in"
    names = ("index.parquet.bvh", "Failures.csv.bvh", "dataset.bvh", "dataset/walk.bvh")
    for name in names:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SAMPLES / "run.bvh", source / name)
    out = tmp_path / "out"
    run(source, "-o", out, "--mass", 70, "--quiet", "--dataset")
    run(source, "-o", out, "--mass", 70, "--quiet", "--dataset", "--fresh")
    index = pd.read_parquet(out / "index.parquet")
    assert sorted(index["clip"]) == [
        "Failures.csv.bvh", "dataset-2/walk", "dataset.bvh", "index.parquet.bvh"
    ]  # fmt: skip
    assert all((out / clip / "torques.parquet").is_file() for clip in index["clip"])
    assert len(list((out / "dataset/torques").iterdir())) == 4


def test_stopped_by_the_user(clips, tmp_path):
    many = tmp_path / "in"
    for k in range(24):
        shutil.copytree(clips, many / f"week{k}")
    arguments = command(many, "-o", tmp_path / "out", "--mass", 70, "--jobs", 2, "--quiet")
    process = subprocess.Popen(
        arguments, start_new_session=True, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # CI may ignore it
    )  # fmt: skip
    # One more than there are workers: who is at a second clip was heard about the first.
    wait_for_results(tmp_path / "out", 3)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.strip() == "Stopped."
    whole = {p.parent for p in (tmp_path / "out").rglob("summary.json")}
    assert 3 <= len(whole) < 144
    # Nothing half-written; a worker may end while it makes a folder: at most its unfinished note.
    left = [p for folder in (tmp_path / "out").rglob(".*") for p in folder.iterdir()]
    assert not [p for p in left if not p.name.endswith(".json.new")]
    index = pd.read_parquet(tmp_path / "out/index.parquet")
    assert {tmp_path / "out" / clip for clip in index["clip"]} <= whole
    assert len(index) >= 1


def test_index_has_the_same_columns_whatever_the_clips(reference):
    from mocap_reroot.batch.index import index_table

    found = pd.read_parquet(reference / "index.parquet")
    empty = index_table([])
    assert list(found.columns[: len(empty.columns)]) == list(empty.columns)
    assert found.dtypes[: len(empty.columns)].equals(empty.dtypes)
    assert found["quality_joint_moment_nm_kg_ankle"].between(0.5, 5).all()


def test_dataset_opens_as_one_table(clips, reference, tmp_path):
    duckdb, polars = pytest.importorskip("duckdb"), pytest.importorskip("polars")
    dask = pytest.importorskip("dask.dataframe")
    words = (clips, "-o", tmp_path, "--mass", 70, "--quiet", "--dataset", "only")
    run(*words)
    again = run(*words)  # resumed: nothing is done twice, nothing lost
    assert "(6 were there already)" in again
    assert not tables(tmp_path)
    whole = pd.read_parquet(tmp_path / "dataset/torques")
    assert set(whole["clip"]) == {f"day{k}/{n}" for k in range(3) for n in ("walk", "run")}
    walk = (
        whole[whole["clip"] == "day1/walk"].drop(columns=["clip", "subject"]).reset_index(drop=True)
    )
    pd.testing.assert_frame_equal(walk, pd.read_parquet(reference / "day1/walk/torques.parquet"))
    pattern = str(tmp_path / "dataset/torques/*.parquet")
    assert polars.scan_parquet(pattern).select("clip").collect().height == len(whole)
    count = duckdb.sql(f"select count(*), count(distinct clip) from '{pattern}'").fetchall()
    assert count == [(len(whole), 6)]
    lazily = dask.read_parquet(tmp_path / "dataset/torques")
    assert int(lazily["clip"].count().compute()) == len(whole)
    grf = pd.read_parquet(tmp_path / "dataset/grf")
    assert len(grf) == len(whole)


def test_dataset_of_different_skeletons(clips, tmp_path):
    given = tmp_path / "in"
    shutil.copytree(clips / "day0", given)
    shutil.copy(SAMPLES / "walk.bvh", given / "other.bvh")
    other = given / "other.bvh"
    other.write_text(other.read_text().replace("LeftHand", "LeftPalm"))
    run(given, "-o", tmp_path / "out", "--mass", 70, "--quiet", "--dataset")
    whole = pd.read_parquet(tmp_path / "out/dataset/torques")
    assert whole.loc[whole["clip"] == "other", "LeftHand_mx"].isna().all()
    assert whole.loc[whole["clip"] == "walk", "LeftPalm_mx"].isna().all()
    assert whole.loc[whole["clip"] == "walk", "LeftHand_mx"].notna().any()
    assert len(tables(tmp_path / "out")) == 9  # beside: the clips' own tables stay


def test_json_lines(clips, tmp_path):
    done = run(clips / "day0", "-o", tmp_path, "--mass", 70, "--jsonl")
    lines = [json.loads(line) for line in done.splitlines()]
    assert [line["ok"] for line in lines] == [True, True]
    assert {line["clip"] for line in lines} == {"walk", "run"}
