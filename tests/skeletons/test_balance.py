"""Legs and trunk agree again after a spline smoothed them unequally."""

from __future__ import annotations

import numpy as np
import pytest

from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.reading import read
from mocap_reroot.skeletons.balance import (
    FAST,
    KNOWN,
    Halves,
    _whole_acceleration,
    balanced_path,
    halves_of,
)

FPS, FRAMES, CUTOFF = 100.0, 260, 3.5
WEIGHT = float((2 * np.sin(np.pi * CUTOFF / FPS)) ** -6)
UP, FORWARD = np.array([0.0, 0, 1]), np.array([1.0, 0, 0])
STEP, DOUBLE = 50, 10  # frames
MOVED = 0.8


def smoothed(path: np.ndarray) -> np.ndarray:
    """Return ``(…, F)`` after the spline."""
    third = np.diff(np.eye(path.shape[-1]), n=3, axis=0)
    return np.linalg.solve(np.eye(path.shape[-1]) + WEIGHT * third.T @ third, path.T).T


def single() -> np.ndarray:
    return np.arange(FRAMES) % STEP >= DOUBLE


def walk() -> tuple[np.ndarray, np.ndarray]:
    """Return ``(3, F)`` m, what upper body and legs add to the centre of mass.

    The whole is pushed forwards ever more while a foot stands, and braked as the next one lands.
    Legs swing briskly; the trunk does the rest.
    """
    part = np.arange(FRAMES) % STEP
    push = np.where(single(), -1 + 2 * (part - DOUBLE) / (STEP - DOUBLE), 1 - 2 * part / DOUBLE)
    push = push - push[:STEP].mean()
    whole = np.cumsum(np.cumsum(1.5 * push)) / FPS**2
    whole -= np.linspace(whole[0], whole[-1], FRAMES)
    turn = 2 * np.pi * np.arange(FRAMES) / STEP
    legs = 0.012 * np.sin(turn + 0.4) + 0.004 * np.sin(2 * turn) + 0.0012 * np.sin(3 * turn + 1)
    return np.outer(FORWARD, whole - legs), np.outer(FORWARD, legs)


def halves(upper: np.ndarray, legs: np.ndarray, returned: np.ndarray | None = None) -> Halves:
    facing = np.repeat(FORWARD[:, None], FRAMES, axis=1)
    returned = 0 * legs if returned is None else returned
    return Halves(upper, legs, returned, MOVED, facing, UP, single())


def acceleration(path: np.ndarray) -> np.ndarray:
    return np.diff(path, n=2, axis=-1)[..., 20:-20] * FPS**2


@pytest.mark.parametrize("shaken", [0.0, 3e-4])
def test_the_whole_force_comes_back(shaken: float) -> None:
    """Even if markers are shaken so that what they lost says little."""
    rng = np.random.default_rng(4)
    upper, legs = walk()
    stored = smoothed(upper)
    noise = shaken * np.sin(2 * np.pi * np.outer([5.1, 5.9, 5.4], np.arange(FRAMES)) / FPS)
    noise *= rng.uniform(0.5, 1.5, (3, 1))
    lost, doubt = (upper - stored) / MOVED + noise, noise + 1e-6 * rng.standard_normal(noise.shape)
    path = balanced_path(halves(stored, legs), lost, doubt, WEIGHT, FPS)
    truth = acceleration(upper + legs)[0]
    before = acceleration(stored + legs)[0] - truth
    markers_alone = acceleration(stored + legs + MOVED * lost)[0] - truth
    after = acceleration(stored + legs + MOVED * path)[0] - truth
    assert np.std(after) < 0.35 * np.std(before)
    if shaken:
        assert np.std(after) < 0.8 * np.std(markers_alone)
    np.testing.assert_allclose(path[1:], 0, atol=2e-3)


def test_what_knees_lost_counts() -> None:
    """Legs were stored without it, and the balance knows of it."""
    upper, legs = walk()
    stored, lost = smoothed(upper), (upper - smoothed(upper)) / MOVED
    doubt = 1e-6 * np.random.default_rng(3).standard_normal(lost.shape)
    blow = np.outer(FORWARD, 6e-4 * np.sin(2 * np.pi * 6 * np.arange(FRAMES) / FPS) * ~single())
    truth = acceleration(upper + legs)[0]
    errors = []
    for returned in (None, blow):
        part = halves(stored, legs - blow, returned)
        path = balanced_path(part, lost, doubt, WEIGHT, FPS)
        errors.append(np.std(acceleration(stored + legs - blow + MOVED * path)[0] - truth))
    assert errors[1] < 0.5 * errors[0], errors


