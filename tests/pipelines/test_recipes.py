"""The recipes run as their TOML files say, and what they write is right."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import mocap_reroot as mr

ROOT = Path(__file__).resolve().parents[2]


def cook(name: str, tmp_path: Path) -> Path:
    """Run a recipe with its own TOML, moved so that it writes elsewhere; return its folder."""
    (tmp_path / "pipelines").mkdir()
    shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data")
    toml = shutil.copy(ROOT / "pipelines" / f"{name}.toml", tmp_path / "pipelines")
    command = [sys.executable, "-m", f"pipelines.{name}", str(toml)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    (made,) = (tmp_path / "out").iterdir()
    return made


def test_batch_convert(tmp_path):
    made = cook("batch_convert", tmp_path)
    for name in ("walk", "run"):
        motion = mr.read(made / f"{name}.bvh")
        assert motion.skeleton.names[motion.skeleton.root] == "LeftFoot"
        assert motion.n_frames == mr.read(ROOT / "sample_data" / f"{name}.bvh").n_frames


def test_inverse_dynamics_report(tmp_path):
    made = cook("inverse_dynamics_report", tmp_path)
    table = pd.read_csv(made / "largest_moments.csv")
    assert list(table["clip"]) == ["walk"] * 3 + ["run"] * 3
    torques = pd.read_parquet(made / "walk" / "torques.parquet")
    assert table["moment_nm"][0] == pytest.approx(
        torques.filter(regex="_m[xyz]$").abs().max().max()
    )
    assert (made / "run" / "report.html").is_file()


def test_compare_forces(tmp_path):
    made = cook("compare_forces", tmp_path)
    table = pd.read_csv(made / "agreement.csv").set_index(["mode", "axis"])
    summary = json.loads((made / "walk" / "predicted" / "summary.json").read_text())
    figures = summary["quality"]["plates"]["all"]["vertical"]
    assert table.loc[("all", "vertical"), "r"] == pytest.approx(figures["r"])
    assert table.loc[("all", "vertical"), "rmse_percent_bw"] < 5
    assert (made / "walk" / "comparison.html").is_file()


def test_sensitivity(tmp_path):
    table = pd.read_csv(cook("sensitivity", tmp_path) / "sensitivity.csv", index_col="change")
    assert len(table) == 8
    # Torques are proportional to mass; a little more smoothing matters less than a lot more.
    peak = "LeftLeg peak"
    assert table.loc["mass +10%", peak] == pytest.approx(-table.loc["mass -10%", peak], rel=1e-6)
    assert table.loc["mass +10%", peak] > 0
    assert (table.filter(like="rms") > 0).all().all()
    assert table.loc["cut-off 8 Hz", "LeftLeg rms"] < table.loc["cut-off 12 Hz", "LeftLeg rms"]
