"""Sparse matrix rows of the ground problem, written term by term."""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.ground_qp import Rows

NOTHING = -1
"""Column of an unknown that is not there: what it would be is zero."""


class Terms:
    """Collects rows: a term is ``(m, k)`` columns with ``(m, k)`` values, and ``(m)`` targets."""

    def __init__(self) -> None:
        self._columns: list[np.ndarray] = []
        self._values: list[np.ndarray] = []
        self._wanted: list[np.ndarray] = []

    def add(
        self, columns: np.ndarray, values: np.ndarray, wanted: np.ndarray | float = 0.0
    ) -> None:
        """Add rows ``Σ values · z[columns] = wanted``; columns that are ``NOTHING`` count zero."""
        columns = np.asarray(columns, np.int64)
        m, k = columns.shape
        self._columns.append(columns)
        self._values.append(np.broadcast_to(np.asarray(values, float), (m, k)))
        self._wanted.append(np.broadcast_to(np.asarray(wanted, float), (m,)))

    def rows(self) -> tuple[Rows, np.ndarray]:
        """Return all rows and their targets."""
        counts, flat, values = [], [], []
        for columns, value in zip(self._columns, self._values, strict=True):
            there = columns != NOTHING
            counts.append(there.sum(axis=1))
            flat.append(columns[there])
            values.append(value[there])
        begin = np.concatenate([np.zeros(1, np.int64), *counts])
        none = np.zeros(0)
        return Rows(
            np.cumsum(begin),
            np.concatenate([none.astype(np.int64), *flat]),
            np.concatenate([none, *values]),
        ), np.concatenate([none, *self._wanted])
