"""The swing: degrees of freedom, energy, closed loops, letting go, limits."""

import numpy as np
import pandas as pd
import pytest

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.papers import swing
from mocap_reroot.papers.integrate import State
from mocap_reroot.papers.swing_model import SwingModel, limit_torques
from mocap_reroot.types import JointType


@pytest.fixture(scope="module")
def free():
    return swing.simulate(SwingModel(), seconds=5.0)


def test_degrees_of_freedom_are_found():
    model = SwingModel()
    chain, q = model.chain(), model.start()
    kinds = chain.skeleton.joint_types
    assert chain.coordinates.n_speeds == 6 + 16 + 18
    figure = [
        i for i, name in enumerate(chain.skeleton.names) if "_" in name and "rope" not in name
    ]
    speeds = {JointType.SPHERICAL: 3, JointType.REVOLUTE: 1}
    assert sum(speeds[JointType(kinds[i])] for i in figure) == 16
    ropes = [i for i, name in enumerate(chain.skeleton.names) if "rope" in name]
    assert [JointType(kinds[i]) for i in ropes] == [JointType.SPHERICAL] * 6
    assert len(chain.closures) == 2
    assert chain.mobility(q).n_freedoms == 34
    assert SwingModel(grip="rigid").chain().mobility(q).n_freedoms == 28


def test_energy_is_constant_and_loops_stay_closed(free):
    assert free.trajectory["time"].iloc[-1] == pytest.approx(5.0)
    assert free.energy_drift < 1e-6
    assert free.loop_error < 1e-9
    assert free.trajectory["kinetic"].max() > 50  # it does swing
    hand = free.trajectory[[f"left_hand_{a}" for a in "xyz"]].to_numpy()
    rope = free.trajectory[[f"left_rope_end_{a}" for a in "xyz"]].to_numpy()
    assert np.abs(hand - rope).max() < 1e-9


def test_rigid_grips_swing_too():
    run = swing.simulate(SwingModel(grip="rigid"), seconds=0.5)
    assert run.energy_drift < 1e-6
    assert run.loop_error < 1e-9


def test_the_structure_varies():
    releases = {"left_hand": 0.2, "right_hand": 0.4}
    steps = {"dt": 2e-3, "method": "rk4"}  # limits are not smooth: high order does not pay
    run = swing.simulate(SwingModel(), seconds=0.6, limits=True, releases=releases, **steps)
    assert list(run.releases["degrees_of_freedom"]) == [34, 37, 40]
    assert list(run.releases["closed_loops"]) == [2, 1, 0]
    # after both let go, the figure falls freely: its ropes and it no longer touch
    chain, heights = SwingModel().chain(), []
    names = chain.skeleton.names
    figure = [i for i, name in enumerate(names) if "rope" not in name and name != "beam"]
    for state in [s for s in run.states if s.time > 0.405]:
        world = forward(chain.coordinates.to_motion(state.q))
        points = [world.point(i, chain.body.com[i])[2, 0] for i in figure]
        heights.append(np.average(points, weights=chain.body.mass[figure]))
    fall = np.diff(heights, 2) / 0.01**2
    assert np.abs(fall + 9.81).max() < 1e-3


def test_post_stabilisation_beats_baumgarte():
    model, limits = SwingModel(), {"seconds": 0.6, "dt": 5e-3, "method": "rk4"}
    runs = {way: swing.simulate(model, stabilisation=way, **limits) for way in swing.STABILISATIONS}
    assert runs["post"].loop_error < 1e-9
    assert runs["post"].loop_error < 1e-3 * runs["baumgarte"].loop_error
    assert runs["baumgarte"].loop_error < runs["none"].loop_error
    wild = swing.simulate(model, stabilisation="baumgarte", gain=800.0, **limits)
    assert wild.diverged is not None


def test_limits_push_back():
    model = SwingModel()
    layout = model.chain().coordinates
    torque = limit_torques(layout)
    q, still = model.start(), np.zeros(layout.n_speeds)
    elbow = layout.coordinates_of("left_forearm")
    for angle, sign in ((0.4, -1), (-2.9, 1), (-1.0, 0)):
        bent = q.copy()
        bent[elbow] = angle
        push = torque(State(0.0, bent, still))[layout.speeds_of("left_forearm")][0]
        assert np.sign(push) == sign
    hip, turned = layout.coordinates_of("left_thigh"), q.copy()
    turned[hip] = [np.cos(1.2), np.sin(1.2), 0, 0]  # 2.4 rad aside
    push = torque(State(0.0, turned, still))[layout.speeds_of("left_thigh")]
    assert push[0] < -10  # back towards the middle
    assert push[2] == 0  # the bone may turn about itself
    assert np.abs(torque(State(0.0, q, still))).max() == 0  # the first pose is within limits


def test_wrong_words_are_named():
    with pytest.raises(MocapRerootError, match="no stabilisation named 'glue'"):
        swing.simulate(SwingModel(), stabilisation="glue")
    with pytest.raises(MocapRerootError, match="no method named 'euler'"):
        swing.simulate(SwingModel(), method="euler")
    with pytest.raises(MocapRerootError, match="no closure named 'third_hand'"):
        swing.simulate(SwingModel(), seconds=0.1, releases={"third_hand": 0.0})


def test_inertia_matrix_of_a_pose():
    model = SwingModel()
    row = swing.inertia_of_pose(model.chain(), model.start(), "start")
    assert row["least_eigenvalue"] > 0
    assert row["motions_without_inertia"] == 0
    assert row["degrees_of_freedom"] == 34
    assert row["asymmetry"] < 1e-12


def test_files(tmp_path, monkeypatch):
    monkeypatch.setattr(swing, "stabilisation_table", lambda model: pd.DataFrame({"dt": [1.0]}))
    times = {"first_release": 0.05, "second_release": 0.1}
    result = swing.run(tmp_path, seconds=0.1, **times)
    assert "34, 37, 40 degrees of freedom" in repr(result)
    assert result.cost < 25  # the paper's figure, ms
    path = pd.read_csv(tmp_path / "trajectory.csv")
    assert {"time", "loop_error", "kinetic", "potential", "energy"} <= set(path.columns)
    for name in ("releases", "stabilisation", "inertia", "trajectory_released"):
        assert (tmp_path / f"{name}.csv").exists()
    assert "paper: 25 ms" in (tmp_path / "index.html").read_text(encoding="utf-8")
