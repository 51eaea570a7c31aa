"""Figures for notebooks hold the numbers of the tables."""

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.report.clip_tables import read_clip
from mocap_reroot.report.figures import Plots

from . import folders


@pytest.fixture(scope="module")
def analysis():
    return mr.analyze(folders.SAMPLES / "walk.bvh", mass=70.0)


def test_torques_of_a_body_and_of_a_pair(analysis):
    figure = analysis.plot.torques("LeftLeg")
    for trace, axis in zip(figure.data, "xyz", strict=True):
        np.testing.assert_array_equal(trace.y, analysis.torques[f"LeftLeg_m{axis}"])
    assert len(analysis.plot.torques("Knee").data) == 6
    per_kg = analysis.plot.torques("LeftLeg", normalise=True)
    np.testing.assert_allclose(per_kg.data[0].y, analysis.torques["LeftLeg_mx"] / 70.0)


def test_unknown_joints_are_refused_with_an_offer(analysis):
    with pytest.raises(mr.MocapRerootError, match="Did you mean 'LeftLeg'"):
        analysis.plot.torques("LeftLegg")


def test_grf_in_body_weights_and_newtons(analysis):
    vertical = analysis.grf["LeftFoot_fy"].to_numpy()
    np.testing.assert_allclose(analysis.plot.grf(body_weights=False).data[0].y, vertical)
    weights = analysis.plot.grf().data[0].y
    np.testing.assert_allclose(weights, vertical / (70.0 * 9.80665))


def test_plates_beside_the_prediction():
    figure = Plots(read_clip(folders.plates())).grf()
    names = [trace.name for trace in figure.data[:4]]
    assert names == ["left_foot", "left_foot, plates", "right_foot", "right_foot, plates"]


def test_phases_tile_the_clip(analysis):
    bars = [t for t in analysis.plot.phases().data if t.y[0] == "phase"]
    assert sum(sum(bar.x) for bar in bars) == pytest.approx(360 / 100)


def test_skeleton_shows_one_frame(analysis):
    figure = analysis.plot.skeleton(100)
    middle = next(t for t in figure.data if t.name == "middle")
    hips = analysis.kinematics.loc[100, ["Hips_px", "Hips_py", "Hips_pz"]].to_numpy(float)
    points = np.stack([middle.x, middle.y, middle.z], axis=1)
    assert np.nanmin(np.linalg.norm(points - hips, axis=1)) < 1e-9
    with pytest.raises(mr.MocapRerootError, match="frames 0 to 359"):
        analysis.plot.skeleton(360)


def test_cycles_are_drawn_as_mean_and_band(analysis, tmp_path):
    figure = analysis.plot.cycles("Knee")
    angle = figure.axes[0]
    left = analysis.cycles.query("side == 'left'").groupby("percent")["knee_flexion_deg"]
    drawn = next(line for line in angle.lines if line.get_label().startswith("left"))
    np.testing.assert_allclose(drawn.get_ydata(), left.mean())
    assert drawn.get_label() == "left (n = 2)"
    figure.savefig(tmp_path / "knee.png")
    figure.savefig(tmp_path / "knee.svg")
    assert (tmp_path / "knee.png").read_bytes().startswith(b"\x89PNG")
    assert ">knee flexion moment</text>" in (tmp_path / "knee.svg").read_text()
    with pytest.raises(mr.MocapRerootError, match="Did you mean 'knee'"):
        analysis.plot.cycles("kneee")


def test_notebooks_show_a_table_and_a_figure(analysis):
    page = analysis._repr_html_()
    assert "A, plausible" in page
    assert "70.0 kg" in page
    assert page.count("<svg") == 1
