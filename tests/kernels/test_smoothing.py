"""What is continued beyond the ends of a run, against Burg's method written plainly."""

from __future__ import annotations

import numpy as np
import pytest

from mocap_reroot.kernels.smoothing import extend


def burg(z: np.ndarray, order: int) -> np.ndarray:
    """Return the coefficients of the samples before, the nearest first."""
    forward, backward, coefficients = z[1:], z[:-1], np.zeros(0)
    for _ in range(order):
        factor = 2 * forward @ backward / (forward @ forward + backward @ backward)
        coefficients = np.append(coefficients - factor * coefficients[::-1], factor)
        forward, backward = (forward - factor * backward)[1:], (backward - factor * forward)[:-1]
    return coefficients


def continued(x: np.ndarray, count: int, order: int) -> np.ndarray:
    """Return so many samples that follow x."""
    steps = np.diff(x)
    mean = steps.mean()
    recent = list(steps - mean)
    coefficients = burg(steps - mean, order)
    for _ in range(count):
        recent.append(coefficients @ recent[: -order - 1 : -1])
    return x[-1] + np.cumsum(np.array(recent[-count:]) + mean)


@pytest.mark.parametrize("rows", [4, 12, 24, 28, 64])
def test_rows_go_on_as_burg_predicts_however_many_there_are(rows: int) -> None:
    pad, frames, window, order = 7, 90, 60, 9
    whole = np.cumsum(np.random.default_rng(rows).normal(size=(rows, frames + 2 * pad)), axis=1)
    extended = whole.copy()
    extend(extended, pad, frames, window, order)
    for x, row in zip(whole[:, pad:-pad], extended, strict=True):
        np.testing.assert_array_equal(row[pad:-pad], x)
        np.testing.assert_allclose(row[-pad:], continued(x[-window:], pad, order), atol=1e-10)
        before = continued(x[window - 1 :: -1], pad, order)[::-1]
        np.testing.assert_allclose(row[:pad], before, atol=1e-10)


def test_what_stands_still_at_an_end_stays_and_disturbs_no_other() -> None:
    pad, frames, window, order = 7, 90, 40, 9
    whole = np.cumsum(np.random.default_rng(8).normal(size=(8, frames + 2 * pad)), axis=1)
    alone = whole.copy()
    extend(alone, pad, frames, window, order)
    whole[3] = 0.25
    whole[5, pad + frames - window :] = -2.0
    extend(whole, pad, frames, window, order)
    assert (whole[3] == 0.25).all()
    assert (whole[5, pad + frames :] == -2.0).all()
    np.testing.assert_array_equal(whole[5, :pad], alone[5, :pad])
    others = [0, 1, 2, 4, 6, 7]
    np.testing.assert_array_equal(whole[others], alone[others])
    still = np.full((4, frames + 2 * pad), 3.0)
    still[:, :pad] = still[:, -pad:] = np.nan
    extend(still, pad, frames, window, order)
    assert (still == 3.0).all()
