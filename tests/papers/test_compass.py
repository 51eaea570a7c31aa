"""The compass against the double pendulum's own equations, written out here and only here."""

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import solve_ivp

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.papers import compass
from mocap_reroot.papers.compass import CompassModel
from mocap_reroot.papers.integrate import State
from mocap_reroot.papers.walker import Stance

STATES = ["theta_stance", "theta_swing", "dtheta_stance", "dtheta_swing"]


class DoublePendulum:
    """Stance and swing angles from the vertical, by Lagrange; impacts by points and velocities."""

    def __init__(self, model):
        self.m, self.mh, self.leg = model.leg_mass, model.hip_mass, model.length
        self.b, self.a = model.distance, model.length - model.distance
        self.g, self.slope = model.gravity, model.slope

    def rate(self, _, y):
        s, w, ds, dw = y
        m, mh, leg, a, b, g = self.m, self.mh, self.leg, self.a, self.b, self.g
        k, delta = m * leg * b, s - w
        mass = [[m * a**2 + (m + mh) * leg**2, -k * np.cos(delta)], [-k * np.cos(delta), m * b**2]]
        force = [
            k * np.sin(delta) * dw**2 + (m * a + mh * leg + m * leg) * g * np.sin(s),
            -k * np.sin(delta) * ds**2 - m * g * b * np.sin(w),
        ]
        return [ds, dw, *np.linalg.solve(mass, force)]

    def masses(self, s, w, ds, dw):
        """Positions from the standing foot and velocities: stance leg, hip, swing leg."""
        leg = np.array([-np.sin(s), np.cos(s)]), ds * np.array([-np.cos(s), -np.sin(s)])
        other = np.array([np.sin(w), -np.cos(w)]), dw * np.array([np.cos(w), np.sin(w)])
        x = [self.a * leg[0], self.leg * leg[0], self.leg * leg[0] + self.b * other[0]]
        v = [self.a * leg[1], self.leg * leg[1], self.leg * leg[1] + self.b * other[1]]
        return np.array(x), np.array(v), x[1] + self.leg * other[0]

    def impact(self, y):
        """The swing leg stands from now on; momentum about its foot, and of the other leg."""
        s, w, ds, dw = y
        x, v, foot = self.masses(s, w, ds, dw)
        mass = np.array([self.m, self.mh, self.m])

        def cross(r, u):
            return r[..., 0] * u[..., 1] - r[..., 1] * u[..., 0]

        whole = (mass * cross(x - foot, v)).sum()
        leg = self.m * cross(x[0] - x[1], v[0])
        columns = []
        for unit in ((1.0, 0.0), (0.0, 1.0)):
            new_x, new_v, _ = self.masses(w, s, *unit)
            total = (mass * cross(new_x, new_v)).sum()
            columns.append([total, self.m * cross(new_x[2] - new_x[1], new_v[2])])
        return np.array([w, s, *np.linalg.solve(np.transpose(columns), [whole, leg])])

    def walk(self, y, steps):
        def height(_, y):
            ahead = y[1] > y[0]
            return np.cos(y[0] + self.slope) - np.cos(y[1] + self.slope) if ahead else 1.0

        height.terminal, height.direction = True, -1
        rows = []
        for _ in range(steps):
            y = self.impact(y)
            found = solve_ivp(
                self.rate, (0, 5), y, "DOP853", events=height, rtol=1e-12, atol=1e-13, max_step=0.02
            )
            rows.append([found.t[-1], *y])
            y = found.y[:, -1]
        return pd.DataFrame(rows, columns=["duration", *STATES])


MODELS = {
    "table 1": CompassModel(),
    "other masses": CompassModel(slope=0.05, leg_mass=1.3, hip_mass=3.0, distance=0.45),
    "moon": CompassModel(gravity=9.0, length=0.9, distance=0.45),
}


