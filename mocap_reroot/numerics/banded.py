"""Banded least squares over the frames of a clip: each row has few neighbouring frames."""

from __future__ import annotations

import numpy as np


class Banded:
    """Normal equations of rows that know up to three frames in a row.

    Args:
        frames: Number of frames.
        unknowns: Of each frame.
    """

    def __init__(self, frames: int, unknowns: int) -> None:
        self._blocks = [np.zeros((frames, unknowns, unknowns)) for _ in range(3)]
        self._right = np.zeros((frames, unknowns))

    def add(self, blocks: list[np.ndarray], right: np.ndarray, sigma: float) -> None:
        """Add rows ``Σ blocks[j][t] x[t + j] = right[t]``.

        Args:
            blocks: One to three arrays ``(T, r, u)``, for frames ``t``, ``t + 1``, ``t + 2``.
            right: ``(T, r)``.
            sigma: Standard deviation of a row.
        """
        count, scale = len(right), 1 / sigma**2
        for a, one in enumerate(blocks):
            turned = scale * one.transpose(0, 2, 1)
            self._right[a : a + count] += (turned @ right[..., None])[..., 0]
            for b in range(a, len(blocks)):
                self._blocks[b - a][a : a + count] += turned @ blocks[b]

    def hold(self, factors: tuple[float, ...], right: np.ndarray, sigma: np.ndarray) -> None:
        """Add a row for every unknown, ``Σ factors[j] x[t + j] = right[t]``.

        Args:
            factors: One to three, for frames ``t``, ``t + 1``, ``t + 2``.
            right: ``(T, u)``.
            sigma: ``(u)`` standard deviations; infinite for no row.
        """
        count, scale = len(right), 1 / sigma**2
        each = np.arange(len(sigma))
        for a, one in enumerate(factors):
            self._right[a : a + count] += one * scale * right
            for b in range(a, len(factors)):
                self._blocks[b - a][a : a + count, each, each] += one * factors[b] * scale

    def solved(self) -> np.ndarray:
        """Return ``(F, u)``, the unknowns that fit the rows best."""
        from scipy.linalg import solveh_banded  # loads scipy, which takes its time

        frames, unknowns = self._right.shape
        band = np.zeros((3 * unknowns, frames * unknowns))  # lower diagonals, a row each
        columns = np.arange(frames) * unknowns
        for lag, block in enumerate(self._blocks):
            for i in range(unknowns):
                for j in range(unknowns):
                    below = lag * unknowns + j - i
                    if below >= 0:  # the entry of frame t + lag, unknown j, beside t, i
                        band[below, (columns + i)[: frames - lag]] = block[: frames - lag, i, j]
        found = solveh_banded(band, self._right.ravel(), lower=True, overwrite_ab=True)
        return np.asarray(found.reshape(frames, unknowns))
