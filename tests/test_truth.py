"""The generated walk and run, filtered: forces and torques that are known by construction."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mocap_reroot as mr

SAMPLES = Path(__file__).resolve().parents[1] / "sample_data"
WEIGHT = 70 * 9.80665
LEG = ("UpLeg", "Leg", "Foot")


@pytest.fixture(scope="module", params=["walk", "run"])
def clip(request):
    """A clip without noise: the cut-off is far above what the motion holds."""
    name = request.param
    analysis = mr.analyze(
        SAMPLES / f"{name}.bvh",
        mass=70.0,
        height=1.75,
        cutoff=25.0,
        ground="filtered",
        report=False,
    )
    return name, analysis, pd.read_parquet(SAMPLES / f"{name}_truth.parquet")


def sure_frames(analysis, truth):
    """Frames of single support, found and true, away from the ends of the clip and of stances."""
    single = np.array(analysis.torques["mode"] == "single")
    single &= truth[["LeftFoot_on", "RightFoot_on"]].to_numpy().sum(axis=1) == 1
    single[:15] = single[-15:] = False
    return single


def vectors(table, name, kind):
    return table[[f"{name}_{kind}{axis}" for axis in "xyz"]].to_numpy()


def test_ground_force_is_the_true_one(clip):
    _, analysis, truth = clip
    rows = sure_frames(analysis, truth)
    assert rows.sum() > 80
    for foot in ("LeftFoot", "RightFoot"):
        error = vectors(analysis.grf, foot, "f") - vectors(truth, foot, "f")
        assert np.sqrt((error[rows] ** 2).mean(axis=0)).max() < 0.01 * WEIGHT


def test_pressure_is_where_it_should_be(clip):
    _, analysis, truth = clip
    rows = sure_frames(analysis, truth)
    for foot in ("LeftFoot", "RightFoot"):
        firm = rows & np.array(truth[f"{foot}_fy"] > 0.5 * WEIGHT)
        error = vectors(analysis.grf, foot, "p") - vectors(truth, foot, "p")
        assert np.abs(error[firm]).max() < 0.005


def test_torques_are_the_true_ones(clip):
    name, analysis, truth = clip
    rows = sure_frames(analysis, truth)
    worst = 0.0
    for side in ("Left", "Right"):
        for joint in LEG:
            true = vectors(truth, f"{side}{joint}", "m")[rows]
            error = vectors(analysis.torques, f"{side}{joint}", "m")[rows] - true
            worst = max(worst, np.sqrt((error**2).mean()) / np.ptp(true, axis=0).max())
    assert worst < (0.01 if name == "walk" else 0.02)


def test_default_smoothing_costs_little_of_the_walk():
    analysis = mr.analyze(
        SAMPLES / "walk.bvh", mass=70.0, height=1.75, ground="filtered", report=False
    )
    truth = pd.read_parquet(SAMPLES / "walk_truth.parquet")
    rows = sure_frames(analysis, truth)
    for joint in LEG:
        true = vectors(truth, f"Left{joint}", "m")[rows]
        error = vectors(analysis.torques, f"Left{joint}", "m")[rows] - true
        assert np.sqrt((error**2).mean()) < 0.03 * np.ptp(true, axis=0).max()


def test_the_whole_is_right_in_double_support_too(clip):
    """The sharing between the feet is a choice; their sum is not."""
    name, analysis, truth = clip
    if name == "run":
        return
    rows = np.array(analysis.torques["mode"] == "double")
    rows[:15] = rows[-15:] = False
    assert rows.sum() > 50
    total = sum(vectors(analysis.grf, f, "f") for f in ("LeftFoot", "RightFoot"))
    true = sum(vectors(truth, f, "f") for f in ("LeftFoot", "RightFoot"))
    assert np.abs(total - true)[rows].max() < 0.02 * WEIGHT


def test_flight_is_free_fall():
    analysis = mr.analyze(SAMPLES / "run.bvh", mass=70.0, height=1.75, report=False)
    assert set(analysis.phases["mode"]) == {"single", "flight"}
    assert analysis.summary["quality"]["flight_gravity_error"] < 0.15
