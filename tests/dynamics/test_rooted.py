"""Support-rooted wrenches in blocks: the same as piece by piece, with plain arithmetic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mocap_reroot.contact.poses import contact_poses
from mocap_reroot.dynamics.inverse import inverse_dynamics
from mocap_reroot.dynamics.rooted import Clip, support_rooted
from mocap_reroot.errors import MocapRerootError
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.mechanics.newton_euler import newton_euler
from mocap_reroot.mechanics.whole_body import total_wrench
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.types import Motion, Rooted
from tests.ground.standing import standing

SEEDS = range(5)


def told_by_capture(rooted: Rooted, piece: Motion, force, moment) -> tuple[np.ndarray, np.ndarray]:
    """Return (n, 3, F) wrenches of a piece as the capture tree tells them, joint by joint.

    In the world every joint's wrench is turned over where the capture tree uses it from the other
    side, and moved to the capture child's capture origin.
    """
    captured, world = rooted.captured.skeleton, forward(piece)
    told = np.full((2, *force.shape), np.nan)
    for child in range(captured.n_bodies):
        parent = captured.parents[child]
        if parent < 0:
            continue
        turned = piece.skeleton.parents[parent] == child
        user = parent if turned else child
        sense = -1 if turned else 1
        there = world.position[user].T
        f, m = (
            sense * np.einsum("fij,jf->fi", world.matrix[user], x[user]) for x in (force, moment)
        )
        here = world.point(child, np.zeros(3)).T
        m = m + np.cross(there - here, f)
        for k, vector in enumerate((f, m)):
            told[k, child] = np.einsum("fji,fj->if", world.matrix[child], vector)
    return told[0], told[1]


@pytest.mark.parametrize("seed", SEEDS)
def test_blocks_equal_the_pieces(seed: int) -> None:
    rooted, body = standing(seed, frames=700)  # phases of 100: none fills a block
    found, total = support_rooted(Clip.rooted(rooted, body))
    for k, (_, piece) in enumerate(rooted):
        wrenches = newton_euler(piece, body)
        force, moment = told_by_capture(rooted, piece, wrenches.force, wrenches.moment)
        frames = slice(*rooted.span(k))
        scale = np.nanmax(np.abs(moment))
        np.testing.assert_allclose(found.force[..., frames], force, atol=1e-11 * scale)
        np.testing.assert_allclose(found.moment[..., frames], moment, atol=1e-11 * scale)
        on_root, couple = wrenches.on_root()
        top = forward(piece).position[piece.skeleton.root]
        couple = couple + np.cross((top - total.about[:, frames]).T, on_root.T).T
        np.testing.assert_allclose(total.force[:, frames], on_root, atol=1e-11 * scale)
        np.testing.assert_allclose(total.moment[:, frames], couple, atol=1e-11 * scale)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_total_needs_no_joints(seed: int) -> None:
    rooted, body = standing(seed, frames=300)
    _, total = support_rooted(Clip.rooted(rooted, body))
    alone = total_wrench(rooted.captured, body)
    scale = np.abs(total.moment).max()
    np.testing.assert_allclose(alone.force, total.force, atol=1e-11 * scale)
    np.testing.assert_allclose(alone.moment, total.moment, atol=1e-11 * scale)


def test_threads_change_nothing() -> None:
    rooted, body = standing(1, frames=3000)
    alone = inverse_dynamics(rooted, body)
    for threads in (2, 3):
        shared = inverse_dynamics(rooted, body, threads=threads)
        assert np.array_equal(alone.torque, shared.torque, equal_nan=True)
        assert np.array_equal(alone.force, shared.force, equal_nan=True)
        assert np.array_equal(alone.foot_force, shared.foot_force)


@pytest.mark.parametrize("seed", SEEDS)
def test_feet_and_the_centre_of_mass_are_where_the_world_has_them(seed: int) -> None:
    rooted, body = standing(seed, frames=300)
    placed, world = contact_poses(rooted.captured, body, rooted.contacts), forward(rooted.captured)
    for foot in rooted.contacts.feet:
        np.testing.assert_allclose(placed.position[foot], world.position[foot], atol=1e-12)
        np.testing.assert_allclose(placed.orientation[foot], world.orientation[foot], atol=1e-12)
    points = np.array([world.point(i, com) for i, com in enumerate(body.com)])
    centre = np.einsum("n,ncf->cf", body.mass, points) / body.mass.sum()
    np.testing.assert_allclose(placed.centre, centre, atol=1e-12)


@pytest.mark.parametrize("joint", ["spherical", "fixed"])
def test_supports_that_are_held_move_the_whole_body(joint: str) -> None:
    free, body = standing(3, frames=140)
    held = reroot(free.captured, free.contacts, joint=joint)
    for k, (phase, piece) in enumerate(held):
        part = held.captured.cut(*held.span(k))
        again = reroot(part, root=phase.root, at=phase.at)
        one, other = forward(again), forward(piece)
        np.testing.assert_allclose(one.position, other.position, atol=1e-10)
        np.testing.assert_allclose(one.acceleration, other.acceleration, atol=1e-8)
    result = inverse_dynamics(held, body)
    assert result.quality["root_invariance_nm"] < 1e-9 * np.nanmax(np.abs(result.torque))


def test_a_motion_rooted_before_is_refused() -> None:
    rooted, body = standing(2)
    foot = rooted.contacts.feet[0]
    twice = replace(rooted, captured=reroot(rooted.captured, root=foot))
    with pytest.raises(MocapRerootError, match="re-rooted at"):
        inverse_dynamics(twice, body)
