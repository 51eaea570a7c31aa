"""Assembly: move solids so that all their joints fit (Faure, sections 3.3 and 3.4).

Every iteration linearises the joints' errors and solves ``A λ = b``, ``A = J M⁻¹ Jᵀ`` (Eq. 13); the
solids then move by ``M⁻¹ Jᵀ λ``, the smallest displacement in the metric of their masses. Limiting
the iterations, outer and inner, trades accuracy for speed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.sparse import bsr_array, csr_array

from mocap_reroot.mechanics import closures
from mocap_reroot.numerics.vectors import matrices, product
from mocap_reroot.types import Closure, check_arrays, closure_arrays, read_only

TRUNCATION = 0.8
"""rad: longest rotation of a solid in one iteration (section 3.4)."""


@dataclass(frozen=True, eq=False)
class Solids:
    """Rigid bodies in absolute coordinates, with the joints between them.

    Attributes:
        mass: ``(n)`` kg.
        inertia: ``(n, 3, 3)`` kg·m², about the centre of mass, own axes.
        joints: Points are measured from the solids' centres of mass.
        led: ``(n)`` bool, moved by others only (a null inverse mass): a tracker, a wall.
    """

    mass: np.ndarray
    inertia: np.ndarray
    joints: tuple[Closure, ...]
    led: np.ndarray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        n = len(self.mass)
        led = np.zeros(n, bool) if self.led is None else self.led
        object.__setattr__(self, "led", led)
        check_arrays(self, mass=(n,), inertia=(n, 3, 3))
        check_arrays(self, bool, led=(n,))
        object.__setattr__(self, "joints", tuple(self.joints))
        _ = self.arrays  # a joint that names a solid which does not exist is refused here

    @property
    def n_solids(self) -> int:
        """Number of solids."""
        return len(self.mass)

    @cached_property
    def n_constraints(self) -> int:
        """Number of scalar constraints."""
        return sum(joint.size for joint in self.joints)

    @cached_property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """The joints as the kernels take them."""
        return closure_arrays(self.joints, np.zeros((self.n_solids + 1, 3)))

    @cached_property
    def rotational(self) -> np.ndarray:
        """``(m)`` bool: which scalar constraints are rotations (rad rather than m)."""
        kinds = [np.arange(6)[j.held] >= 3 for j in self.joints]
        return np.concatenate(kinds) if kinds else np.zeros(0, bool)

    @cached_property
    def inverse_mass(self) -> np.ndarray:
        """``(n)`` 1/kg, zero for what is led."""
        return read_only(np.where(self.led, 0.0, 1.0 / self.mass))

    @cached_property
    def inverse_inertia(self) -> np.ndarray:
        """``(n, 3, 3)``, own axes, zero for what is led and about axes without inertia."""
        inverse = np.linalg.pinv(self.inertia, hermitian=True)
        return read_only(np.where(self.led[:, None, None], 0.0, inverse))

    def errors(self, position: np.ndarray, orientation: np.ndarray) -> np.ndarray:
        """Return ``(m)`` how far every joint is from fitting: m and rad along held directions."""
        return closures.errors(self.arrays, (orientation, position))


@dataclass(frozen=True, eq=False)
class Linearised:
    """The linear equation ``A λ = b`` of one configuration.

    ``A`` is never formed: it is applied by spreading forces to the solids, moving them, and
    gathering what the constraints see.

    Attributes:
        jacobian: ``(m, 6 n)`` ``J``, sparse: rotation, then translation of every solid.
        mobility: ``(m, 6 n)`` ``J M⁻¹``, sparse.
    """

    jacobian: csr_array
    mobility: csr_array

    @classmethod
    def of(cls, solids: Solids, position: np.ndarray, orientation: np.ndarray) -> Linearised:
        """Linearise the joints where the solids are."""
        pose, m, n = (orientation, position), solids.n_constraints, solids.n_solids
        rows = closures.wrenches(solids.arrays, pose, np.zeros(3))
        solid = np.stack(closures.rows_of(solids.arrays), axis=1)
        block = np.stack([-rows, rows], axis=1)
        block[..., :3] += np.cross(block[..., 3:], closures.grounded(position)[solid])
        there = solid >= 0  # the world does not move
        row = np.repeat(np.broadcast_to(np.arange(m)[:, None], solid.shape)[there], 6)
        column = 6 * solid[there][:, None] + np.arange(6)
        jacobian = csr_array((block[there].ravel(), (row, column.ravel())), (m, 6 * n))
        inverse = np.zeros((n, 6, 6))
        inverse[:, :3, :3] = to_world(solids.inverse_inertia, orientation)
        inverse[:, 3:, 3:] = solids.inverse_mass[:, None, None] * np.eye(3)
        every = bsr_array((inverse, np.arange(n), np.arange(n + 1)), (6 * n, 6 * n))
        return cls(jacobian, csr_array(jacobian @ every))

    def displacement(self, multipliers: np.ndarray) -> np.ndarray:
        """Return ``(n, 6)`` ``M⁻¹ Jᵀ λ``: rotation, then translation of every solid."""
        return np.asarray(self.mobility.T @ multipliers).reshape(-1, 6)

    def impulse(self, multipliers: np.ndarray) -> np.ndarray:
        """Return ``(n, 6)`` ``Jᵀ λ``: moment and force on every solid, at its centre of mass."""
        return np.asarray(self.jacobian.T @ multipliers).reshape(-1, 6)

    def seen(self, move: np.ndarray) -> np.ndarray:
        """Return ``(m)`` ``J move``: what the constraints see of a displacement."""
        return np.asarray(self.jacobian @ move.ravel())

    def gradients(
        self,
        b: np.ndarray,
        precision: float = 0.0,
        most: int | None = None,
        *,
        scaled: bool = True,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Solve by conjugate gradients without forming ``A``.

        Args:
            b: ``(m)`` right-hand side.
            precision: Stop when no component of the residual exceeds it.
            most: Stop after so many iterations; by default four times the constraints.
            scaled: Divide rows by the root of ``A``'s diagonal. Heavy and light solids, metres and
                radians then have the same weight, which saves up to nine iterations in ten; without
                it, contradictions are resolved by the least squares of the errors themselves.

        Returns:
            tuple: ``λ (m)`` and the norm of the (scaled) residual after 0, 1, 2 … iterations.
        """
        scale, most = np.ones(len(b)), 4 * len(b) if most is None else most
        if scaled:
            diagonal = np.asarray(self.mobility.multiply(self.jacobian).sum(axis=1)).ravel()
            scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        transposed = self.jacobian.T.tocsr()

        def applied(x: np.ndarray) -> np.ndarray:
            return np.asarray(scale * (self.mobility @ (transposed @ (scale * x))))

        # Biconjugate gradients in their minimum-residual form: for a symmetric A that may be
        # singular, starting the second sequence at A r makes the residual fall monotonically, to
        # that of the least-squares solution if b cannot be reached.
        x, r = np.zeros(len(b)), scale * b
        p, ar = r, applied(r)
        ap, rho, past, floor = ar, r @ ar, [np.sqrt(r @ r)], 1e-30 * (ar @ ar)
        while len(past) <= most:
            size = ap @ ap
            if np.abs(r / scale).max() <= precision or size <= floor or rho <= 0:
                break
            x, r = x + rho / size * p, r - rho / size * ap
            ar, before = applied(r), rho
            rho = r @ ar
            p, ap = r + rho / before * p, ar + rho / before * ap
            past.append(np.sqrt(r @ r))
        return scale * x, np.array(past)


