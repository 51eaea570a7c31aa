"""The examples for simulators run as they stand, on files that the command line writes."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from tests.cli.test_run import command
from tests.docs.test_pages import ROOT, blocks

PAGE = ROOT / "docs" / "simulators.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the sample walk in all three formats."""
    folder = tmp_path_factory.mktemp("simulators")
    walk = ROOT / "sample_data" / "walk.bvh"
    for kind in ("mjcf", "urdf", "npz"):
        done = command("convert", walk, "-o", folder, "--to", kind, "--up-out", "z", "--fps", "60")
        assert done.returncode == 0, done.stderr
    return folder


def example(word: str) -> str:
    found = [code for code in blocks(PAGE, "python") if word in code]
    assert len(found) == 1
    return found[0]


def test_a_picture_is_drawn_off_screen(folder):
    from PIL import Image

    code = example("mjVIS_PERTFORCE")
    assert code.count("\n") <= 14
    place = os.environ | {"MUJOCO_GL": "egl"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=place, capture_output=True, text=True
    )
    if done.returncode and "EGL" in done.stderr:
        pytest.skip("no EGL here to draw with")
    assert done.returncode == 0, done.stderr
    picture = np.asarray(Image.open(folder / "walk.png")).astype(int)
    green = (picture[..., 1] > picture[..., 0] + 30) & (picture[..., 1] > picture[..., 2] + 20)
    assert green.sum() > 100  # the arrow
    assert picture.std() > 20


def test_pinocchio_opens_it(folder, monkeypatch):
    monkeypatch.chdir(folder)
    names: dict = {}
    exec(compile(example("pinocchio"), str(PAGE), "exec"), names)
    assert names["needed"].shape == names["clip"]["tau"][50].shape


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_readers_read(folder, library, monkeypatch):
    pytest.importorskip(library, reason=f"{library} is not installed")
    monkeypatch.chdir(folder)
    names: dict = {}
    exec(compile(example(library), str(PAGE), "exec"), names)
    assert names["numbers"]["rotations"].shape[1:] == (21, 4)


def test_plain_arrays_are_the_tables(folder):
    """At half the rate of the tables, turned from y up to z up."""
    import mocap_reroot as mr

    clip = np.load(folder / "walk.npz", allow_pickle=False)
    found = mr.analyze(ROOT / "sample_data" / "walk.bvh")
    shared = np.arange(0, found.motion.n_frames, 5)  # 20 Hz
    at = np.arange(0, len(clip["frame"]), 3)
    assert clip["fps"] == 60 and str(clip["grade"]) == found.verdict.grade
    turn = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    names = clip["names"].tolist()
    for name in ("Hips", "LeftFoot"):
        place = found.kinematics[[f"{name}_p{a}" for a in "xyz"]].to_numpy()[shared]
        ours = clip["positions"][at, names.index(name)]
        np.testing.assert_allclose(ours, (place @ turn.T)[: len(ours)], atol=1e-9)
        told = found.torques[[f"{name}_m{a}" for a in "xyz"]] if name != "Hips" else None
        if told is not None:
            torque = clip["torques"][at, names.index(name)]
            np.testing.assert_allclose(torque, told.to_numpy()[shared][: len(torque)], atol=1e-6)
    for k, foot in enumerate(clip["foot_names"].tolist()):
        force = found.grf[[f"{foot}_f{a}" for a in "xyz"]].to_numpy()[shared]
        ours = clip["ground_forces"][at, k]
        np.testing.assert_allclose(ours, (force @ turn.T)[: len(ours)], atol=1e-6)
    assert clip["contacts"].dtype == bool and clip["contacts"].mean() > 0.3
