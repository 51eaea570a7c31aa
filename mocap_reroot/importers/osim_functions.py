"""Functions of OpenSim as piecewise polynomials."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mocap_reroot.errors import FileError
from mocap_reroot.importers.osim_xml import Element, numbers
from mocap_reroot.types import Function

SPLINES = ("SimmSpline", "NaturalCubicSpline", "natCubicSpline")
NAMES = (
    "Constant", "LinearFunction", "PolynomialFunction", "MultiplierFunction",
    "PiecewiseLinearFunction", "PiecewiseConstantFunction", "GCVSpline", *SPLINES,
)  # fmt: skip
_TINY = 1e-12


def function_of(path: Path, within: Element) -> Function | None:
    """Return the function inside an element, be it bare (4.x) or in a ``function`` (3.x).

    Raises:
        FileError: It is of a kind that is not understood.
    """
    for child in within.children:
        if child.tag in NAMES:
            return _function(path, child)
        if child.tag in ("function", "coupled_coordinates_function") and child.children:
            return function_of(path, child)
        if child.tag.endswith(("Function", "Spline")) or child.tag in ("Sine", "StepFunction"):
            raise FileError(
                path,
                f"the function {child.tag} is not understood; joints may have {', '.join(NAMES)}.",
                line=child.line,
            )
    return None


def _function(path: Path, element: Element) -> Function:
    kind = element.tag
    if kind == "Constant":
        return Function.polynomial(float(numbers(path, element.child("value"), 1)[0]))
    if kind == "MultiplierFunction":
        inner = function_of(path, element)
        if inner is None:
            raise FileError(path, "a MultiplierFunction has no function.", line=element.line)
        return inner.times(float(numbers(path, element.child("scale"), 1, 1.0)[0]))
    if kind in ("LinearFunction", "PolynomialFunction"):
        falling = numbers(path, element.child("coefficients"), -1)
        if len(falling) == 0:
            falling = np.array([1.0, 0.0] if kind == "LinearFunction" else [0.0])
        if kind == "LinearFunction" and len(falling) != 2:
            raise FileError(
                path, "a LinearFunction of several coordinates moves a joint; one was expected.",
                line=element.line,
            )  # fmt: skip
        return Function.polynomial(*falling[::-1])
    x, y = (numbers(path, element.child(tag), -1) for tag in ("x", "y"))
    if len(x) != len(y) or len(x) < 2 or not (np.diff(x) > 0).all():
        raise FileError(
            path,
            f"a {kind} has {len(x)} x and {len(y)} y; as many, at least two, were expected, x "
            "ascending.",
            line=element.line,
        )
    if kind == "GCVSpline":
        return _gcv(path, element, x, y)
    if kind == "PiecewiseConstantFunction":
        return Function(np.r_[-np.inf, x[1:]], x, y[:, None])
    if kind == "PiecewiseLinearFunction":
        return _joined(x, np.stack([y[:-1], np.diff(y) / np.diff(x)], axis=1), y[-1])
    return simm_spline(x, y)


def simm_spline(x: np.ndarray, y: np.ndarray) -> Function:
    """Return SIMM's cubic spline: third derivatives at the ends by divided differences.

    Args:
        x, y: ``(n)`` points, at least two; beyond them it goes on straight.
    """
    n, h = len(x), np.diff(x)
    slope = np.diff(y) / h
    if n == 2:
        return Function.polynomial(y[0] - slope[0] * x[0], slope[0])
    # Forsythe, Malcolm and Moler 1977, section 4.4: a third of second derivatives over two.
    matrix, right = np.zeros((n, n)), np.zeros(n)
    rows = np.arange(1, n - 1)
    matrix[rows, rows] = 2 * (h[:-1] + h[1:])
    matrix[rows, rows - 1], matrix[rows, rows + 1] = h[:-1], h[1:]
    right[1:-1] = np.diff(slope)
    matrix[0, :2], matrix[-1, -2:] = (-h[0], h[0]), (h[-1], -h[-1])
    if n > 3:
        second = right[1:-1] / (x[2:] - x[:-2])
        right[0] = (second[1] - second[0]) * h[0] ** 2 / (x[3] - x[0])
        right[-1] = -(second[-1] - second[-2]) * h[-1] ** 2 / (x[-1] - x[-4])
    c = np.linalg.solve(matrix, right)
    pieces = np.stack(
        [y[:-1], slope - h * (c[1:] + 2 * c[:-1]), 3 * c[:-1], np.diff(c) / h], axis=1
    )
    return _joined(x, pieces, y[-1])


def _joined(x: np.ndarray, pieces: np.ndarray, last: float) -> Function:
    """Return pieces between points, which go on straight beyond the first and the last."""
    d = pieces.shape[1]
    before, after = np.zeros(d), np.zeros(d)
    before[:2] = pieces[0, :2]
    h, end = x[-1] - x[-2], pieces[-1]
    after[:2] = last, sum(k * end[k] * h ** (k - 1) for k in range(1, d))
    return Function(
        np.r_[-np.inf, x], np.r_[x[0], x], np.concatenate([before[None], pieces, after[None]])
    )


def _gcv(path: Path, element: Element, x: np.ndarray, y: np.ndarray) -> Function:
    """Return the natural spline of odd degree through all points."""
    from scipy.interpolate import PPoly, make_interp_spline

    degree = int(numbers(path, element.child("half_order"), 1, 3.0)[0]) * 2 - 1
    if degree not in (1, 3, 5, 7) or len(x) <= degree:
        raise FileError(
            path, f"a GCVSpline of degree {degree} through {len(x)} points is not understood.",
            line=element.line,
        )  # fmt: skip
    free = [(k, 0.0) for k in range((degree + 1) // 2, degree)]
    spline = make_interp_spline(x, y, degree, bc_type=(free, free) if free else None)
    found = PPoly.from_spline(spline)
    wide = np.diff(found.x) > _TINY
    left = found.x[:-1][wide]
    return Function(np.r_[-np.inf, left[1:]], left, found.c[::-1, wide].T)
