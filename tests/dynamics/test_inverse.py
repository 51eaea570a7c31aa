"""inverse_dynamics by identities: what the ground gives, what joints carry, whatever the root."""

from __future__ import annotations

import numpy as np
import pytest

from mocap_reroot.dynamics.inverse import inverse_dynamics
from mocap_reroot.errors import MocapRerootError
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.types import JointType
from tests.ground.shared import shared_dynamics
from tests.ground.standing import standing
from tests.mechanics.test_newton_euler import body_wrenches

SEEDS = range(5)
TURNING = (JointType.REVOLUTE, JointType.UNIVERSAL, JointType.SPHERICAL)


def ground_moment(result, about: np.ndarray) -> np.ndarray:
    """Return (F, 3) the moment of all feet about points (F, 3), from pressure and couple."""
    total = np.zeros_like(about)
    for k in range(len(result.feet)):
        arm = np.nan_to_num(result.foot_pressure[k].T - about)
        total += np.cross(arm, result.foot_force[k].T)
        total += result.foot_couple[k][:, None] * result.up
    return total


@pytest.mark.parametrize("seed", SEEDS)
def test_ground_and_residual_are_the_rate_of_momentum_less_weight(seed: int) -> None:
    rooted, body = standing(seed)
    result = shared_dynamics(rooted, body)
    world = forward(rooted.captured)
    com, force, moment = body_wrenches(world, body)
    origin = world.position[rooted.captured.skeleton.root].T
    scale = np.abs(force.sum(axis=0)).max()
    found = result.foot_force.sum(axis=0).T + result.residual_force.T
    np.testing.assert_allclose(found, force.sum(axis=0), atol=1e-9 * scale)
    known = ~(result.foot_on & ~np.isfinite(result.foot_pressure).all(axis=1)).any(axis=0)
    assert known.mean() > 0.5
    found = ground_moment(result, origin) + result.residual_moment.T
    expected = (moment + np.cross(com - origin, force)).sum(axis=0)
    np.testing.assert_allclose(found[known], expected[known], atol=1e-9 * scale)


@pytest.mark.parametrize("seed", SEEDS)
def test_residual_is_zero_where_a_foot_carries_and_total_in_flight(seed: int) -> None:
    rooted, body = standing(seed)
    result = inverse_dynamics(rooted, body)
    carried = result.foot_on.any(axis=0)
    scale = np.abs(result.foot_force).max()
    assert np.abs(result.residual_force[:, carried]).max() < 1e-12 * scale
    assert np.abs(result.residual_moment[:, carried]).max() < 1e-11 * scale
    assert (np.linalg.norm(result.residual_force[:, ~carried], axis=0) > 1e-3 * scale).all()
    assert set(result.source[carried]) == {"predicted"}
    assert set(result.source[~carried]) == {"none"}


@pytest.mark.parametrize("seed", SEEDS)
def test_torques_do_not_depend_on_the_root(seed: int) -> None:
    rooted, body = standing(seed)
    result = inverse_dynamics(rooted, body)
    largest = np.nanmax(np.abs(result.torque))
    assert result.quality["root_invariance_nm"] < 1e-9 * largest
    # the same, from the feet's pressures rather than from the wrenches they were made from
    world = forward(rooted.captured)
    com, force, moment = body_wrenches(world, body)
    skeleton = rooted.captured.skeleton
    known = ~(result.foot_on & ~np.isfinite(result.foot_pressure).all(axis=1)).any(axis=0)
    for i in result.joints:
        beyond = list(skeleton.subtree(i))
        here = world.position[i].T
        total = (moment + np.cross(com - here, force))[beyond].sum(axis=0)
        for k, foot in enumerate(result.feet):
            if foot in beyond:
                arm = np.nan_to_num(result.foot_pressure[k].T - here)
                total = total - np.cross(arm, result.foot_force[k].T)
                total = total - result.foot_couple[k][:, None] * result.up
        local = np.einsum("fji,fj->fi", world.matrix[i], total)
        np.testing.assert_allclose(
            result.torque[i].T[known], local[known], atol=1e-9 * largest, err_msg=f"joint {i}"
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_joints_ground_and_residual_supply_the_power(seed: int) -> None:
    rooted, body = standing(seed, TURNING)
    result = inverse_dynamics(rooted, body)
    motion = rooted.captured
    world = forward(motion)
    _, force, moment = body_wrenches(world, body)
    at = lambda x: np.moveaxis(x, 1, 2)  # noqa: E731
    w, v = at(world.angular_velocity), at(world.velocity)
    arm = np.einsum("nfij,nj->nfi", world.matrix, body.com)
    wanted = ((v + np.cross(w, arm)) * force + w * moment).sum(axis=(0, 2))
    root = motion.skeleton.root
    supplied = np.nansum(result.power[list(result.joints)], axis=0)
    supplied += (result.residual_force.T * v[root] + result.residual_moment.T * w[root]).sum(axis=1)
    for k, foot in enumerate(result.feet):
        there = np.nan_to_num(result.foot_pressure[k].T - world.position[foot].T)
        velocity = v[foot] + np.cross(w[foot], there)
        supplied += (result.foot_force[k].T * velocity).sum(axis=1)
        supplied += result.foot_couple[k] * (w[foot] @ result.up)
    known = ~(result.foot_on & ~np.isfinite(result.foot_pressure).all(axis=1)).any(axis=0)
    np.testing.assert_allclose(supplied[known], wanted[known], atol=1e-9 * np.abs(wanted).max())


def test_pressure_is_on_the_plane_under_the_foot() -> None:
    rooted, body = standing(3)
    result = inverse_dynamics(rooted, body)
    contacts = rooted.contacts
    for k in range(len(result.feet)):
        known = np.isfinite(result.foot_pressure[k]).all(axis=0)
        assert known.any()
        for f in np.flatnonzero(known):
            plane = contacts.planes[contacts.plane[k, f]]
            height = (result.foot_pressure[k][:, f] - plane.point) @ plane.normal
            assert abs(height) < 1e-9


def test_a_plain_motion_is_all_residual() -> None:
    rooted, body = standing(4)
    result = inverse_dynamics(rooted.captured, body)
    assert result.feet == ()
    assert set(result.mode) == {"flight"}
    assert np.linalg.norm(result.residual_force, axis=0).min() > 0
    _, force, _ = body_wrenches(forward(rooted.captured), body)
    np.testing.assert_allclose(result.residual_force.T, force.sum(axis=0), atol=1e-9)
    assert "residual_fx" in result.grf


def test_what_cannot_be_done_is_said() -> None:
    rooted, body = standing(4)
    with pytest.raises(MocapRerootError, match="no force plates"):
        shared_dynamics(rooted, body, forces="measured")
    elsewhere = reroot(rooted.captured, root=rooted.contacts.feet[0], at=[0.1, 0, 0])
    with pytest.raises(MocapRerootError, match="re-rooted"):
        inverse_dynamics(elsewhere, body)


def test_tables_have_a_row_a_frame_and_a_column_a_joint() -> None:
    rooted, body = standing(2)
    result = inverse_dynamics(rooted, body, normalise="kg")
    assert len(result.torques) == len(result.grf) == len(result.reactions) == 40
    names = [rooted.captured.skeleton.names[i] for i in result.joints]
    assert [c[:-3] for c in result.torques.columns if c.endswith("_mx")] == names
    assert np.isfinite(result.torques.select_dtypes("number").to_numpy()).all()
    ratio = result.torques[f"{names[0]}_my"] / result.extra["normalised"][f"{names[0]}_my_per_kg"]
    np.testing.assert_allclose(ratio, body.total_mass)
