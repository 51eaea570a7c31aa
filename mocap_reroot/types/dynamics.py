"""Dynamics: joint torques, reactions and ground forces, signs the same in every frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mocap_reroot.schema import Tables, data_frame
from mocap_reroot.types.body import BodyModel
from mocap_reroot.types.checks import read_only
from mocap_reroot.types.motion import Framed
from mocap_reroot.types.skeleton import Skeleton

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Dynamics(Framed):
    """What moves the body. Everything in capture frames, whatever the root was.

    Attributes:
        skeleton: The captured tree.
        body: The mass model used.
        fps, start, start_time: As in the motion; the last on the file's own clock, s.
        up: ``(3)``.
        flags: ``(F)`` index into ``FLAGS``.
        phase: ``(F)`` number of the phase, −1 where left out.
        mode, root, source: ``(F)`` words.
        torque: ``(n, 3, F)`` N·m, moment of the capture parent on the body at its joint, in the
            body's axes; NaN at the capture root.
        force: ``(n, 3, F)`` N, reaction force at the same joint, same convention.
        power: ``(n, F)`` W.
        feet: ``(f)`` foot bodies.
        foot_on: ``(f, F)`` bool.
        foot_force: ``(f, 3, F)`` N, world axes, on the foot.
        foot_pressure: ``(f, 3, F)`` m, centre of pressure on the ground, NaN below 20 N.
        foot_couple: ``(f, F)`` N·m, the couple that remains there, along up.
        residual_force, residual_moment: ``(3, F)`` on the capture root, world axes, about its
            origin: what no contact explains.
        external_force, external_moment: ``(3, F)`` a push from elsewhere, in the same convention;
            None where there is none.
        pushed: ``(F)`` the body it most likely acts on, −1 in frames without one.
        quality: Figures for ``summary.json``.
        band: ``(n, 3, 2, F)`` N·m, least and greatest torque of all admissible ways to share the
            load, or None.
        extra: Further tables (anatomy, plates, predicted, normalised variants).
        warnings: Sentences.
    """

    skeleton: Skeleton
    body: BodyModel
    fps: float
    start: int
    up: np.ndarray
    flags: np.ndarray
    phase: np.ndarray
    mode: np.ndarray
    root: np.ndarray
    source: np.ndarray
    torque: np.ndarray
    force: np.ndarray
    power: np.ndarray
    feet: tuple[int, ...]
    foot_on: np.ndarray
    foot_force: np.ndarray
    foot_pressure: np.ndarray
    foot_couple: np.ndarray
    residual_force: np.ndarray
    residual_moment: np.ndarray
    quality: dict[str, Any] = field(default_factory=dict)
    band: np.ndarray | None = None
    extra: Tables = field(default_factory=Tables)
    warnings: tuple[str, ...] = ()
    external_force: np.ndarray | None = None
    external_moment: np.ndarray | None = None
    start_time: float = 0.0
    pushed: np.ndarray | None = None

    @property
    def external_body(self) -> np.ndarray | None:
        """``(F)`` name of the body a push from elsewhere most likely acts on, else empty."""
        if self.pushed is None:
            return None
        return np.array([*self.skeleton.names, ""], object)[self.pushed]

    def __post_init__(self) -> None:
        for name in ("torque", "force", "power", "foot_force", "foot_pressure", "foot_couple"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @property
    def joints(self) -> tuple[int, ...]:
        """Bodies with a joint of their own: all but the capture root."""
        return tuple(i for i in range(self.skeleton.n_bodies) if self.skeleton.parents[i] >= 0)

    @property
    def joint_names(self) -> list[str]:
        """Names of ``joints``."""
        return [self.skeleton.names[i] for i in self.joints]

    @property
    def foot_names(self) -> list[str]:
        """Names of ``feet``."""
        return [self.skeleton.names[i] for i in self.feet]

    @property
    def ground_force(self) -> np.ndarray:
        """``(f, 3, F)`` N, ``foot_force`` where it is known: not in frames left out."""
        return self._known(self.foot_force)

    @property
    def ground_pressure(self) -> np.ndarray:
        """``(f, 3, F)`` m, ``foot_pressure`` where it is known."""
        return self._known(self.foot_pressure)

    @property
    def ground_couple(self) -> np.ndarray:
        """``(f, F)`` N·m, ``foot_couple`` where it is known."""
        return self._known(self.foot_couple)

    def _known(self, values: np.ndarray) -> np.ndarray:
        """Return values that are empty, not zero, in frames left out."""
        left_out = self.phase < 0
        return np.where(left_out, np.nan, values) if left_out.any() else values

    @property
    def torques(self) -> pd.DataFrame:
        """One row a frame: the columns of ``torques.parquet``."""
        return data_frame("torques", self)

    @property
    def reactions(self) -> pd.DataFrame:
        """One row a frame: the columns of ``reactions.parquet``."""
        return data_frame("reactions", self)

    @property
    def grf(self) -> pd.DataFrame:
        """One row a frame: the columns of ``grf.parquet``."""
        return data_frame("grf", self)

    def __repr__(self) -> str:
        frames = self.torque.shape[-1]
        return f"<Dynamics: {frames} frames, {len(self.joints)} joints, {len(self.feet)} feet>"
