"""The command line from outside: run, its folder, its exit codes, its sentences."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.reading import read

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
PER_FRAME = ("contacts", "kinematics", "rooted", "torques", "reactions", "anatomy", "grf")
SMALL = ("bodies", "events", "phases", "rooted_tree")


def command(*words, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "mocap_reroot.cli", *map(str, words)],
        capture_output=True, text=True, timeout=300, cwd=cwd, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    done = command("run", SAMPLES / "walk.bvh", "-o", out, "--mass", 70, "--no-report")
    assert done.returncode == 0, done.stderr
    return out / "walk"


def test_every_table_is_there(result):
    for name in PER_FRAME:
        assert len(pd.read_parquet(result / f"{name}.parquet")) == 360, name
    for name in SMALL:
        assert len(pd.read_csv(result / f"{name}.csv")) > 0, name


def test_summary_has_the_promised_keys(result):
    summary = json.loads((result / "summary.json").read_text())
    promised = (
        "input versions config frames fps unit unit_scale up_vector convention mass height forces "
        "ground inferred warnings repairs timings gait quality"
    )
    assert set(promised.split()) <= set(summary)
    assert summary["mass"] == pytest.approx(70)
    assert summary["unit"] == "cm"
    assert summary["up_vector"] == [0, 1, 0]
    assert summary["forces"] == "predicted"
    assert len(summary["input"]["sha256"]) == 64
    assert summary["config"]["body"]["mass"] == 70
    figures = (
        "root_invariance_nm cop_outside_foot_mm flight_gravity_error foot_skate_mm_s "
        "residual_force_n residual_moment_nm peak_vertical_force_bw"
    )
    assert set(figures.split()) <= set(summary["quality"])
    assert summary["quality"]["root_invariance_nm"] < 1e-8


def test_columns_carry_their_meaning(result):
    import pyarrow.parquet as pq

    field = pq.read_schema(result / "torques.parquet").field("LeftLeg_mx")
    assert field.metadata[b"unit"] == b"N m"
    assert b"capture parent" in field.metadata[b"meaning"]


def test_csv_has_the_same_columns(result, tmp_path):
    done = command(
        "run", SAMPLES / "walk.bvh", "-o", tmp_path, "--mass", 70, "--no-report",
        "--format", "csv", "--tables", "torques,grf",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "walk"
    assert not (folder / "torques.parquet").exists()
    assert not (folder / "kinematics.csv").exists()
    for name in ("torques", "grf"):
        parquet, csv = (
            pd.read_parquet(result / f"{name}.parquet"),
            pd.read_csv(folder / f"{name}.csv"),
        )
        assert list(parquet.columns) == list(csv.columns)
        numbers = parquet.select_dtypes("number").columns
        assert (parquet[numbers] - csv[numbers]).abs().max().max() < 1e-9


def test_one_bad_file_does_not_stop_the_rest(tmp_path):
    bad = tmp_path / "bad.bvh"
    bad.write_text("HIERARCHY\nROOT Hips\n{\n OFFSET 0 zero 0\n")
    done = command("run", bad, SAMPLES / "run.bvh", "-o", tmp_path / "out", "--tables", "core")
    assert done.returncode == 1
    assert "bad.bvh, line 4" in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "out/run/torques.parquet").exists()
    assert not (tmp_path / "out/bad").exists()
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["run"]  # nothing half-written


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["run", "walk.bvh"], "-o"),
        (["run", "walk.bvh", "-o", "x", "--mass", "heavy"], "heavy"),
        (["run", "walk.bvh", "-o", "x", "--ground", "magic"], "magic"),
        (["convert", "walk.bvh", "-o", "x"], "--root"),
        (["dance"], "dance"),
        (
            ["run", "walk.bvh", "-o", "x", "--config", "nowhere.toml"],
            "nowhere.toml: cannot be read",
        ),
        (["run", "walk.bvh", "-o", "x", "--config", "README.md"], "README.md: is not valid TOML"),
    ],
)
def test_wrong_usage_exits_with_2(words, says):
    done = command(*words, cwd=SAMPLES)
    assert done.returncode == 2
    assert says in done.stderr


def test_an_absent_file_is_a_failed_input():
    done = command("run", "nowhere.bvh", "-o", "x")
    assert done.returncode == 1
    assert "nowhere.bvh" in done.stderr


def test_an_absent_file_does_not_stop_the_rest(tmp_path):
    words = ("-o", tmp_path, "--tables", "events", "--no-report")
    done = command("run", "nowhere.bvh", SAMPLES / "run.bvh", *words)
    assert done.returncode == 1
    assert "nowhere.bvh: there is no such file" in done.stderr
    assert (tmp_path / "run/events.csv").exists()


def test_options_that_a_file_has_no_use_for_are_named(tmp_path):
    (tmp_path / "static.c3d").touch()
    words = (
        "--static",
        tmp_path / "static.c3d",
        "--unit",
        "m",
        "--tables",
        "events",
        "--no-report",
    )
    done = command("run", SAMPLES / "run.bvh", "-o", tmp_path, *words)
    assert done.returncode == 0
    assert "static was not used" in done.stdout
    assert "beyond the size of any person" in done.stdout


def test_convert_takes_the_options_that_reading_and_contacts_need(tmp_path):
    (tmp_path / "mine.toml").write_text('contacts = "stances.csv"\n')
    (tmp_path / "stances.csv").write_text("foot,start_frame,stop_frame\nLeftFoot,10,60\n")
    words = ("-o", tmp_path / "out", "--support", "--config", tmp_path / "mine.toml")
    done = command("convert", SAMPLES / "walk.bvh", *words)
    assert done.returncode == 0, done.stderr
    names = sorted(p.name for p in (tmp_path / "out/walk").iterdir())
    modes = [name.split("-")[2] for name in names]
    assert modes[0] == modes[-1] == "flight"
    assert set(modes[1:-1]) == {"single"}


def test_what_was_repaired_is_said(tmp_path):
    lines = (SAMPLES / "run.bvh").read_text().splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("Frame Time")) + 9
    lines[at] = "1 2 3"
    (tmp_path / "torn.bvh").write_text("\n".join(lines) + "\n")
    out = tmp_path / "out"
    done = command(
        "run", tmp_path / "torn.bvh", "-v", "-o", out, "--tables", "events", "--no-report"
    )
    assert done.returncode == 0
    assert f"repaired: Line {at + 1}: 3 values instead of" in done.stdout


def test_results_into_a_file_and_folders_as_files_are_told(tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("mine")
    done = command("run", SAMPLES / "run.bvh", "-o", taken, "--tables", "events", "--no-report")
    assert done.returncode == 1
    assert "taken: is a file, not a folder. Choose another place with -o." in done.stderr
    assert taken.read_text() == "mine"
    with pytest.raises(MocapRerootError, match="is a folder"):
        read(tmp_path)


def test_traceback_only_with_debug(tmp_path):
    bad = tmp_path / "bad.bvh"
    bad.write_bytes(b"\x00\x01\x02")
    assert "Traceback" not in command("run", bad, "-o", tmp_path / "o").stderr
    assert "Traceback" in command("run", bad, "-o", tmp_path / "o", "--debug").stderr


def test_help_is_quick_and_loads_no_compiler():
    code = (
        "import sys; from mocap_reroot.cli import main\n"
        "try: main(['--help'])\n"
        "finally: print('numba' in sys.modules, 'pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip().endswith("False False")
