"""What a sine transform needs before and after its Fourier transform.

Cooley, Lewis and Welch 1970, "The fast Fourier transform algorithm: programming considerations in
the calculation of sine, cosine and Laplace transforms": of samples x_0 … x_N with x_0 = x_N = 0,
folded to ``y_t = sin(πt/N) (x_t + x_(N-t)) + ½ (x_t − x_(N-t))``, the imaginary parts of the
transform are the even sines (with the other sign), the real parts what an odd sine differs from the
one before.
"""

from __future__ import annotations

from mocap_reroot.kernels.compiling import kernel


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
def fold_rows(channels, weight, out):
    """Fold every row of ``(r, N + 1)`` into ``(r, N)``."""
    for r in range(channels.shape[0]):
        fold(channels[r], weight, out[r])


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
