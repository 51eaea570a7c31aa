"""The commands report, compare and batch, from outside."""

import subprocess
import sys

import pandas as pd

from . import folders


def command(*words):
    return subprocess.run(
        [sys.executable, "-m", "mocap_reroot.cli", *map(str, words)],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def test_report_rebuilds_pages_and_says_what_it_cannot(tmp_path):
    folder = folders.core_only(folders.walk(), tmp_path / "walk")
    done = command("report", folder, tmp_path / "nowhere")
    assert done.returncode == 1
    assert (folder / "report.html").stat().st_size > 1e6
    assert "has no summary.json" in done.stderr
    assert "Traceback" not in done.stderr


def test_compare_prints_a_table_and_writes_a_page(tmp_path):
    done = command("compare", folders.walk(), folders.walk(), "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "left knee" in done.stdout
    assert len(pd.read_csv(tmp_path / "out" / "comparison.csv")) == 22
    assert (tmp_path / "out" / "comparison.html").is_file()


def test_a_batch_ends_with_an_index(tmp_path):
    done = command(
        "batch", folders.SAMPLES / "walk.bvh", "-o", tmp_path, "--report", "all", "--quiet"
    )
    assert done.returncode == 0, done.stderr
    assert '"links":["walk/report.html"]' in (tmp_path / "index.html").read_text()
    assert (tmp_path / "walk" / "report.html").is_file()
