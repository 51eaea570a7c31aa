"""Footprints: where a limb is during runs of frames, by its slowest frames.

A frame of a run is calm if the limb is not faster in it than in half of them.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel
from mocap_reroot.kernels.ranks import median


@kernel
def lowest_points(position, height, out):
    """Set ``out (≥ 4, F)`` to place and height of the lowest point.

    Of positions ``(P, 3, F)`` and heights ``(P, F)``.
    """
    for f in range(height.shape[1]):
        low = 0
        for p in range(1, len(height)):
            if height[p, f] < height[low, f]:
                low = p
        for c in range(3):
            out[c, f] = position[low, c, f]
        out[3, f] = height[low, f]


@kernel
def summits(low, edges, limit, reach, out):
    """Fill ``out (m)`` with whether a limb is below a limit both before and after a run.

    Args:
        low: ``(F)`` m, height of its lowest point.
        edges: ``(m, 2)`` the runs, half open.
        limit: ``(m)`` m.
        reach: Frames before and after that are looked at; no run nearer an end is a summit.
        out: bool.
    """
    for k in range(len(edges)):
        start, stop = edges[k, 0], edges[k, 1]
        before, after = np.inf, np.inf
        if start >= reach and stop + reach <= len(low):
            for i in range(reach):
                before, after = min(before, low[start - 1 - i]), min(after, low[stop + i])
        out[k] = before < limit[k] and after < limit[k]


@kernel
def footprints(speed, series, edges, out):
    """Fill ``out (m, r, 2)`` with median and maximum of series in the calm frames of runs.

    Args:
        speed: ``(F)`` by which frames are calm.
        series: ``(r, F)``.
        edges: ``(m, 2)`` the runs, half open, none of them empty.
        out: Medians and maxima.
    """
    longest = 0
    for k in range(len(edges)):
        longest = max(longest, edges[k, 1] - edges[k, 0])
    values, calm = np.empty(longest), np.empty(longest, np.int64)
    for k in range(len(edges)):
        start, stop = edges[k, 0], edges[k, 1]
        for f in range(start, stop):
            values[f - start] = speed[f]
        limit, count = median(values, stop - start), np.int64(0)
        for f in range(start, stop):
            if speed[f] <= limit:
                calm[count] = f
                count += 1
        for r in range(len(series)):
            top = -np.inf
            for i in range(count):
                values[i] = series[r, calm[i]]
                top = max(top, values[i])
            out[k, r, 0], out[k, r, 1] = median(values, count), top
