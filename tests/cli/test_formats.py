"""Formats through the command line: options reach the importers, results go on from there."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from mocap_reroot import forward, read
from mocap_reroot.batch.fingerprint import fingerprint
from mocap_reroot.cli import app
from mocap_reroot.config import resolve
from tests.importers import acclaim_files, mvnx_files, smpl_files


def call(*words: object) -> str:
    """Return what a command prints."""
    done = CliRunner().invoke(app, [str(word) for word in words], standalone_mode=False)
    assert done.exception is None and done.return_value == 0, done.output
    return done.output


def test_a_skeleton_and_a_model_are_named(tmp_path: Path) -> None:
    beside = tmp_path / "bones"
    beside.mkdir()
    clip = acclaim_files.write(tmp_path)
    (tmp_path / "made.asf").rename(beside / "other.asf")
    page = json.loads(call("inspect", clip, "--json", "--skeleton", beside / "other.asf"))
    assert (page["format"], page["frames"], page["root"]) == ("amc", 5, "root")
    model = smpl_files.save(tmp_path / "model.npz", smpl_files.model())
    clip = smpl_files.save(tmp_path / "clip.npz", smpl_files.motion())
    page = json.loads(call("inspect", clip, "--json", "--smpl-model", model, "--take", "one"))
    assert (page["format"], page["up"], page["convention"]) == ("npz", "z", "SMPL")
    assert any("option take was not used" in warning for warning in page["warnings"])


@pytest.mark.parametrize("kind", ["mvnx", "npz"])
def test_what_was_read_is_written_as_bvh(tmp_path: Path, kind: str) -> None:
    options: tuple[object, ...] = ()
    if kind == "mvnx":
        clip = mvnx_files.write(tmp_path, mvnx_files.text())
        motion = read(clip)
    else:
        model = smpl_files.save(tmp_path / "model.npz", smpl_files.model())
        clip = smpl_files.save(tmp_path / "clip.npz", smpl_files.motion())
        options, motion = ("--smpl-model", model), read(clip, smpl_model=model)
    call("convert", clip, "-o", tmp_path / "out", "--as-is", *options)
    (written,) = (tmp_path / "out").rglob("*.bvh")
    again = read(written, unit="m", up="z")
    order = [again.skeleton.names.index(name) for name in motion.skeleton.names]
    difference = forward(again).position[order] - forward(motion).position
    assert np.abs(difference).max() < 1e-5  # m; the BVH prints six decimals


def test_a_batch_knows_that_a_skeleton_changed(tmp_path: Path) -> None:
    clip, config = acclaim_files.write(tmp_path), resolve()
    before = fingerprint(clip, config)
    assert fingerprint(clip, config) == before
    bones = tmp_path / "made.asf"
    bones.write_text(bones.read_text().replace("length 7", "length 8"))
    assert fingerprint(clip, config) != before


def test_a_whole_run_of_xsens(tmp_path: Path, shared_data: Path) -> None:
    told = call("run", shared_data / "formats" / "xsens.mvnx", "-o", tmp_path, "--no-report")
    assert "upper-body recording" in told and "Not judged: the legs were not measured." in told
    summary = json.loads((tmp_path / "xsens" / "summary.json").read_text())
    assert summary["frames"] == 112 and summary["unit"] == "m" and summary["grade"] == "–"
