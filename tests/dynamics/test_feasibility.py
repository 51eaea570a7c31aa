"""What a motion asks for: against sums over tables and against Qhull."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import mocap_reroot as mr
from mocap_reroot.dynamics.feasibility import _inside
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def walk() -> mr.Analysis:
    return mr.analyze(ROOT / "sample_data" / "walk.bvh", mass=70.0)


def test_the_depth_within_a_hull_is_qhulls():
    random = np.random.default_rng(5)
    for _ in range(40):
        points = random.normal(size=(2, 12, 1))
        if (found := float(_inside(points, np.ones((12, 1), bool))[0])) <= 0:
            continue
        hull = ConvexHull(points[..., 0].T)
        exact = -hull.equations[:, 2].max()  # of the origin
        assert found == pytest.approx(exact, rel=0.03)


def test_outside_a_hull_the_margin_is_the_distance():
    square = np.array([[1.0, 2.0, 2.0, 1.0], [-1.0, -1.0, 1.0, 1.0]])[..., None]
    assert _inside(square, np.ones((4, 1), bool))[0] == pytest.approx(-1.0)


def test_columns_are_what_the_other_tables_say(walk):
    table, grf = walk.table("feasibility"), walk.grf
    assert list(table)[:3] == ["frame", "time", "flag"] and len(table) == len(grf)
    up = "y"
    used = np.zeros(len(grf))
    for foot in ("LeftFoot", "RightFoot"):
        force = grf[[f"{foot}_f{a}" for a in "xyz"]].to_numpy()
        across = np.hypot(force[:, 0], force[:, 2])
        loaded = force[:, 1] > 20
        used[loaded] = np.maximum(used[loaded], (across / force[:, 1].clip(1e-9))[loaded])
        assert up == "y" and walk.motion.up[1] == 1
    known = table.friction_used.notna()
    np.testing.assert_allclose(table.friction_used[known], used[known], atol=1e-9)
    torques = walk.torques
    names = [n for n in walk.motion.skeleton.names if f"{n}_mx" in torques]
    size = [np.linalg.norm(torques[[f"{n}_m{a}" for a in "xyz"]], axis=1) for n in names]
    np.testing.assert_allclose(table.torque_nm_kg, np.max(size, axis=0) / 70.0)
    rooted = walk.table("rooted")
    assert rooted is not None and (table.joint_speed > 0).all()
    assert table.unexplained.max() < 1e-6  # a consistent walk explains itself


def test_the_pressure_of_a_walk_is_within_its_feet(walk):
    margin = walk.table("feasibility").support_margin_m
    assert margin.notna().mean() > 0.9
    assert margin.quantile(0.05) > -0.005 and margin.max() < 0.3


def test_medians_are_in_the_summary_and_the_index(walk):
    from mocap_reroot.batch.index import index_row, index_table

    told = walk.summary["quality"]["feasibility"]
    table = walk.table("feasibility")
    sound = walk.dynamics.flags == 0
    assert told["torque_nm_kg"] == pytest.approx(table.torque_nm_kg[sound].median())
    row = index_table([index_row(ROOT / "walk.bvh", ROOT / "walk", walk.summary)])
    assert row.quality_feasibility_friction_used[0] == pytest.approx(told["friction_used"])
