"""Columns of numbers to rows of text, with a fixed number of decimals and no zeros at the end."""

from __future__ import annotations

import math

import numpy as np

from mocap_reroot.kernels.compiling import kernel

WIDTH = 24
"""Bytes that one number can take, with the blank behind it."""

_TEN = np.array([10.0**k for k in range(19)])


@kernel
def print_rows(values, first, stop, decimals, text):
    """Write frames ``first`` to ``stop`` as lines of numbers.

    Args:
        values: ``(channels, F)``; NaN is written as ``nan``.
        first, stop: Frames.
        decimals: ``(channels)`` int64, at most 18.
        text: ``((stop - first) · channels · WIDTH)`` uint8, filled.

    Returns:
        How many bytes were written.
    """
    channels = values.shape[0]
    at = 0
    for frame in range(first, stop):
        for channel in range(channels):
            at = _print(values[channel, frame], decimals[channel], text, at)
            text[at] = 10 if channel == channels - 1 else 32
            at += 1
    return at


@kernel
def _print(value, decimals, text, at):
    """Write one number; return the index behind it."""
    if not math.isfinite(value):
        text[at], text[at + 1], text[at + 2] = 110, 97, 110
        return at + 3
    size = abs(value)
    while decimals > 0 and size * _TEN[decimals] >= 9e17:
        decimals -= 1
    number = np.int64(np.rint(size * _TEN[decimals]))
    if value < 0 and number > 0:
        text[at] = 45
        at += 1
    while decimals > 0 and number % 10 == 0:
        number //= 10
        decimals -= 1
    digits, rest = 1, number // 10
    while rest > 0:
        digits += 1
        rest //= 10
    digits = max(digits, decimals + 1)
    stop = at + digits + (1 if decimals > 0 else 0)
    for k in range(digits):
        if k == decimals and decimals > 0:
            stop -= 1
            text[stop] = 46
        stop -= 1
        text[stop] = 48 + number % 10
        number //= 10
    return at + digits + (1 if decimals > 0 else 0)
