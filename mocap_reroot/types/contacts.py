"""Contacts: supports, ground planes and phases of a clip."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mocap_reroot.schema import data_frame
from mocap_reroot.types.checks import read_only
from mocap_reroot.types.touches import Touches

if TYPE_CHECKING:
    import pandas as pd

MODES = ("none", "flight", "single", "double", "multi")
"""``none``: left out of the analysis."""


@dataclass(frozen=True, eq=False)
class Phase:
    """A run of frames with the same support.

    Attributes:
        index: Number of the phase; −1 for frames left out.
        mode: One of :data:`MODES`; counts limbs.
        root: Index of the body the tree is rooted at.
        support: Indices of the bodies that carry; empty in flight.
        start, stop: Rows of the file, half open.
        at: ``(3)`` m, the support point on the sole, in the root's capture frame.
    """

    index: int
    mode: str
    root: int
    support: tuple[int, ...]
    start: int
    stop: int
    at: np.ndarray


@dataclass(frozen=True, eq=False)
class Gait:
    """Strides, and the parameters people know them by.

    Attributes:
        parameters: Ready for JSON; none without strides.
        columns: One row a stride, by the names of ``strides.csv``; none where nobody looked.
    """

    parameters: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, list] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, kw_only=True)
class Contacts(Touches):
    """What was decided from what was observed: who carries, in which phases, in what gait.

    Attributes:
        phase_list: Phases that tile the clip.
        support_body: ``(l, F)`` for every limb (see ``feet``) the body in support, −1 where off.
        external_support: ``(F)`` bool, frames in which the limbs in contact cannot alone support
            the body.
        others: Bodies among ``feet`` that are none: hands, forearms, knees, seat, back.
        candidate: ``(l, F)`` frames in which a limb is near enough to the ground to carry, whether
            it was seen to or not: it does where the motion cannot do without.
        stepping: Strides and gait parameters.
        warnings: Sentences.
        by_motion: The same without plates, where plates told strikes and offs; else None.
    """

    phase_list: tuple[Phase, ...]
    support_body: np.ndarray = None  # type: ignore[assignment]
    external_support: np.ndarray = None  # type: ignore[assignment]
    others: frozenset[int] = frozenset()
    candidate: np.ndarray = None  # type: ignore[assignment]
    stepping: Gait = field(default_factory=Gait)
    warnings: tuple[str, ...] = ()
    by_motion: Contacts | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        support_body = self.support_body
        if support_body is None:  # the foot itself carries whenever any part of it touches
            support_body = [np.where(self.foot_touching(f), f, -1) for f in self.feet]
            support_body = np.reshape(support_body, (len(self.feet), len(self.flags)))
        object.__setattr__(self, "support_body", read_only(support_body, np.int64))
        external = self.external_support
        external = np.zeros(len(self.flags), bool) if external is None else external
        object.__setattr__(self, "external_support", read_only(external, bool))
        candidate = self.support_body >= 0 if self.candidate is None else self.candidate
        object.__setattr__(self, "candidate", read_only(candidate, bool))

    @property
    def gait(self) -> dict[str, Any]:
        """Gait parameters, ready for JSON."""
        return self.stepping.parameters

    @property
    def analysed(self) -> np.ndarray:
        """``(F)`` True where the frame belongs to a phase that takes part in the analysis."""
        analysed = np.ones(len(self.flags), bool)
        for phase in self.phase_list:
            if phase.mode == "none":
                analysed[phase.start - self.start : phase.stop - self.start] = False
        return analysed

    @property
    def on_chairs(self) -> np.ndarray:
        """``(l, F)`` whether a limb is on a chair: on something that is not the ground."""
        first = {sole.foot: c for c, sole in reversed([*enumerate(self.soles)])}
        under = self.plane[[first[foot] for foot in self.feet]].reshape(self.support_body.shape)
        return np.asarray(under >= len(self.planes) - self.chairs) & (self.support_body >= 0)

    def limited(self, feet: Sequence[int]) -> Contacts:
        """Return the contacts of some limbs alone; phases stay as they are."""
        rows = [k for k, foot in enumerate(self.feet) if foot in feet]
        parts = [c for c, sole in enumerate(self.soles) if sole.foot in feet]
        if len(rows) == len(self.feet):
            return self
        return replace(
            self, soles=tuple(self.soles[c] for c in parts), touching=self.touching[parts],
            score=self.score[parts], plane=self.plane[parts], support_body=self.support_body[rows],
            candidate=self.candidate[rows], others=self.others & set(feet),
            reasons={name: values[parts] for name, values in self.reasons.items()},
        )  # fmt: skip

    @property
    def phase_rows(self) -> dict[str, list]:
        """The phases by their columns."""
        names, phases = self.skeleton.names, self.phase_list
        rows: dict[str, list] = {
            "phase": [phase.index for phase in phases],
            "mode": [phase.mode for phase in phases],
            "root": [names[phase.root] for phase in phases],
            "support": ["+".join(names[b] for b in phase.support) for phase in phases],
        }
        ends = {end: [getattr(phase, end) for phase in phases] for end in ("start", "stop")}
        rows |= {f"{end}_frame": frames for end, frames in ends.items()}
        for end, frames in ends.items():
            rows[f"{end}_time"] = [self.start_time + frame / self.fps for frame in frames]
        return rows

    @property
    def phases(self) -> pd.DataFrame:
        """One row a phase: the columns of ``phases.csv``."""
        return data_frame("phases", self.phase_rows)

    @property
    def stride_rows(self) -> dict[str, list] | None:
        """The strides by their columns; None where nobody has looked for any."""
        if not self.stepping.columns:
            return None
        flagged = np.append(0, np.cumsum(self.flags != 0))
        starts, stops = (self.stepping.columns[f"{end}_frame"] for end in ("start", "stop"))
        pairs = zip(starts, stops, strict=True)
        sound = [bool(flagged[a - self.start] == flagged[b - self.start]) for a, b in pairs]
        return {"stride": list(range(len(sound))), **self.stepping.columns, "sound": sound}

    @property
    def strides(self) -> pd.DataFrame:
        """One row a stride: its foot, frames, times, stance, step length and width, speed; SI."""
        return data_frame("strides", self.stride_rows or {})

    def __repr__(self) -> str:
        counts = Counter(phase.mode for phase in self.phase_list).most_common()
        modes = ", ".join(f"{n} {mode}" for mode, n in counts)
        return f"<Contacts: {len(self.phase_list)} phases ({modes}), by {self.method}>"
