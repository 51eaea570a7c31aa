"""Hand-over of load between feet, by time alone."""

from __future__ import annotations

from mocap_reroot.kernels.compiling import kernel


@kernel
def run_end(mask, f):
    """Return the frame after the run of True that begins at frame f; f itself if none does."""
    stop = f
    if f == 0 or not mask[f - 1]:
        while stop < len(mask) and mask[stop]:
            stop += 1
    return stop


@kernel
def _changed(on, f):
    """Return how many feet are on or off in frame f and were not in the frame before."""
    count = 0
    for k in range(len(on)):
        count += on[k, f] != on[k, f - 1]
    return count


@kernel
def _count(on, f):
    """Return how many feet are on in frame f."""
    count = 0
    for k in range(len(on)):
        count += on[k, f]
    return count


@kernel
def _step(since, length):
    """Return a step from 0 (one frame earlier) to 1 (at frame length), eased by half."""
    s = min((since + 1) / (length + 1), 1.0)
    return 0.5 * s + 0.5 * s * s * (3 - 2 * s)


@kernel
def clock(on, longest, weight):
    """Fill the shares of feet ``weight (k, F)``: steady hand-over at every change of support.

    Args:
        on: ``(k, F)`` whether a foot takes part.
        longest: Frames a hand-over lasts at most.
        weight: Out, given as zeros; sums to 1 where a foot is on.
    """
    feet, frames = on.shape
    for k in range(feet):
        for start in range(frames):
            stop = run_end(on[k], start)
            if stop == start:
                continue
            # A foot that lands beside others takes over until the support changes again.
            until, since = start, stop
            if _count(on, start) > 1:
                until += 1
                while until < stop and not _changed(on, until):
                    until += 1
            if _count(on, stop - 1) > 1:
                since -= 1
                while since > start and not _changed(on, since):
                    since -= 1
            rise, fall = min(until - start, longest), min(stop - since, longest)
            for f in range(start, stop):
                weight[k, f] = 1.0
                if start > 0:
                    weight[k, f] *= _step(f - start, rise)
                if stop < frames:
                    weight[k, f] *= _step(stop - 1 - f, fall)
    for f in range(frames):
        total = 0.0
        for k in range(feet):
            total += weight[k, f]
        for k in range(feet):
            weight[k, f] /= total if total > 0 else 1.0


@kernel
def ease(count, several, longest, out):
    """Fill ``out (F)``: 0 at seams between one foot and several, 1 a little away from them.

    Args:
        count, several: ``(F)`` feet that carry, and whether they are several.
        longest: Frames, how far a seam reaches at most.
        out: Given as zeros; stays so where no more than one foot carries.
    """
    frames = len(count)
    for start in range(frames):
        stop = run_end(several, start)
        before = start > 0 and count[start - 1] == 1
        after = stop < frames and count[stop] == 1
        length = min(longest, 0.5 * (stop - start)) + 1
        for f in range(start, stop):
            s = 1.0
            if before:
                s = min(s, (f - start + 1) / length)
            if after:
                s = min(s, (stop - f) / length)
            out[f] = s * s * (3 - 2 * s)
