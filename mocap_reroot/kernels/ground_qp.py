"""Least squares under inequalities, banded in time: Mehrotra's interior point on a band Cholesky.

Minimise ½|Lz − y|² where Gz ≤ 0. Rows of L and G have few columns that lie near each other, so that
H = LᵀL + GᵀDG has a narrow band, whose width may change along it. Columns come in groups of six:
group g holds rows 6g to ``last[g]``, which never falls, column after column from ``head[g]`` on;
only the lower triangle counts.

Nocedal and Wright, Numerical Optimization, 2nd edition, algorithm 16.4.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mocap_reroot.kernels.compiling import kernel


class Rows(NamedTuple):
    """Sparse rows: row i has columns ``column[begin[i]:begin[i + 1]]``, with values."""

    begin: np.ndarray
    column: np.ndarray
    value: np.ndarray


WIDE = 6
"""Unknowns come in groups of so many; their columns are finished together."""
REACH = 256
"""Rows that a group of columns may reach at the most."""
START_SLACK, START_MEAN = 0.05, 10.0
"""Least slack, and product of slack and price, to start from: of 0.02–0.5 and 0.01–100 these take
fewest iterations on walks, runs, jumps and dances (5 to 10)."""
SHORT = 1e-4
"""Body weights by which a bound may be missed."""


@kernel
def envelope(least, under, last):
    """Set last ``(groups)``: the last row that the columns of each group reach in the factor."""
    groups = len(last)
    for g in range(groups):
        last[g] = WIDE * g + WIDE - 1
    for rows in (least, under):
        for i in range(len(rows.begin) - 1):
            a, b = rows.begin[i], rows.begin[i + 1]
            if b > a:
                first = end = rows.column[a]
                for p in range(a + 1, b):
                    first, end = min(first, rows.column[p]), max(end, rows.column[p])
                first, end = first // WIDE, end // WIDE
                last[first] = max(last[first], WIDE * end + WIDE - 1)
    for g in range(1, groups):
        last[g] = max(last[g], last[g - 1])


@kernel
def _add_squares(rows, weight, head, last, h):
    """Add Σ weight[i] · rowᵢᵀ rowᵢ to the lower triangle h."""
    for i in range(len(rows.begin) - 1):
        a, b = rows.begin[i], rows.begin[i + 1]
        for p in range(a, b):
            g = rows.column[p] // WIDE
            top = WIDE * g
            at = head[g] + (rows.column[p] - top) * (last[g] + 1 - top) - top
            v = weight[i] * rows.value[p]
            for q in range(a, b):
                if rows.column[q] >= rows.column[p]:
                    h[at + rows.column[q]] += v * rows.value[q]


@kernel
def _times(rows, z, out):
    """Set out = rows z."""
    for i in range(len(rows.begin) - 1):
        total = 0.0
        for p in range(rows.begin[i], rows.begin[i + 1]):
            total += rows.value[p] * z[rows.column[p]]
        out[i] = total


@kernel
def _add_transposed(rows, x, out):
    """Add rowsᵀ x to out."""
    for i in range(len(rows.begin) - 1):
        for p in range(rows.begin[i], rows.begin[i + 1]):
            out[rows.column[p]] += rows.value[p] * x[i]


@kernel
def _finish(at, size, h, panel):
    """Finish a group of columns, ``size`` rows each, and copy it; False if it is not positive."""
    for c in range(WIDE):  # the square on the diagonal
        d = h[at + c * size + c]
        for k in range(c):
            d -= panel[k * REACH + c] * panel[k * REACH + c]
        if not d > 0.0:
            return False
        d = np.sqrt(d)
        panel[c * REACH + c] = d
        for r in range(c + 1, WIDE):
            v = h[at + c * size + r]
            for k in range(c):
                v -= panel[k * REACH + c] * panel[k * REACH + r]
            panel[c * REACH + r] = v / d
    d0, d1, d2 = 1 / panel[0], 1 / panel[REACH + 1], 1 / panel[2 * REACH + 2]
    d3, d4, d5 = 1 / panel[3 * REACH + 3], 1 / panel[4 * REACH + 4], 1 / panel[5 * REACH + 5]
    l01, l02, l03, l04, l05 = panel[1], panel[2], panel[3], panel[4], panel[5]
    l12, l13, l14, l15 = panel[REACH + 2], panel[REACH + 3], panel[REACH + 4], panel[REACH + 5]
    l23, l24, l25 = panel[2 * REACH + 3], panel[2 * REACH + 4], panel[2 * REACH + 5]
    l34, l35, l45 = panel[3 * REACH + 4], panel[3 * REACH + 5], panel[4 * REACH + 5]
    c1, c2, c3, c4, c5 = at + size, at + 2 * size, at + 3 * size, at + 4 * size, at + 5 * size
    for r in range(WIDE, size):  # and the rows below it
        x0 = h[at + r] * d0
        x1 = (h[c1 + r] - l01 * x0) * d1
        x2 = (h[c2 + r] - l02 * x0 - l12 * x1) * d2
        x3 = (h[c3 + r] - l03 * x0 - l13 * x1 - l23 * x2) * d3
        x4 = (h[c4 + r] - l04 * x0 - l14 * x1 - l24 * x2 - l34 * x3) * d4
        x5 = (h[c5 + r] - l05 * x0 - l15 * x1 - l25 * x2 - l35 * x3 - l45 * x4) * d5
        panel[r] = x0
        panel[REACH + r] = x1
        panel[2 * REACH + r] = x2
        panel[3 * REACH + r] = x3
        panel[4 * REACH + r] = x4
        panel[5 * REACH + r] = x5
    for c in range(WIDE):
        for r in range(c, size):
            h[at + c * size + r] = panel[c * REACH + r]
        for r in range(size, size + 8):
            panel[c * REACH + r] = 0.0
    return True


@kernel
def _subtract(panel, h, t, length, one, two):
    """Subtract the products of a finished group from two columns, which begin there, from row t."""
    a0, b0 = panel[t], panel[t + 1]
    a1, b1 = panel[REACH + t], panel[REACH + t + 1]
    a2, b2 = panel[2 * REACH + t], panel[2 * REACH + t + 1]
    a3, b3 = panel[3 * REACH + t], panel[3 * REACH + t + 1]
    a4, b4 = panel[4 * REACH + t], panel[4 * REACH + t + 1]
    a5, b5 = panel[5 * REACH + t], panel[5 * REACH + t + 1]
    for r in range(length):
        p0, p1, p2 = panel[t + r], panel[REACH + t + r], panel[2 * REACH + t + r]
        p3, p4, p5 = panel[3 * REACH + t + r], panel[4 * REACH + t + r], panel[5 * REACH + t + r]
        h[one + r] -= a0 * p0 + a1 * p1 + a2 * p2 + a3 * p3 + a4 * p4 + a5 * p5
        h[two + r] -= b0 * p0 + b1 * p1 + b2 * p2 + b3 * p3 + b4 * p4 + b5 * p5


@kernel
def _factor(head, last, h, panel):
    """Replace the lower triangle by its Cholesky factor; return False if it is not positive.

    A group of columns is finished and then subtracted from those after it in one pass, two at a
    time: they are read and written once for six products. Beyond its rows the copy of the group is
    zero, so that lengths may be rounded up.
    """
    for g in range(len(last)):
        top = WIDE * g
        size = last[g] + 1 - top
        if not _finish(head[g], size, h, panel):
            return False
        for other in range(g + 1, (last[g] + 1) // WIDE):
            start = WIDE * other
            there = last[other] + 1 - start
            for c in range(0, WIDE, 2):
                t = start + c - top
                length = (size - t + 7) // 8 * 8
                at = head[other] + c * there + c
                _subtract(panel, h, t, length, at, at + there)
    return True


@kernel
def _solve(head, last, factor, x):
    """Replace x by the solution of H solution = x."""
    groups = len(last)
    for g in range(groups):
        top = WIDE * g
        size = last[g] + 1 - top
        for c in range(WIDE):
            column = factor[head[g] + c * size : head[g] + (c + 1) * size]
            x[top + c] /= column[c]
            v = x[top + c]
            for r in range(c + 1, size):
                x[top + r] -= v * column[r]
    for g in range(groups - 1, -1, -1):
        top = WIDE * g
        size = last[g] + 1 - top
        at = head[g]
        s0 = s1 = s2 = s3 = s4 = s5 = 0.0
        for r in range(WIDE, size):
            v = x[top + r]
            s0 += factor[at + r] * v
            s1 += factor[at + size + r] * v
            s2 += factor[at + 2 * size + r] * v
            s3 += factor[at + 3 * size + r] * v
            s4 += factor[at + 4 * size + r] * v
            s5 += factor[at + 5 * size + r] * v
        sums = (s0, s1, s2, s3, s4, s5)
        for c in range(WIDE - 1, -1, -1):
            total = x[top + c] - sums[c]
            for r in range(c + 1, WIDE):
                total -= factor[at + c * size + r] * x[top + r]
            x[top + c] = total / factor[at + c * size + c]


@kernel
def _furthest(x, step):
    """Return the largest share of a step that keeps x positive, at most 1."""
    share = 1.0
    for i in range(len(x)):
        if step[i] < 0.0:
            share = min(share, -x[i] / step[i])
    return share


@kernel
def _direction(under, slack, price, short, centre, gradient, head, last, factor, dz, ds, dp):
    """Solve for one Newton step, of unknowns, slacks and prices, by a factor that is known."""
    for j in range(len(dz)):
        dz[j] = -gradient[j]
    for i in range(len(slack)):
        dp[i] = -(centre[i] + price[i] * short[i]) / slack[i]
    _add_transposed(under, dp, dz)
    _solve(head, last, factor, dz)
    _times(under, dz, ds)
    for i in range(len(slack)):
        ds[i] = -short[i] - ds[i]
        dp[i] = (centre[i] - price[i] * ds[i]) / slack[i]


@kernel
def minimise(least, wanted, under, head, last, most, enough, z):
    """Minimise ½|least z − wanted|² where under z ≤ 0.

    Args:
        least, wanted: Rows and what they should be; each scaled by its standard deviation.
        under: Rows that must not be positive.
        head, last: The band, see above.
        most: Iterations at the most.
        enough: Mean product of slack and price at which the solution is good enough.
        z: ``(n)`` where it starts; becomes the solution.

    Returns:
        Number of iterations; −1 if H was not positive, −2 if they did not suffice.
    """
    n, m, rows = len(z), len(under.begin) - 1, len(least.begin) - 1
    base = np.zeros(head[-1] + 16)
    panel = np.zeros(WIDE * REACH + 8)
    _add_squares(least, np.ones(rows), head, last, base)
    h, dz, gradient, off = np.empty(len(base)), np.empty(n), np.zeros(n), np.empty(rows)
    h[:] = base
    if not _factor(head, last, h, panel):
        return -1
    _add_transposed(least, wanted, gradient)
    z[:] = gradient
    _solve(head, last, h, z)
    if m == 0:
        return 0
    slack, price, short, ds, dp = np.empty((5, m))
    centre, weight = np.empty((2, m))
    _times(under, z, slack)
    worst = 0.0
    for i in range(m):
        worst = max(worst, slack[i])
    if worst <= 0.0:
        return 0
    for i in range(m):
        slack[i] = max(-slack[i], START_SLACK)
        price[i] = START_MEAN / slack[i]
    for iteration in range(1, most + 1):
        _times(least, z, off)
        for i in range(rows):
            off[i] -= wanted[i]
        gradient[:] = 0.0
        _add_transposed(least, off, gradient)
        _add_transposed(under, price, gradient)
        _times(under, z, short)
        mean, far = 0.0, 0.0
        for i in range(m):
            short[i] += slack[i]
            mean += slack[i] * price[i] / m
            far = max(far, abs(short[i]))
        if mean < enough and far < SHORT:
            return iteration - 1
        for i in range(m):
            weight[i] = price[i] / slack[i]
            centre[i] = -slack[i] * price[i]
        h[:] = base
        _add_squares(under, weight, head, last, h)
        if not _factor(head, last, h, panel):
            return -1
        _direction(under, slack, price, short, centre, gradient, head, last, h, dz, ds, dp)
        share = min(_furthest(slack, ds), _furthest(price, dp))
        after = 0.0
        for i in range(m):
            after += (slack[i] + share * ds[i]) * (price[i] + share * dp[i]) / m
        aim = mean * (after / mean) ** 3
        for i in range(m):
            centre[i] = aim - slack[i] * price[i] - ds[i] * dp[i]
        _direction(under, slack, price, short, centre, gradient, head, last, h, dz, ds, dp)
        share = min(1.0, 0.99 * min(_furthest(slack, ds), _furthest(price, dp)))
        if not share > 0.0:
            return -2
        for j in range(n):
            z[j] += share * dz[j]
        for i in range(m):
            slack[i] += share * ds[i]
            price[i] += share * dp[i]
    return -2
