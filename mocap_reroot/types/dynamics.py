"""Dynamics: joint torques, reactions and ground forces, the same meaning in every frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from mocap_reroot.columns import XYZ, Tables, columns_of, data_frame
from mocap_reroot.types.body import BodyModel
from mocap_reroot.types.checks import read_only
from mocap_reroot.types.motion import FLAGS
from mocap_reroot.types.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Dynamics:
    """What moves the body. Everything in capture frames, whatever the root was.

    Attributes:
        skeleton: The captured tree.
        body: The mass model used.
        fps, start: As in the motion.
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
        quality: Figures for ``summary.json``.
        extra: Further named tables (anatomy, plates, the band of torques, normalised variants).
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
    extra: Tables = field(default_factory=Tables)
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("torque", "force", "power", "foot_force", "foot_pressure", "foot_couple"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @property
    def frame(self) -> np.ndarray:
        """``(F)`` row of the file."""
        return np.arange(self.start, self.start + self.torque.shape[-1])

    @property
    def flag_words(self) -> np.ndarray:
        """``(F)`` flag of every frame as a word, empty when sound."""
        return np.asarray(FLAGS, dtype=object)[self.flags]

    @property
    def joints(self) -> tuple[int, ...]:
        """Bodies with a joint of their own: all but the capture root."""
        return tuple(i for i in range(self.skeleton.n_bodies) if self.skeleton.parents[i] >= 0)

    def head(self, *words: str) -> dict[str, Any]:
        """Return the first columns of a table: frame, time, and words such as mode and flag."""
        frame = self.frame
        head: dict[str, Any] = {"frame": frame, "time": frame / self.fps}
        return head | {w: self.flag_words if w == "flag" else getattr(self, w) for w in words}

    @property
    def torque_columns(self) -> dict[str, Any]:
        """The columns of ``torques.parquet``, views where possible."""
        joints = self.joints
        names = [self.skeleton.names[i] for i in joints]
        head = self.head("phase", "mode", "root", "source", "flag")
        suffixes = ("mx", "my", "mz", "power")
        table = head | columns_of(names, suffixes, self.torque, self.power, bodies=joints)
        if "band" in self.extra:
            band = self.extra["band"].drop(columns=["frame", "time"])
            table |= {str(name): column.to_numpy() for name, column in band.items()}
        return table

    @property
    def torques(self) -> pd.DataFrame:
        """One row a frame: the columns of ``torques.parquet``."""
        return data_frame(self.torque_columns)

    @property
    def reaction_columns(self) -> dict[str, Any]:
        """The columns of ``reactions.parquet``, views where possible."""
        joints = self.joints
        names = [self.skeleton.names[i] for i in joints]
        suffixes = [f"f{a}" for a in XYZ]
        return self.head("flag") | columns_of(names, suffixes, self.force, bodies=joints)

    @property
    def reactions(self) -> pd.DataFrame:
        """One row a frame: the columns of ``reactions.parquet``."""
        return data_frame(self.reaction_columns)

    @property
    def grf_columns(self) -> dict[str, Any]:
        """The columns of ``grf.parquet``, views where possible."""
        table = self.head("mode", "source", "flag")
        suffixes = [f"{kind}{a}" for kind in "fp" for a in XYZ] + ["tn"]
        left_out = self.phase < 0
        for k, foot in enumerate(self.feet):
            name, one = self.skeleton.names[foot], slice(k, k + 1)
            table[f"{name}_on"] = self.foot_on[k]
            parts = (self.foot_force[one], self.foot_pressure[one], self.foot_couple[one])
            if left_out.any():  # nobody knows: empty, not zero
                parts = tuple(np.where(left_out, np.nan, part) for part in parts)  # type: ignore[assignment]
            table |= columns_of([name], suffixes, *parts)
        for kind, vectors in (("f", self.residual_force), ("m", self.residual_moment)):
            table |= {f"residual_{kind}{a}": vectors[c] for c, a in enumerate(XYZ)}
        return table

    @property
    def grf(self) -> pd.DataFrame:
        """One row a frame: the columns of ``grf.parquet``."""
        return data_frame(self.grf_columns)

    def __repr__(self) -> str:
        frames = self.torque.shape[-1]
        return f"<Dynamics: {frames} frames, {len(self.joints)} joints, {len(self.feet)} feet>"