def to_world(tensors: np.ndarray, orientation: np.ndarray) -> np.ndarray:
    """Return ``(n, 3, 3)`` tensors of solids, own axes, in world axes."""
    turned = np.moveaxis(matrices(orientation.T), -1, 0)
    return np.asarray(turned @ tensors @ turned.swapaxes(1, 2))


def displace(
    move: np.ndarray, position: np.ndarray, orientation: np.ndarray, truncation: float = np.inf
) -> tuple[np.ndarray, np.ndarray]:
    """Return moved solids; a rotation longer than ``truncation`` rad is cut to that length."""
    angle = np.linalg.norm(move[:, :3], axis=1)
    cut = np.minimum(1.0, truncation / np.maximum(angle, 1e-300))
    half = 0.5 * cut * angle
    gain = 0.5 * cut * np.sinc(half / np.pi)
    more = np.concatenate([np.cos(half)[None], gain * move[:, :3].T])
    new = product(more, orientation.T)
    return position + move[:, 3:], (new / np.linalg.norm(new, axis=0)).T


@dataclass(frozen=True, eq=False)
class Assembled:
    """Where the solids came to stand, and how well it went.

    Attributes:
        position: ``(n, 3)`` m, centres of mass.
        orientation: ``(n, 4)``.
        history: One row an iteration, the start included: greatest error in m and rad, iterations
            of the linear solver.
        precise: Whether the precision asked for was reached.
        consistent: Whether the constraints can all be met, as far as the linear equation tells;
            if not, the answer is the one with the least squares of errors.
    """

    position: np.ndarray
    orientation: np.ndarray
    history: pd.DataFrame = field(repr=False)
    precise: bool
    consistent: bool

    @property
    def message(self) -> str:
        """A sentence about the outcome."""
        error, turn = self.history[["error_m", "error_rad"]].iloc[-1]
        left = f"{error:.1e} m and {turn:.1e} rad are left"
        count = f"after {len(self.history) - 1} iterations"
        if self.precise:
            return f"Assembled {count}; {left}."
        if self.consistent:
            return f"Stopped {count}; {left}. More iterations would bring it closer."
        return (
            f"The constraints contradict each other: the least-squares answer {count} leaves "
            f"errors; {left}."
        )

    def __repr__(self) -> str:
        return f"<Assembled: {self.message}>"


