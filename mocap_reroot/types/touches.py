"""Touches: which parts of the body touch the ground in each frame, and on what evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.numerics.frames import changes
from mocap_reroot.schema import data_frame
from mocap_reroot.types.checks import read_only
from mocap_reroot.types.motion import FLAGS, LEFT_OUT, Framed
from mocap_reroot.types.skeleton import Skeleton
from mocap_reroot.types.source import Inference

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Plane:
    """A piece of ground: ``(3)`` m a point on it, and its ``(3)`` unit normal, world axes."""

    point: np.ndarray
    normal: np.ndarray


@dataclass(frozen=True, eq=False)
class Sole:
    """The underside of a contact part.

    Attributes:
        body: Index of the part (foot or toe body, hand …).
        foot: Index of the foot body whose limb it belongs to.
        outline: ``(m, 3)`` m, corners of the area that can touch, in the part's capture frame,
            in order around it.
        ball: Which of these corners are on either side of the ball of the foot; none if it has no
            ball.
        core: Ends of the axis of a round part (a hand, a knee, a seat), which touches wherever it
            is lowest: bodies, and ``(3)`` m places in their capture frames; none of a foot.
        radius: m, from that axis to the skin.
    """

    body: int
    foot: int
    outline: np.ndarray
    ball: tuple[int, ...] = ()
    core: tuple[tuple[int, np.ndarray], ...] = ()
    radius: float = 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Touches(Framed):
    """What was observed: which part touches which piece of ground in each frame.

    Attributes:
        skeleton: The captured tree.
        fps, start, start_time: As in the motion; the last on the file's own clock, s.
        flags: ``(F)``.
        soles: ``(c)`` the parts that can touch.
        touching: ``(c, F)`` bool.
        score: ``(c, F)`` 0–1.
        planes: Pieces of ground found; the last are the seats of ``chairs``.
        chairs: How many planes are no ground: something of unknown height that was sat on.
        plane: ``(c, F)`` index into ``planes`` under each part.
        ground_kind: ``"level"``, ``"sloped"``, ``"stepped"``, ``"plates"`` or ``"unknown"``.
        belt: ``(3)`` m/s, velocity of the treadmill's belt that is the ground, else None.
        method: ``"kinematics"``, ``"plates"``, ``"events"``, ``"table"``, joined by ``+``.
        reasons: Diagnostics: named ``(c, F)`` arrays behind the scores: ``height`` m above the
            ground and ``speed`` m/s of the part's most likely point, and their limits.
        inferred: What was inferred on the way: what the person moves over.
    """

    skeleton: Skeleton
    fps: float
    start: int
    flags: np.ndarray
    soles: tuple[Sole, ...]
    touching: np.ndarray
    score: np.ndarray
    planes: tuple[Plane, ...]
    plane: np.ndarray
    chairs: int = 0
    ground_kind: str = "unknown"
    belt: np.ndarray | None = None
    method: str = "kinematics"
    reasons: dict[str, np.ndarray] = field(default_factory=dict)
    start_time: float = 0.0
    inferred: tuple[Inference, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "flags", read_only(self.flags, np.uint8))
        object.__setattr__(self, "touching", read_only(self.touching, bool))
        object.__setattr__(self, "score", read_only(self.score))
        object.__setattr__(self, "plane", read_only(self.plane, np.int64))

    @property
    def feet(self) -> tuple[int, ...]:
        """Indices of the foot bodies (limbs), in the order of the soles, each once."""
        return tuple(dict.fromkeys(sole.foot for sole in self.soles))

    @property
    def ground(self) -> tuple[Plane, ...]:
        """The pieces of ground that were found."""
        return self.planes[: len(self.planes) - self.chairs]

    def foot_touching(self, foot: int) -> np.ndarray:
        """Return ``(F)`` whether any part of a foot touches."""
        parts = [k for k, sole in enumerate(self.soles) if sole.foot == foot]
        return np.asarray(self.touching[parts].any(axis=0))

    @property
    def part_names(self) -> list[str]:
        """``(c)`` names of the parts that can touch."""
        return [self.skeleton.names[sole.body] for sole in self.soles]

    @property
    def event_rows(self) -> dict[str, list]:
        """Foot strikes and offs; where left-out frames begin or end nothing is known."""
        known = ~np.isin(self.flags, list(LEFT_OUT))
        seen = known[1:] & known[:-1]
        rows = []
        for foot in self.feet:
            segment = self.skeleton.segments[foot]
            side = segment.split("_")[0] if segment.startswith(("left_", "right_")) else ""
            on = self.foot_touching(foot)
            for at in changes(on[None])[1:-1]:
                if not seen[at - 1]:
                    continue
                event, row = "strike" if on[at] else "off", self.start + at
                time = self.start_time + row / self.fps
                rows.append((event, self.skeleton.names[foot], side, row, time))
        rows.sort(key=lambda row: (row[3], row[1]))
        names = ("event", "foot", "side", "frame", "time")
        return {name: [row[k] for row in rows] for k, name in enumerate(names)}

    @property
    def contacts(self) -> pd.DataFrame:
        """One row a frame: the columns of ``contacts.parquet``."""
        return data_frame("contacts", self)

    @property
    def events(self) -> pd.DataFrame:
        """One row an event: the columns of ``events.csv``."""
        return data_frame("events", self.event_rows)

    def explain(self, frame: int, foot: str | int) -> str:
        """Say why a foot (or a part of one) is, or is not, in contact at a row of the file."""
        body, row = self.skeleton.index(foot), frame - self.start
        if not 0 <= row < len(self.flags):
            raise MocapRerootError(
                f"Frame {frame} is not in the clip, which has rows {self.start} to "
                f"{self.start + len(self.flags) - 1}."
            )
        mine = [k for k, sole in enumerate(self.soles) if sole.foot == body]
        mine = [k for k, sole in enumerate(self.soles) if sole.body == body and not mine] or mine
        if not mine:
            raise UnknownNameError(
                "foot", str(foot), [self.skeleton.names[sole.body] for sole in self.soles]
            )
        if self.flags[row] in LEFT_OUT:
            return f"Frame {frame} is left out of the analysis ({FLAGS[self.flags[row]]})."
        return " ".join(self._why(k, row) for k in mine)

    def _why(self, k: int, row: int) -> str:
        """Return the sentences about one part in one frame."""
        name, on = self.skeleton.names[self.soles[k].body], bool(self.touching[k, row])
        says = f"{name} is {'in' if on else 'not in'} contact at frame {self.start + row}"
        says += f" (score {self.score[k, row]:.2f}, by {self.method})"
        if "height" not in self.reasons:
            return says + "."
        height, speed = (float(self.reasons[key][k, row]) for key in ("height", "speed"))
        high, fast = (float(self.reasons[f"{key}_limit"][k]) for key in ("height", "speed"))
        low_enough, slow_enough = height < high, speed < fast
        says += (
            f": its most likely point is {1000 * height:.0f} mm above the ground "
            f"({'low' if low_enough else 'too high'}, limit {1000 * high:.0f} mm) and moves at "
            f"{speed:.2f} m/s ({'slow' if slow_enough else 'too fast'}, limit {fast:.2f} m/s)."
        )
        edges = changes(self.touching[k : k + 1])[1:-1]
        seconds = min((abs(edge - row) for edge in edges), default=math.inf) / self.fps
        if on != (low_enough and slow_enough):
            if seconds < 0.15:
                says += (
                    " The limits alone would say otherwise; the exact strike or off nearby was "
                    "placed by how the sole brakes or moves off."
                    if "kinematics" in self.method
                    else f" The {self.method} say otherwise than the limits."
                )
            elif on:
                says += " It belongs to a stance that lasts before and after."
            else:
                says += " The contact is too short, or another part of the foot is the support."
        return says
