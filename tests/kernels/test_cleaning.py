"""Steps and roughness of turns, against the same in plain numpy."""

from __future__ import annotations

import numpy as np
import pytest

from mocap_reroot.kernels.cleaning import flips, sum_turns, turns
from mocap_reroot.types import read_only


def plain(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return step and roughness ``(F)`` of one body ``(4, F)``, signs made to agree first."""
    q = q.copy()
    for f in range(1, q.shape[1]):
        if q[:, f] @ q[:, f - 1] < 0:
            q[:, f] *= -1
    step, rough = np.zeros((2, q.shape[1]))
    step[1:] = 2 * np.linalg.norm(np.diff(q, axis=1), axis=0)
    rough[1:-1] = 2 * np.linalg.norm(np.diff(q, 2, axis=1), axis=0)
    return step, rough


def wandering(bodies: int, frames: int) -> np.ndarray:
    """Return unit quaternions of random signs that wander, some repeated."""
    rng = np.random.default_rng(bodies + frames)
    q = np.cumsum(0.1 * rng.normal(size=(bodies, 4, frames)), axis=-1)
    q[:, 0] += 1.0
    q[..., 3::7] = q[..., 2::7][..., : q[..., 3::7].shape[-1]]
    return q / np.linalg.norm(q, axis=1, keepdims=True) * rng.choice([-1.0, 1.0], frames)


@pytest.mark.parametrize("frames", [1, 2, 3, 127, 128, 129, 400])
def test_turns_are_those_of_plain_differences(frames: int) -> None:
    rotation = read_only(wandering(5, frames))
    total, largest = np.empty(frames), np.empty((2, 5))
    sum_turns(rotation, total, largest)
    expected = np.zeros(frames)
    for body, q in enumerate(rotation):
        step, rough = np.empty(frames), np.empty(frames)
        turns(q, step, rough)
        naive_step, naive_rough = plain(q)
        np.testing.assert_allclose(step, naive_step, atol=1e-14)
        np.testing.assert_allclose(rough, naive_rough, atol=1e-14)
        np.testing.assert_allclose(largest[:, body], [step.max(), rough.max()], atol=1e-14)
        expected += step
    np.testing.assert_allclose(total, expected, atol=1e-13)
    repeats = np.flatnonzero((np.diff(np.abs(rotation), axis=-1) == 0).all(axis=(0, 1))) + 1
    assert len(repeats) >= (frames > 4)
    assert (total[repeats] == 0).all()


def test_what_is_not_finite_shows_beside_it_and_nowhere_else() -> None:
    rotation = wandering(3, 300)
    rotation[1, 2, 140] = np.nan
    total, largest = np.empty(300), np.empty((2, 3))
    sum_turns(read_only(rotation), total, largest)
    assert list(np.flatnonzero(np.isnan(total))) == [140, 141]
    assert np.isfinite(largest).all()


def test_flips_are_rough_beyond_the_limit_and_half_of_the_steps() -> None:
    q = read_only(wandering(1, 300)[0])
    step, rough, found = np.empty(300), np.empty(300), np.empty(300, np.int64)
    naive_step, naive_rough = plain(q)
    limit = float(np.median(naive_rough))
    count = flips(q, limit, step, rough, found)
    around = 0.5 * (naive_step + np.append(naive_step[1:], 0.0))
    expected = np.flatnonzero((naive_rough > limit) & (naive_rough > around))
    assert 10 < len(expected) < (naive_rough > limit).sum()  # both conditions leave some out
    np.testing.assert_array_equal(found[:count], expected)
