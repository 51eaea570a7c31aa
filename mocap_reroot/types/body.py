"""BodyModel: mass, centre of mass and inertia of every body, always in capture frames."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.schema import data_frame
from mocap_reroot.types.checks import check_arrays
from mocap_reroot.types.skeleton import Skeleton

if TYPE_CHECKING:
    import pandas as pd

MASS_UNKNOWN = "Mass is not known"
"""How the warning begins that a mass is only estimated."""


@dataclass(frozen=True, eq=False)
class BodyModel:
    """What Newton needs to know of every body; re-rooting does not change it.

    Attributes:
        skeleton: The captured tree the model was made for.
        mass: ``(n)`` kg.
        com: ``(n, 3)`` m, in the body's capture frame.
        inertia: ``(n, 3, 3)`` kg·m², about the centre of mass, in the body's axes.
        height: m, stature the model was scaled with.
        table: Where the parameters come from, e.g. ``"de Leva 1996, male"``.
        warnings: Sentences about what had to be assumed.
        mass_from: ``"given"``, ``"file"``, ``"bodies"`` (a table that overrides everything),
            ``"plates"``, or ``"estimate"``, which force plates may overrule.
    """

    skeleton: Skeleton
    mass: np.ndarray
    com: np.ndarray
    inertia: np.ndarray
    height: float = float("nan")
    table: str = ""
    warnings: tuple[str, ...] = ()
    mass_from: str = "given"

    def __post_init__(self) -> None:
        n = self.skeleton.n_bodies
        check_arrays(self, mass=(n,), com=(n, 3), inertia=(n, 3, 3))
        if not (np.isfinite(self.mass).all() and (self.mass >= 0).all() and self.mass.sum() > 0):
            raise MocapRerootError("Masses must be finite, not negative, and not all zero.")

    def weighing(self, mass: float) -> BodyModel:
        """Return the same body of another mass, kg, in the same proportions."""
        ratio = mass / self.total_mass
        known = tuple(w for w in self.warnings if not w.startswith(MASS_UNKNOWN))
        return replace(
            self,
            mass=self.mass * ratio,
            inertia=self.inertia * ratio,
            warnings=known,
            mass_from="plates",
        )

    @property
    def total_mass(self) -> float:
        """kg."""
        return float(self.mass.sum())

    @property
    def moments_of_inertia(self) -> np.ndarray:
        """``(n, 6)`` kg·m²: xx, yy, zz, xy, xz, yz of ``inertia``."""
        return self.inertia[:, (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]

    @property
    def bodies(self) -> pd.DataFrame:
        """One row a body: the columns of ``bodies.csv``."""
        return data_frame("bodies", self)

    def __repr__(self) -> str:
        return f"<BodyModel: {self.total_mass:.1f} kg, {self.height:.2f} m, {self.table}>"
