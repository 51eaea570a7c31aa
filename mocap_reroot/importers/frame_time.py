"""Frame rate from a printed frame time, no more exact than its digits allow."""

from __future__ import annotations

import re

from mocap_reroot.config import RATES, is_rate

FALLBACK_FPS = 30.0
"""Assumed when a file does not state its frame time."""

ASSUMED_AMC_FPS = 120.0
"""Assumed of Acclaim motions, which never state it: the rate of nearly all of the CMU library."""

_COMMON = (30, 60, 120, 24, 25, 50, 100, 200, 240)
_BROADCAST = tuple(rate * 1000 / 1001 for rate in (24, 30, 60, 120, 240))
_NUMBER = re.compile(r"[+-]?\d*\.?(\d*)(?:[eE]([+-]?\d+))?$")


def nominal_rate(printed: str) -> float:
    """Return the rate a printed frame time stands for.

    A frame time is rounded or cut when it is printed: ``.0083333`` is 1/120 s and ``0.033`` is
    1/30 s. The rate is the nominal one if it lies within one unit of the last printed digit, else
    the reciprocal of the number as it stands.

    Args:
        printed: A positive number, s.
    """
    seconds = float(printed)
    rate = 1 / seconds
    whole = float(round(rate))
    if whole and abs(rate - whole) <= 1e-9 * whole:
        return whole
    match = _NUMBER.match(printed.strip())
    if match is None:
        return rate
    unit = 10.0 ** (int(match[2] or 0) - len(match[1]))
    precision = unit / seconds
    if precision <= 1e-3:
        candidates: tuple[float, ...] = (whole, *_BROADCAST)
    elif precision <= 0.15:  # too coarse for any whole number: only what cameras really do
        candidates = _COMMON
    else:
        return rate
    fitting = [c for c in candidates if c and abs(1 / c - seconds) < unit * (1 + 1e-6)]
    return min(fitting, key=lambda c: abs(1 / c - seconds)) if fitting else rate


def is_frame_time(printed: str) -> bool:
    """Whether a word is a usable frame time: seconds that are a time base."""
    try:
        seconds = float(printed)
    except ValueError:
        return False
    near = 0.9 / RATES[1] < seconds < 1.1 / RATES[0]  # else digits are not worth looking at
    return near and is_rate(nominal_rate(printed))
