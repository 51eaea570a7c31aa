"""Disks that are full or not to be written to: one clear sentence, nothing half-written.

Root may write anywhere, so that permissions prove nothing there; small file systems in memory do.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"


@pytest.fixture
def disk(tmp_path):
    """Give a function that mounts a file system of so many bytes; it goes with the test."""
    place = tmp_path / "disk"
    place.mkdir()

    def mount(options):
        words = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
        if shutil.which("mount") is None or subprocess.run(words, capture_output=True).returncode:
            pytest.skip("mounting a small disk needs root and the right to mount")
        return place

    yield mount
    subprocess.run(["umount", "-l", str(place)], capture_output=True, check=False)


@pytest.fixture
def clips(tmp_path):
    folder = tmp_path / "clips"
    folder.mkdir()
    for k in range(6):
        shutil.copy(SAMPLES / "walk.bvh", folder / f"walk{k}.bvh")
    return folder


def batch(*words):
    arguments = [sys.executable, "-m", "mocap_reroot.cli", "batch", *map(str, words), "--quiet"]
    return subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False)


def test_a_full_disk_is_one_sentence_and_can_be_resumed(clips, disk, tmp_path):
    place = disk("size=2000k")  # a clip takes some 610 kB; two are written at a time
    done = batch(clips, "-o", place / "out", "--mass", 70)
    assert done.returncode == 1
    assert done.stderr.count("Error:") == 1
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr
    whole = [p.parent for p in (place / "out").rglob("summary.json")]
    assert 0 < len(whole) < 6
    assert {p for p in (place / "out").iterdir() if p.is_dir()} == set(whole)  # no drafts
    for folder in whole:
        assert len(pd.read_parquet(folder / "torques.parquet")) == 360
    subprocess.run(["mount", "-o", "remount,size=50m", str(place)], check=True)
    done = batch(clips, "-o", place / "out", "--mass", 70)
    assert done.returncode == 0, done.stderr
    assert f"6 of 6 clips done ({len(whole)} were there already)" in done.stdout
    assert len(pd.read_parquet(place / "out/index.parquet")) == 6


def test_an_output_that_cannot_be_written_is_one_sentence(clips, disk):
    place = disk("size=1m,ro")
    done = batch(clips, "-o", place / "out")
    assert done.returncode == 1
    assert done.stderr.count("Error:") == 1
    assert "Read-only file system" in done.stderr
    assert not list(place.iterdir())