def test_halves_of_a_child_weigh_what_it_weighs(shared_data) -> None:
    path = shared_data / "c3d/plug_in_gait/HC038A/HC038A11.c3d"
    motion = read(path, fitting="stored")
    body = body_model(motion.skeleton, source=motion.source)
    knees = np.zeros((2, 3, motion.n_frames))
    knees[0, 2] = 1.0
    found = halves_of(motion, body, detect_contacts(motion), knees)
    share = dict(zip(motion.skeleton.names, body.mass / body.total_mass, strict=True))
    leg = share["left_thigh"] + share["left_shank"]
    assert 0.4 * leg < found.returned[2, 0] < 0.6 * leg  # about half of both hangs from the knee
    assert not found.returned[:2].any()
    assert 0.7 < found.moved < 0.85
    centre = centre_of_mass(motion, body)
    np.testing.assert_allclose(found.upper + found.legs, centre, atol=1e-9)


def centre_of_mass(motion, body) -> np.ndarray:
    """Return ``(3, F)`` m, summed body by body."""
    world = forward(motion)
    points = [world.point(i, com) for i, com in enumerate(body.com)]
    return np.einsum("n,naf->af", body.mass / body.total_mass, np.stack(points))


def test_nothing_is_moved_where_nothing_was_lost() -> None:
    """A trunk so slow that the spline left it, and legs that do not swing."""
    slow = np.outer(FORWARD, 0.3 * np.sin(2 * np.pi * np.arange(FRAMES) / 250))
    still, none = 0 * slow, np.zeros((3, FRAMES))
    doubt = 1e-4 * np.random.default_rng(0).standard_normal((3, FRAMES))
    path = balanced_path(halves(slow, still), none, doubt, WEIGHT, FPS)
    assert np.abs(path).max() < 5e-4


def test_gaps_and_short_clips_are_left_alone() -> None:
    upper, legs = walk()
    lost, doubt = upper - smoothed(upper), np.full((3, FRAMES), 1e-5)
    doubt[:, ::2] *= -1
    lost[:, 100:110] = np.nan
    path = balanced_path(halves(smoothed(upper), legs), lost, doubt, WEIGHT, FPS)
    assert np.isfinite(path).all()
    assert not path[:, 100:110].any()
    assert path[0, :100].any() and path[0, 110:].any()
    lost[:, 60:] = np.nan
    assert not balanced_path(halves(upper, legs), lost, doubt, WEIGHT, FPS).any()


def test_it_is_the_least_squares_solution() -> None:
    """The sparse system against a dense one, written down as it is thought."""
    rng = np.random.default_rng(7)
    n, unsure = 90, 0.4
    upper, legs, gone = smoothed(rng.standard_normal((3, n)))
    bends = np.where(np.arange(n) % 30 < 8, FAST[0], 0.1) ** 2
    found = _whole_acceleration(upper, legs, gone, unsure, bends, WEIGHT, FPS)
    third, second = (np.diff(np.eye(n), n=k, axis=0) for k in (3, 2))
    spline = np.linalg.inv(np.eye(n) + WEIGHT * third.T @ third)
    known = upper + spline @ legs
    taken = np.eye(n) - spline
    size = max(float(np.std(known)), KNOWN)
    rows = [
        (spline / KNOWN, known / KNOWN),
        (taken / unsure, taken @ (upper + legs + gone) / unsure),
        (bends[1:-1, None] * FPS**2 / size * second, np.zeros(n - 2)),
    ]
    system, right = (np.concatenate(part) for part in zip(*rows, strict=True))
    expected = np.linalg.lstsq(system, right, rcond=None)[0]
    np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max())


def test_a_childs_upper_body_is_moved_by_millimetres(shared_data) -> None:
    path = shared_data / "c3d/plug_in_gait/HC038A/HC038A11.c3d"
    undone, stored = (read(path, fitting=way) for way in ("auto", "stored"))
    moved = undone.displacement[0] - stored.displacement[0]
    assert 1e-4 < np.sqrt(np.mean(moved**2)) < 3e-3
    assert np.abs(moved).max() < 0.015
