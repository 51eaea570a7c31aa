"""Assembly in relative coordinates: the tree's own joints fit by themselves, loops must be closed.

Also the two corrections of post-stabilisation (Eq. 5 and 6): positions back onto the constraints,
velocities back into the directions they allow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.mechanics.coordinates import Coordinates
from mocap_reroot.mechanics.displacement import TRUNCATION
from mocap_reroot.types import BodyModel, Closure, read_only


@dataclass(frozen=True, eq=False)
class Loops:
    """Closures over a spanning tree.

    Attributes:
        coordinates: The tree's layout.
        closures: What has to be closed.
        body: Masses, for corrections that are least in the metric of the tree's inertia; without
            them every coordinate weighs the same (a pseudo-inverse).
    """

    coordinates: Coordinates
    closures: tuple[Closure, ...]
    body: BodyModel | None = None

    def errors(self, q: np.ndarray) -> np.ndarray:
        """Return ``(rows)`` m and rad."""
        from mocap_reroot.kernels import closed_chain as kernels

        out = np.empty(sum(closure.size for closure in self.closures))
        arrays = self.coordinates.tree, self.coordinates.closures(self.closures)
        kernels.closing_errors(*arrays, read_only(q), out)
        return out

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """Return ``(rows, speeds)``."""
        from mocap_reroot.kernels import closed_chain as kernels

        rows, speeds = sum(c.size for c in self.closures), self.coordinates.n_speeds
        jacobian, drift = np.empty((rows, speeds)), np.empty(rows)
        arrays = self.coordinates.tree, self.coordinates.closures(self.closures)
        still = read_only(np.zeros(speeds))
        kernels.structure(*arrays, read_only(q), still, jacobian, drift)
        return jacobian

    def correction(self, q: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return ``(speeds)`` the least ``δ`` with ``J δ = b`` (least squares if there is none)."""
        jacobian = self.jacobian(q)
        weighted = jacobian.T
        if self.body is not None:
            weighted = np.linalg.solve(self.inertia(q), jacobian.T)  # M⁻¹ Jᵀ
        multipliers = np.linalg.lstsq(jacobian @ weighted, b, rcond=1e-11)[0]
        return np.asarray(weighted @ multipliers)

    def inertia(self, q: np.ndarray) -> np.ndarray:
        """Return ``(speeds, speeds)`` the inertia matrix of the tree."""
        from mocap_reroot.kernels import crba

        assert self.body is not None
        size = self.coordinates.n_speeds
        matrix = np.empty((size, size))
        bodies = self.coordinates.bodies(self.body)
        crba.mass_matrix(self.coordinates.tree, bodies, np.array(q, float), matrix)
        return matrix

    def close(
        self,
        q: np.ndarray,
        *,
        precision: float = 1e-10,
        iterations: int = 30,
        truncation: float = TRUNCATION,
    ) -> tuple[np.ndarray, int]:
        """Return coordinates in which the loops are closed, and how many iterations it took.

        Args:
            q: Where to start.
            precision: Stop when no error exceeds it, m and rad.
            iterations: Stop after so many.
            truncation: Longest change of one coordinate in one iteration, rad.
        """
        from mocap_reroot.kernels import tree as kernels

        for iteration in range(iterations):
            error = self.errors(q)
            if np.abs(error).max(initial=0.0) <= precision:
                return q, iteration
            move = self.correction(q, -error)
            longest = np.abs(move).max(initial=0.0)
            if longest > truncation:
                move *= truncation / longest
            new = np.empty_like(q)
            kernels.advance(self.coordinates.tree, np.array(q, float), move, 1.0, new)
            q = new
        return q, iterations

    def keep_closed(self, q: np.ndarray, speed: np.ndarray) -> np.ndarray:
        """Return the nearest speeds that leave the loops closed (Eq. 6 and 9)."""
        return np.asarray(speed + self.correction(q, -self.jacobian(q) @ speed))