@pytest.mark.parametrize("name", MODELS)
def test_equals_an_independent_integration(name):
    model, steps = MODELS[name], 6
    ours = compass.simulate(model, steps=steps, dt=2e-3)
    _, state = model.at_collision()
    hip = state.q[0] + state.q[1]
    start = np.array([state.q[0], hip, state.speed[0], state.speed.sum()])
    theirs = DoublePendulum(model).walk(start, steps)
    assert list(ours.steps["step"]) == list(range(steps))
    for column in ["duration", *STATES]:
        assert np.abs(ours.steps[column] - theirs[column]).max() < 1e-6, column


@pytest.fixture(scope="module")
def settled():
    return compass.simulate(CompassModel(), steps=30, dt=2e-3)


def test_gait_settles_and_energy_is_kept(settled):
    assert settled.summary["energy_drift"] < 1e-9
    assert settled.summary["last_change"] < 1e-8
    changes = np.abs(np.diff(settled.steps[STATES], axis=0)).max(axis=1)
    assert changes[-1] < 1e-4 * changes[0]
    # every impact loses energy, and the slope gives it back: one step down, one loss
    totals = settled.trajectory.groupby("step")["energy"].first()
    assert (np.diff(totals) < 0).all()
    path, model = settled.trajectory, settled.model
    feet = path[path["step"] == 29].iloc[[0, -1]]
    drop = abs(feet["right_foot_z"].iloc[1] - feet["left_foot_z"].iloc[1])
    weight = (2 * model.leg_mass + model.hip_mass) * model.gravity
    assert np.diff(totals)[-1] == pytest.approx(-weight * drop, rel=1e-6)


def test_switched_model_equals_the_mirrored_one_built_afresh(settled):
    model = settled.model
    for impact in settled.walk.impacts:
        (old, before), (stance, state) = impact.before, impact.after
        side = stance.tip.name
        fresh = Stance(stance.walker, model.skeleton(side), stance.tip)
        switched = stance.skeleton
        root, other = switched.root, 1 - switched.root
        assert (switched.parents == fresh.skeleton.parents).all()
        assert np.abs(switched.origin - fresh.skeleton.origin).max() < 1e-12
        assert np.abs(switched.offset[other] - fresh.skeleton.offset[other]).max() < 1e-12
        # the same pose and motion in the fresh model's coordinates
        found = compass.angles(stance, state)
        angle, rate = np.array([found[name] for name in switched.names]).T
        q, speed = angle.copy(), rate.copy()
        q[other] -= angle[root]
        speed[other] -= rate[root]
        assert np.abs(stance.tree.mass_matrix(state.q) - fresh.tree.mass_matrix(q)).max() < 1e-10
        again = State(0.0, q, speed)
        assert np.abs(stance.acceleration(state) - fresh.acceleration(again)).max() < 1e-9
        assert stance.energies(state)[0] == pytest.approx(fresh.energies(again)[0], rel=1e-10)
        # it looks the same as before it was turned over (A2)
        for tip in stance.walker.tips:
            assert np.abs(stance.point(state.q, tip) - old.point(before.q, tip)).max() < 1e-12


def test_feet_strike_the_slope(settled):
    for impact in settled.walk.impacts:
        stance, state = impact.after
        assert abs(stance.height(state.q, stance.tip)) < 1e-9


def test_files(tmp_path):
    result = compass.run(tmp_path, steps=4, dt=4e-3)
    steps = pd.read_csv(tmp_path / "steps.csv")
    assert list(steps.columns) == ["step", "duration", *STATES]
    assert np.abs(steps.to_numpy() - result.steps.to_numpy()).max() < 1e-12
    path = pd.read_csv(tmp_path / "trajectory.csv")
    assert {"time", "kinetic", "potential", "energy"} <= set(path.columns)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2
    assert (tmp_path / "figure10.svg").exists()
    assert (tmp_path / "figure11.svg").exists()


def test_what_cannot_walk_says_so():
    with pytest.raises(MocapRerootError, match=r"made no step .*fell: the hip"):
        compass.simulate(CompassModel(slope=-0.4), steps=1, dt=5e-3)
    with pytest.raises(MocapRerootError, match="between hip and foot"):
        CompassModel(distance=2.0)
    with pytest.raises(MocapRerootError, match="positive leg mass"):
        CompassModel(leg_mass=0.0)
