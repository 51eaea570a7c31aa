"""Steps and roughness of turns, against the same in plain numpy."""

from __future__ import annotations

import numpy as np
import pytest

from mocap_reroot.signals.cleaning import turn_steps


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


@pytest.mark.parametrize("frames", [2, 3, 127, 400])
def test_turns_are_those_of_plain_differences(frames: int) -> None:
    rotation = wandering(5, frames)
    for q in rotation:
        step, rough = turn_steps(q)
        naive_step, naive_rough = plain(q)
        np.testing.assert_allclose(step, naive_step, atol=1e-14)
        np.testing.assert_allclose(rough, naive_rough, atol=1e-14)
        repeats = np.flatnonzero((np.diff(np.abs(q), axis=-1) == 0).all(axis=0)) + 1
        assert len(repeats) >= (frames > 4)
        assert (step[repeats] == 0).all()


def test_what_is_not_finite_shows_beside_it_and_nowhere_else() -> None:
    q = wandering(1, 300)[0]
    q[2, 140] = np.nan
    step, rough = turn_steps(q)
    assert list(np.flatnonzero(np.isnan(step))) == [140, 141]
    assert list(np.flatnonzero(np.isnan(rough))) == [139, 140, 141]
