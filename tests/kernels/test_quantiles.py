"""Selection against sorting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mocap_reroot.kernels.paths import footprints
from mocap_reroot.kernels.quantiles import median, quantile

FEW_VALUES = arrays(np.float64, st.integers(1, 40), elements=st.integers(-5, 5).map(float))


@given(FEW_VALUES)
def test_median_is_that_of_sorted_values(values):
    assert median(values.copy(), len(values)) == np.median(values)


@given(FEW_VALUES, st.sampled_from([0.0, 0.2, 0.5, 0.95, 1.0]))
def test_quantile_lies_between_sorted_values(values, share):
    found = quantile(values.copy(), len(values), share)
    np.testing.assert_allclose(found, np.quantile(values, share), atol=1e-14)


@pytest.mark.parametrize(
    "pattern", [np.arange, lambda n: -np.abs(np.arange(n) - n // 2), lambda n: np.arange(n) % 2]
)
def test_patterns_of_long_series_are_selected_alike(pattern):
    """Rising, up and down, and alternating: where a fixed pivot would compare all with all."""
    values = pattern(1_000_001).astype(float)
    assert median(values.copy(), len(values)) == np.median(values)


def test_footprint_is_where_the_calmer_half_of_a_run_is():
    generator = np.random.default_rng(4)
    speed, series = generator.random(50), generator.random((3, 50))
    edges = np.array([[0, 7], [9, 10], [12, 50]])
    found = np.empty((3, 3, 2))
    footprints(speed, series, edges, found)
    for (start, stop), mine in zip(edges, found, strict=True):
        calm = speed[start:stop] <= np.median(speed[start:stop])
        there = series[:, start:stop][:, calm]
        np.testing.assert_allclose(mine[:, 0], np.median(there, axis=1), rtol=1e-15)
        np.testing.assert_array_equal(mine[:, 1], there.max(axis=1))
