"""The kernels of load sharing against slow twins that do the same one frame at a time."""

from __future__ import annotations

import numpy as np
import pytest

from mocap_reroot.ground.admissible import FARTHEST, STEP, TOLERANCE, give_way
from mocap_reroot.ground.sharing import away_from_seams, transfer
from mocap_reroot.ground.support import Support, nearest
from mocap_reroot.kernels.sharing import hold
from mocap_reroot.kernels.soles import place, slowest
from mocap_reroot.numerics.vectors import level_axes
from mocap_reroot.types import read_only

UP = np.array([0.1, 0.2, 1.0]) / np.linalg.norm([0.1, 0.2, 1.0])
AXES = level_axes(UP)
FRAMES = 40


def feet(seed: int, count: int = 2, parts: int = 2, corners: int = 5) -> np.ndarray:
    """Return ``(f, part, corner, 3, F)`` convex outlines about 0.1 m wide, 0.4 m apart."""
    rng = np.random.default_rng(seed)
    middle = np.arange(count)[:, None, None, None] * [0.4, 0.1, 0.0]
    middle = middle + np.arange(parts)[:, None, None] * [0.0, 0.15, 0.0]
    turns = np.sort(rng.uniform(0, 2 * np.pi, (count, parts, corners, FRAMES)), axis=2)
    flat = np.stack([np.cos(turns), np.sin(turns), 0 * turns], axis=3)
    return middle[..., None] + 0.07 * flat


def naive_nearest(point: np.ndarray, outlines: np.ndarray) -> np.ndarray:
    """Return the point ``(3)`` inside one of the outlines ``(part, corner, 3)``, from above."""
    x, best = AXES @ point, np.full(2, np.inf)
    for outline in outlines @ AXES.T:
        edges = np.roll(outline, -1, axis=0) - outline
        side = [e[0] * (x - c)[1] - e[1] * (x - c)[0] for c, e in zip(outline, edges, strict=True)]
        if min(side) >= 0 or max(side) <= 0:
            return point
        for c, e in zip(outline, edges, strict=True):
            near = c + np.clip((x - c) @ e / (e @ e), 0, 1) * e
            if np.linalg.norm(near - x) < np.linalg.norm(best - x):
                best = near
    return point + (best - x) @ AXES


def naive_press(base, shares, centre, outlines):
    """Return pressures ``(f, 3)`` and how far their mean is from the centre, from above."""
    place = base.copy()
    for _ in range(6):
        for k in np.flatnonzero(shares > 1e-6):
            gap = centre - shares @ place
            place[k] = naive_nearest(place[k] + (gap - UP * (UP @ gap)) / shares[k], outlines[k])
    return place, float(np.linalg.norm(AXES @ (centre - shares @ place)))


def naive_give_way(base, shares, centre, outlines):
    """Try every change of two feet's shares, one after the other."""
    place, miss = naive_press(base, shares, centre, outlines)
    wanted = shares[0]
    for change in np.arange(1, round(FARTHEST / STEP) + 1) * STEP:
        for sign in (1, -1):
            if miss > TOLERANCE:
                first = np.clip(wanted + sign * change, 0, 1)
                trial = np.array([first, 1 - first])
                there, missed = naive_press(base, trial, centre, outlines)
                if missed < miss - 0.5 * TOLERANCE:
                    shares, place, miss = trial, there, missed
    return shares, place, miss


def support_on(part: np.ndarray, corners: np.ndarray, seen: np.ndarray | None = None) -> Support:
    shape = (len(part), 3, part.shape[1])
    normal = np.repeat(np.tile(UP, (len(part), 1))[..., None], part.shape[1], axis=-1)
    sizes = tuple((corners.shape[2],) * corners.shape[1] for _ in part)
    seen = part >= 0 if seen is None else seen
    names = tuple(range(len(part)))
    return Support(names, part, np.zeros(shape), normal, corners, sizes, ((),) * len(names), seen)


@pytest.mark.parametrize("seed", range(3))
def test_nearest_is_that_of_the_twin(seed: int) -> None:
    corners = feet(seed)[0]
    point = np.random.default_rng(seed).normal(scale=0.15, size=(3, FRAMES))
    found = nearest(point, corners, UP)
    expected = [naive_nearest(point[:, f], corners[..., f]) for f in range(FRAMES)]
    np.testing.assert_allclose(found, np.transpose(expected), atol=1e-12)
    np.testing.assert_allclose(UP @ found, UP @ point, atol=1e-12)  # heights are kept


