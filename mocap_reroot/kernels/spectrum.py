"""What a sine transform needs before and after its Fourier transform.

Cooley, Lewis and Welch 1970, "The fast Fourier transform algorithm: programming considerations in
the calculation of sine, cosine and Laplace transforms": of samples x_0 … x_N with x_0 = x_N = 0,
folded to ``y_t = sin(πt/N) (x_t + x_(N-t)) + ½ (x_t − x_(N-t))``, the imaginary parts of the
transform are the even sines (with the other sign), the real parts what an odd sine differs from the
one before.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel


@kernel
def _unevenness(x):
    """Return the sum of the squares of samples less the line through both ends.

    Four sums at once: each waits for itself.
    """
    last = np.uint64(len(x) - 1)
    base, slope = x[0], (x[len(x) - 1] - x[0]) / last
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    quarter = last // np.uint64(4)
    for t in range(quarter):
        u, v, w = t + quarter, t + quarter + quarter, t + quarter + quarter + quarter
        a, b = x[t] - base - slope * t, x[u] - base - slope * u
        c, d = x[v] - base - slope * v, x[w] - base - slope * w
        s0, s1, s2, s3 = s0 + a * a, s1 + b * b, s2 + c * c, s3 + d * d
    for t in range(np.uint64(4) * quarter, last):
        a = x[t] - base - slope * t
        s0 += a * a
    return s0 + s1 + s2 + s3


@kernel
def uneven_rows(channels, least, found):
    """List the rows of ``(r, N + 1)`` whose squares, less the line through both ends, sum to more.

    They do in the time domain what their sines do: no transform is needed to know that nothing
    moves. Returns how many there are.
    """
    count = 0
    for r in range(channels.shape[0]):
        if _unevenness(channels[r]) > least:
            found[count] = r
            count += 1
    return count


@kernel
def fold(x, weight, out):
    """Fold samples less the line through both ends.

    Args:
        x: ``(N + 1)``.
        weight: ``(N)`` sin(πt/N).
        out: ``(N)``, filled.
    """
    last = len(x) - 1
    ends, rise = x[0] + x[last], x[last] - x[0]
    for t in range(last):
        there, mirrored = x[t], x[last - t]
        slant = rise * (2 * t / last - 1)
        out[t] = weight[t] * (there + mirrored - ends) + 0.5 * (there - mirrored - slant)


@kernel
def fold_rows(channels, chosen, weight, out):
    """Fold the chosen rows of ``(r, N + 1)`` into ``(chosen, N)``."""
    for k in range(len(chosen)):
        fold(channels[chosen[k]], weight, out[k])


@kernel
def band_power(waves, count, width, content):
    """Sum the squares of sines 1 to ``count``, so many neighbours to a band.

    Args:
        waves: ``(r, 2 · (N // 2 + 1))`` transforms of folded rows, real and imaginary by turns.
        count: N − 1.
        width: Sines in a band; the last may hold fewer.
        content: ``(r, bands)``, filled.
    """
    for r in range(content.shape[0]):
        odd = -0.5 * waves[r, 0]
        for band in range(content.shape[1]):
            total = 0.0
            for k in range(band * width + 1, min((band + 1) * width, count) + 1):
                if k % 2 == 1:
                    odd += waves[r, k - 1]
                    total += odd * odd
                else:
                    total += waves[r, k + 1] * waves[r, k + 1]
            content[r, band] = total
