"""The solver of the ground problem, against the conditions that only its solution fulfils."""

import numpy as np
import pytest

from mocap_reroot.kernels.ground_qp import WIDE, Rows, envelope, minimise


def _rows(rng, count, each, span, n):
    columns = np.concatenate(
        [rng.integers(0, n - span) + rng.permutation(span)[:each] for _ in range(count)]
    )
    return Rows(np.arange(count + 1) * each, columns, rng.normal(size=count * each))


def _with_diagonal(rows, n, value):
    more = rows.begin[-1] + 1 + np.arange(n)
    return Rows(
        np.concatenate([rows.begin, more]),
        np.concatenate([rows.column, np.arange(n)]),
        np.concatenate([rows.value, np.full(n, value)]),
    )


def _dense(rows, n):
    matrix = np.zeros((len(rows.begin) - 1, n))
    for i, (a, b) in enumerate(zip(rows.begin[:-1], rows.begin[1:], strict=True)):
        np.add.at(matrix[i], rows.column[a:b], rows.value[a:b])
    return matrix


def _solved(least, wanted, under, n, enough=1e-10):
    last = np.empty(n // WIDE, np.int64)
    envelope(least, under, last)
    head = np.concatenate([[0], np.cumsum(WIDE * (last + 1 - WIDE * np.arange(n // WIDE)))])
    z = np.zeros(n)
    return z, minimise(least, wanted, under, head, last, 60, enough, z)


@pytest.mark.parametrize("seed", range(6))
def test_the_solution_is_a_solution(seed):
    """Karush-Kuhn-Tucker: bounds kept, and the gradient is made of bounds that are reached."""
    rng = np.random.default_rng(seed)
    n = 120
    least = _with_diagonal(_rows(rng, 200, 4, 20, n), n, 0.5)
    under = _rows(rng, 60, 2, 12, n)
    wanted = rng.normal(size=200 + n)
    z, iterations = _solved(least, wanted, under, n)
    assert 0 < iterations < 60
    a, g = _dense(least, n), _dense(under, n)
    assert (g @ z).max() < 2e-4  # bounds may be missed by SHORT
    gradient = a.T @ (a @ z - wanted)
    reached = g @ z > -1e-3
    prices, *_ = np.linalg.lstsq(g[reached].T, -gradient, rcond=None)
    assert np.abs(g[reached].T @ prices + gradient).max() < 1e-3
    assert prices.min() > -1e-2


def test_without_bounds_it_is_least_squares():
    rng = np.random.default_rng(9)
    n = 60
    least = _with_diagonal(_rows(rng, 90, 3, 18, n), n, 0.3)
    wanted = rng.normal(size=90 + n)
    none = Rows(np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0))
    z, iterations = _solved(least, wanted, none, n)
    expected, *_ = np.linalg.lstsq(_dense(least, n), wanted, rcond=None)
    assert iterations == 0
    np.testing.assert_allclose(z, expected, atol=1e-10)


def test_what_nothing_determines_is_told():
    least = Rows(np.array([0, 1]), np.array([0]), np.array([1.0]))  # five unknowns hang in the air
    none = Rows(np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0))
    assert _solved(least, np.ones(1), none, WIDE)[1] == -1