@pytest.mark.parametrize("seed", range(4))
def test_what_gives_way_is_what_the_twin_finds_by_trying_everything(seed: int) -> None:
    rng = np.random.default_rng(seed)
    corners = feet(seed)
    base = corners.mean(axis=(1, 2)) + rng.normal(scale=0.05, size=(2, 3, FRAMES))
    first = rng.uniform(0, 1, FRAMES)
    wanted = np.stack([first, 1 - first])
    near = np.clip(first + rng.normal(scale=0.25, size=FRAMES), 0, 1)
    centre = near * base[0] + (1 - near) * base[1] + rng.normal(scale=0.05, size=(3, FRAMES))
    support = support_on(np.zeros((2, FRAMES), int), corners)
    found = give_way(base, wanted, centre, support, UP, np.ones(FRAMES))
    twins = [
        naive_give_way(base[..., f], wanted[:, f], centre[:, f], corners[..., f])
        for f in range(FRAMES)
    ]
    changed = sum(not np.array_equal(twin[0], wanted[:, f]) for f, twin in enumerate(twins))
    assert changed > FRAMES // 4  # or nothing would have been tried
    for f, (shares, pressures, miss) in enumerate(twins):
        np.testing.assert_allclose(found[0][:, f], shares, atol=1e-12)
        np.testing.assert_allclose(AXES @ found[1][..., f].T, AXES @ pressures.T, atol=1e-9)
        assert abs(found[2][f] - miss) < 1e-9


def test_nothing_gives_way_where_one_foot_carries_or_the_centre_is_unknown() -> None:
    corners = feet(5)
    base, part = corners.mean(axis=(1, 2)), np.zeros((2, FRAMES), int)
    part[1, :10] = -1
    centre = np.full((3, FRAMES), 5.0)
    centre[:, 10:20] = np.nan
    wanted = np.full((2, FRAMES), 0.5)
    shares, place, miss = give_way(
        base, wanted, centre, support_on(part, corners), UP, np.ones(FRAMES)
    )
    np.testing.assert_array_equal(shares[:, :20], 0.5)
    np.testing.assert_array_equal(place[..., :20], base[..., :20])
    assert (miss[:20] == 0).all()
    assert (miss[20:] > 1).all()


def test_clock_hands_over_within_every_double_support() -> None:
    on = np.zeros((2, 60), bool)
    on[0, :20], on[1, 10:50], on[0, 40:] = True, True, True
    support = support_on(np.where(on, 0, -1), np.zeros((2, 1, 4, 3, 60)))
    clock = transfer(on, 100.0)
    np.testing.assert_allclose(clock.sum(axis=0), 1, atol=1e-15)
    assert (clock[~on] == 0).all()
    s = np.arange(1, 11) / 11
    rise = 0.5 * s + 0.5 * s * s * (3 - 2 * s)
    np.testing.assert_allclose(clock[1, 10:20], rise / (rise + rise[::-1]), atol=1e-15)
    np.testing.assert_allclose(clock[0, 40:50], rise / (rise + rise[::-1]), atol=1e-15)
    eased = away_from_seams(support, 100.0)
    assert (eased[support.count == 1] == 0).all()
    np.testing.assert_allclose(eased[10:20], eased[10:20][::-1], atol=1e-15)
    s = np.minimum(np.arange(1, 11), np.arange(10, 0, -1)) / 6  # a seam reaches 5 frames
    np.testing.assert_allclose(eased[10:20], s * s * (3 - 2 * s), atol=1e-15)


def test_a_stance_holds_the_pressure_of_the_nearest_frame_alone() -> None:
    on = np.array([1, 1, 1, 1, 1, 1, 1, 0, 1, 1], bool)
    alone = np.array([0, 1, 0, 0, 0, 1, 0, 0, 0, 0], bool)
    where = np.tile(np.arange(10.0), (3, 1))
    hold(read_only(on, bool), read_only(alone, bool), where)
    assert where[0].tolist() == [1, 1, 1, 1, 5, 5, 5, 7, 8, 9]


def test_the_slowest_corner_is_that_of_differences() -> None:
    corners = feet(3)[0]
    corners[0, 0, 1, 7] = np.nan
    on = np.arange(FRAMES) % 5 > 0
    way = np.empty(FRAMES)
    slowest(read_only(corners), read_only(on, bool), way)
    speed = np.linalg.norm(np.gradient(corners, axis=-1), axis=2).min(axis=(0, 1))
    known = on & np.isfinite(speed)
    assert known.sum() == on.sum() - 2  # a corner is unknown before and after frame 7
    np.testing.assert_allclose(way[known], speed[known], atol=1e-15)
    assert np.isnan(way[~known]).all()


def test_placed_points_are_turned_and_moved() -> None:
    half = np.sqrt(0.5)
    turn = np.repeat(np.array([half, 0, 0, half])[:, None], 2, axis=1)  # a quarter about z
    moved, out = np.array([[1.0, 2], [0, 0], [0, 5]]), np.empty((1, 3, 2))
    place(read_only(turn), read_only(moved), read_only([[0.5, 0.0, 0.2]]), out)
    np.testing.assert_allclose(out[0], [[1, 2], [0.5, 0.5], [0.2, 5.2]], atol=1e-15)
