"""Medians and quantiles by Hoare's selection, without sorting."""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel


@kernel
def _select(values, count, rank):
    """Return which of the first values has a rank, counted from 0; the values change places.

    Those before the rank are then not greater, those after it not less. Pivots are taken here and
    there, so that no pattern of values takes long.
    """
    low, high, chance = 0, count - 1, 1
    while low < high:
        chance = (chance * 1103515245 + 12345) & 0x7FFFFFFF
        pivot = values[low + chance % (high - low + 1)]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if rank <= j:
            high = j
        elif rank >= i:
            low = i
        else:
            break
    return values[rank]


@kernel
def quantile(values, count, share):
    """Return a quantile of the first values, on a straight line between two; they change places."""
    place = share * (count - 1)
    rank = int(place)
    at = _select(values, count, rank)
    after = np.inf
    for k in range(rank + 1, count):
        after = min(after, values[k])
    return at + (after - at) * (place - rank) if rank + 1 < count else at


@kernel
def median(values, count):
    """Return the median of the first values, at least one; they change places."""
    return quantile(values, count, 0.5)
