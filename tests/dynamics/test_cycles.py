"""Cycles and peaks against the tables they come from, taken apart by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import mocap_reroot as mr
from mocap_reroot.types import STANDARD_GRAVITY, flag_code


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    analysis = mr.analyze("sample_data/walk.bvh", mass=70.0, height=1.75, report=False)
    analysis.save(tmp_path_factory.mktemp("cycles") / "walk")
    return analysis


def by_hand(curve: pd.Series, stride) -> np.ndarray:
    at = np.linspace(stride.start_frame, stride.stop_frame, 101)
    return np.interp(at, np.arange(len(curve)), curve)


def test_curves_are_those_of_the_leg_over_its_stride(walk):
    cycles, shin = walk.cycles, {"left": "LeftLeg", "right": "RightLeg"}
    assert cycles.groupby("stride").size().tolist() == [101] * len(walk.strides)
    for stride in walk.strides.itertuples():
        mine = cycles[cycles.stride == stride.stride]
        assert set(mine.side) == {stride.side}
        assert mine.percent.tolist() == list(range(101))
        anatomy = walk.anatomy
        angle = by_hand(anatomy[f"{stride.side}_knee_flexion_deg"], stride)
        moment = by_hand(anatomy[f"{stride.side}_ankle_dorsiflexion_moment"], stride) / 70
        power = by_hand(walk.torques[f"{shin[stride.side]}_power"], stride) / 70
        np.testing.assert_allclose(mine.knee_flexion_deg, angle, atol=1e-9)
        np.testing.assert_allclose(mine.ankle_dorsiflexion_nm_kg, moment, atol=1e-12)
        np.testing.assert_allclose(mine.knee_power_w_kg, power, atol=1e-12)


def test_ground_force_is_up_forward_and_outward(walk):
    """The walker goes along +z with y up: the left foot lies at +x, its outside."""
    place = walk.kinematics
    way = place.loc[300, "Hips_pz"] - place.loc[60, "Hips_pz"]
    assert way > 2
    assert (place["LeftFoot_px"] - place["RightFoot_px"]).mean() > 0.05
    weight = 70 * STANDARD_GRAVITY
    for stride in walk.strides.itertuples():
        mine = walk.cycles[walk.cycles.stride == stride.stride]
        sign = {"left": 1, "right": -1}[stride.side]
        ways = ("vertical", "y", 1), ("forward", "z", 1), ("lateral", "x", sign)
        for column, axis, sense in ways:
            force = sense * by_hand(walk.grf[f"{stride.foot}_f{axis}"], stride) / weight
            np.testing.assert_allclose(mine[f"grf_{column}_bw"], force, atol=2e-3)


def test_peaks_are_those_of_the_curves(walk):
    curve = walk.cycles.query("stride == 1").set_index("percent")["hip_power_w_kg"]
    peak = walk.peaks.query("stride == 1 and quantity == 'hip_power_w_kg'").iloc[0]
    assert (peak.least, peak.least_at) == (curve.min(), curve.idxmin())
    assert (peak.greatest, peak.greatest_at) == (curve.max(), curve.idxmax())
    finely = np.interp(np.arange(0, 100, 0.01), curve.index, curve)
    assert peak["mean"] == pytest.approx(finely.mean(), rel=1e-3)
    assert list(walk.peaks) == [
        "stride", "side", "quantity", "least", "least_at", "greatest", "greatest_at", "mean",
    ]  # fmt: skip


def test_a_flagged_frame_takes_its_stride_out(walk):
    second = walk.strides.iloc[1]
    flags = np.array(walk.dynamics.flags)
    flags[second.start_frame + 5] = flag_code("glitch")
    spoilt = replace(walk, dynamics=replace(walk.dynamics, flags=flags))
    unsound = spoilt.strides.query("not sound").stride.tolist()
    assert 1 in unsound
    left = sorted(set(walk.strides.stride) - set(unsound))
    assert sorted(set(spoilt.cycles.stride)) == sorted(set(spoilt.peaks.stride)) == left
    kept = walk.cycles[walk.cycles.stride.isin(left)].reset_index(drop=True)
    pd.testing.assert_frame_equal(spoilt.cycles, kept)


def test_a_clip_without_strides_has_empty_tables(walk):
    flags = np.full_like(walk.dynamics.flags, flag_code("glitch"))
    nothing = replace(walk, dynamics=replace(walk.dynamics, flags=flags))
    assert list(nothing.cycles) == list(walk.cycles)
    assert len(nothing.cycles) == len(nothing.peaks) == 0
    with pytest.raises(mr.MocapRerootError, match="no sound stride"):
        nothing.plot.cycles()
