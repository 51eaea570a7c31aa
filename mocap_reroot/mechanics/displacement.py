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
        from mocap_reroot.kernels import closed_chain as kernels

        out = np.empty(self.n_constraints)
        kernels.errors(self.arrays, orientation, position, out)
        return out


@dataclass(frozen=True, eq=False)
class Linearised:
    """The linear equation ``A λ = b`` of one configuration.

    Attributes:
        block: ``(m, 2, 6)`` and
        solid: ``(m, 2)`` the two blocks of every row of ``J`` and the solids they belong to.
        inverse_mass, inverse_inertia: ``(n)`` and ``(n, 3, 3)``, world axes: ``M⁻¹``.
    """

    block: np.ndarray
    solid: np.ndarray
    inverse_mass: np.ndarray
    inverse_inertia: np.ndarray

    @classmethod
    def of(cls, solids: Solids, position: np.ndarray, orientation: np.ndarray) -> Linearised:
        """Linearise the joints where the solids are."""
        from mocap_reroot.kernels import displacement as kernels
        from mocap_reroot.kernels.tree import turn_tensors

        m, n = solids.n_constraints, solids.n_solids
        block, solid = np.empty((m, 2, 6)), np.empty((m, 2), np.int64)
        kernels.blocks(solids.arrays, orientation, position, block, solid)
        world = np.empty((n, 3, 3))
        turn_tensors(solids.inverse_inertia, orientation, world)
        return cls(block, solid, solids.inverse_mass, world)

    def displacement(self, multipliers: np.ndarray) -> np.ndarray:
        """Return ``(n, 6)`` ``M⁻¹ Jᵀ λ``: rotation, then translation of every solid."""
        from mocap_reroot.kernels import displacement as kernels

        move = np.empty((len(self.inverse_mass), 6))
        arrays = self.block, self.solid, self.inverse_mass, self.inverse_inertia
        kernels.spread(*arrays, multipliers, move)
        return move

    def impulse(self, multipliers: np.ndarray) -> np.ndarray:
        """Return ``(n, 6)`` ``Jᵀ λ``: moment and force on every solid, at its centre of mass."""
        total = np.zeros((len(self.inverse_mass), 6))
        there = self.solid >= 0
        np.add.at(total, self.solid[there], (self.block * multipliers[:, None, None])[there])
        return total

    def seen(self, move: np.ndarray) -> np.ndarray:
        """Return ``(m)`` ``J move``: what the constraints see of a displacement."""
        from mocap_reroot.kernels import displacement as kernels

        out = np.empty(len(self.block))
        kernels.gather(self.block, self.solid, move, out)
        return out

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
        from mocap_reroot.kernels import displacement as kernels

        most = 4 * len(b) if most is None else most
        x, past, scale = np.empty(len(b)), np.empty(most + 1), np.ones(len(b))
        weights = self.solid, self.inverse_mass, self.inverse_inertia
        if scaled:
            kernels.diagonal(self.block, *weights, scale)
            scale = 1 / np.sqrt(np.where(scale > 0, scale, 1.0))
        block = self.block * scale[:, None, None]
        done = kernels.conjugate_residuals(
            block, *weights, scale * b, scale, precision, most, x, past
        )
        return scale * x, past[: done + 1]


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
    from mocap_reroot.kernels import displacement as kernels

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
        kernels.displace(move, truncation, at, turn)
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