def assemble(
    solids: Solids,
    position: np.ndarray,
    orientation: np.ndarray,
    *,
    precision: float = 1e-9,
    iterations: int = 50,
    linear_iterations: int | None = None,
    truncation: float = TRUNCATION,
) -> Assembled:
    """Move solids until their joints fit.

    Args:
        solids: Masses, joints, and who is led.
        position, orientation: ``(n, 3)`` m and ``(n, 4)`` where they start.
        precision: Stop when no error exceeds it, m and rad.
        iterations: Stop after so many geometric iterations.
        linear_iterations: Limit of the linear solver in each; None: to convergence.
        truncation: rad, longest rotation of a solid in one iteration.

    Returns:
        Assembled: Poses and history. Inconsistent constraints give the least-squares answer and
        say so.
    """
    at, turn = np.array(position, float), np.array(orientation, float)
    error = solids.errors(at, turn)
    rows = [_row(solids, error, 0)]
    consistent = True
    while np.abs(error).max(initial=0.0) > precision and len(rows) <= iterations:
        linear, limits = Linearised.of(solids, at, turn), (0.1 * precision, linear_iterations)
        multipliers, past = linear.gradients(-error, *limits, scaled=consistent)
        move = linear.displacement(multipliers)
        if linear_iterations is None and consistent:
            consistent = _reached(linear, move, error, precision)
        at, turn = displace(move, at, turn, truncation)
        error = solids.errors(at, turn)
        rows.append(_row(solids, error, len(past) - 1))
        if np.abs(move).max() < 1e-3 * precision:
            break  # as close as it gets
    precise = bool(np.abs(error).max(initial=0.0) <= precision)
    return Assembled(at, turn, pd.DataFrame(rows), precise, consistent or precise)


def _reached(linear: Linearised, move: np.ndarray, error: np.ndarray, precision: float) -> bool:
    """Return whether a displacement does what the linear equation asks."""
    left = np.abs(linear.seen(move) + error).max()
    return bool(left <= max(precision, 1e-6 * np.abs(error).max()))


def _row(solids: Solids, error: np.ndarray, inner: int) -> dict[str, float]:
    slides, turns = error[~solids.rotational], error[solids.rotational]
    return {
        "error_m": float(np.abs(slides).max(initial=0.0)),
        "error_rad": float(np.abs(turns).max(initial=0.0)),
        "rms": float(np.sqrt(np.mean(error**2))) if len(error) else 0.0,
        "linear_iterations": inner,
    }
