"""Ground: the wrench of the ground on every limb, and the motion and body that go with it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from mocap_reroot.numerics.vectors import cross, dot
from mocap_reroot.types.body import BodyModel
from mocap_reroot.types.contacts import Contacts
from mocap_reroot.types.motion import Motion


@dataclass(frozen=True, eq=False)
class Total:
    """The wrench that moves the whole body, gravity taken off.

    Attributes:
        force: ``(3, F)`` N, world axes.
        moment: ``(3, F)`` N·m, world axes, about ``about``.
        about: ``(3, F)`` m, the capture root's origin.
        up: ``(3)``.
    """

    force: np.ndarray
    moment: np.ndarray
    about: np.ndarray
    up: np.ndarray

    @cached_property
    def vertical(self) -> np.ndarray:
        """``(F)`` N, force along up."""
        return dot(self.up, self.force)


@dataclass(frozen=True, eq=False)
class Support:
    """Who carries when, and on what ground.

    Attributes:
        feet: ``(f)`` foot bodies (limbs).
        part: ``(f, F)`` body that carries for each limb, −1 where it is off.
        point, normal: ``(f, 3, F)`` the plane under each limb.
        corners: ``(f, part, corner, 3, F)`` m, outlines of the limbs' parts in the world; filled up
            with the last part and the last corner.
        sizes: For every limb how many corners its parts have.
        balls: For every limb the corners of its first part at the ball of the foot; none if it has
            no ball.
        seen: ``(f, F)`` whether the limb was seen to touch; it may carry a little longer.
    """

    feet: tuple[int, ...]
    part: np.ndarray
    point: np.ndarray
    normal: np.ndarray
    corners: np.ndarray
    sizes: tuple[tuple[int, ...], ...]
    balls: tuple[tuple[int, ...], ...]
    seen: np.ndarray

    def of(self, limbs: list[int]) -> Support:
        """Return that of some limbs."""
        feet, sizes = tuple(self.feet[k] for k in limbs), tuple(self.sizes[k] for k in limbs)
        rows = (x[limbs] for x in (self.part, self.point, self.normal, self.corners))
        part, point, normal, corners = rows
        balls, seen = tuple(self.balls[k] for k in limbs), self.seen[limbs]
        return Support(feet, part, point, normal, corners, sizes, balls, seen)

    @cached_property
    def on(self) -> np.ndarray:
        """``(f, F)`` whether the limb carries."""
        return self.part >= 0

    @cached_property
    def count(self) -> np.ndarray:
        """``(F)`` number of limbs that carry."""
        return np.asarray(self.on.sum(axis=0))

    @property
    def outlines(self) -> tuple[tuple[np.ndarray, ...], ...]:
        """For every limb the outlines of its parts, ``(m, 3, F)`` m each, views."""
        return tuple(
            tuple(self.corners[k, p, :m] for p, m in enumerate(parts))
            for k, parts in enumerate(self.sizes)
        )

    @cached_property
    def middle(self) -> np.ndarray:
        """``(f, 3, F)`` m, the middles of the soles: the mean of the middles of their parts."""
        result = np.zeros(self.point.shape)
        for k, outlines in enumerate(self.outlines):
            for outline in outlines:
                result[k] += outline.sum(axis=0) / (len(outline) * len(outlines))
        return result

    def bodies(self, k: int) -> tuple[int, ...]:
        """Return the bodies that carry for one limb at some time."""
        return self._bodies[k]

    @cached_property
    def _bodies(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(int(b) for b in np.unique(row) if b >= 0) for row in self.part)


@dataclass(frozen=True, eq=False)
class Loads:
    """The wrench of the ground on every foot.

    Attributes:
        force: ``(f, 3, F)`` N, world axes.
        moment: ``(f, 3, F)`` N·m, world axes, about the total's ``about``.
        inadmissible: ``(F)`` no sharing keeps every foot pushing, inside its sole and its cone.
    """

    force: np.ndarray
    moment: np.ndarray
    inadmissible: np.ndarray

    def about(self, point: np.ndarray) -> Loads:
        """Return the same about a point ``(3, F)`` m, counted from where moments are about now."""
        arm = np.array([cross(point, force) for force in self.force]).reshape(self.moment.shape)
        return replace(self, moment=self.moment - arm)

    def of(self, limbs: list[int]) -> Loads:
        """Return those of some limbs."""
        return replace(self, force=self.force[limbs], moment=self.moment[limbs])

    @staticmethod
    def none(feet: int, frames: int) -> Loads:
        """Return loads of zero."""
        zero = np.zeros((feet, 3, frames))
        return Loads(zero, zero.copy(), np.zeros(frames, bool))


@dataclass(frozen=True, eq=False)
class Measured:
    """What plates say of each foot.

    Attributes:
        support: Who carries, with the plates as ground where they do.
        loads: Wrench of the plates on every foot, about the total's point; 0 where none is known.
        covered: ``(f, F)`` the foot is loaded and stands wholly on plates of its own.
        loaded: ``(f, F)`` the foot carries, by plates or by kinematics.
        alone: ``(F)`` nothing but feet can carry: nobody sits.
        unmeasured: ``(F)`` no plate recorded anything: before its first sample, after its last.
    """

    support: Support
    loads: Loads
    covered: np.ndarray
    loaded: np.ndarray
    alone: np.ndarray
    unmeasured: np.ndarray

    def of(self, limbs: list[int]) -> Measured:
        """Return what they say of some limbs."""
        return replace(
            self, support=self.support.of(limbs), loads=self.loads.of(limbs),
            covered=self.covered[limbs], loaded=self.loaded[limbs],
        )  # fmt: skip

    @property
    def complete(self) -> np.ndarray:
        """``(F)`` every loaded foot is covered, and there is one."""
        return np.asarray((self.covered | ~self.loaded).all(axis=0) & self.loaded.any(axis=0))

    @property
    def whole(self) -> np.ndarray:
        """``(F)`` plates bear the whole body."""
        return np.asarray(self.complete & self.alone)

    @property
    def partial(self) -> np.ndarray:
        """``(F)`` some loaded feet are covered, others are not."""
        return np.asarray(self.covered.any(axis=0) & ~self.complete)


@dataclass(frozen=True, eq=False)
class Prediction:
    """What the motion alone tells, beside what plates measured.

    Attributes:
        total: What moves the body, by the masses before plates weighed its parts.
        support, loads: Who carries, and how much.
        external: ``(6, F)`` a push from elsewhere, as in a ground.
    """

    total: Total
    support: Support
    loads: Loads
    external: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Ground:
    """What the ground does to a moving body.

    Attributes:
        motion: With derivatives, consistent with the wrenches.
        contacts: As the forces settled them.
        body: The mass model, weighed where plates can tell.
        total: What moves the whole body.
        support: Who carries, on what.
        loads: Wrench of the ground on every limb.
        source: ``(F)`` words: predicted, measured, mixed or none.
        predicted: What the motion alone tells; None where no plate is used.
        measured: What plates say of each foot, used or not; None without plates.
        warnings: Sentences.
        correction: ``(6, F)`` m, rad, how the root was moved and turned to be consistent, world
            axes; NaN where frames are left out. None where it was filtered.
        external: ``(6, F)`` N, N·m, a push from elsewhere (a chair, a bar, a partner) on the
            capture root, world axes, about its origin; None where there is none.
        pushed: ``(F)`` the body it most likely acts on, −1 in frames without one.
        figures: For ``quality``.
    """

    motion: Motion
    contacts: Contacts
    body: BodyModel
    total: Total
    support: Support
    loads: Loads
    source: np.ndarray
    predicted: Prediction | None = None
    measured: Measured | None = None
    warnings: tuple[str, ...] = ()
    correction: np.ndarray | None = None
    external: np.ndarray | None = None
    pushed: np.ndarray | None = None
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def corrected(self) -> Ground | None:
        """This, where the root was corrected; None where it was filtered."""
        return None if self.correction is None else self

    @property
    def moved(self) -> np.ndarray | None:
        """``(3, F)`` m, how far the root was moved."""
        return None if self.correction is None else self.correction[:3]

    @property
    def turned(self) -> np.ndarray | None:
        """``(3, F)`` rad, how far the root was turned, as a rotation vector."""
        return None if self.correction is None else self.correction[3:]

    @property
    def alone(self) -> Prediction:
        """What the motion alone tells, whether plates were used or not."""
        return self.predicted or Prediction(self.total, self.support, self.loads, self.external)

    @property
    def residual_force(self) -> np.ndarray:
        """``(3, F)`` N on the capture root, world axes: what no contact explains."""
        rest = self.total.force - self.loads.force.sum(axis=0)
        return np.asarray(rest if self.external is None else rest - self.external[:3])

    @property
    def residual_moment(self) -> np.ndarray:
        """``(3, F)`` N·m, the same, about the root's origin."""
        rest = self.total.moment - self.loads.moment.sum(axis=0)
        return np.asarray(rest if self.external is None else rest - self.external[3:])

    def __repr__(self) -> str:
        kinds = ", ".join(sorted(set(self.source.tolist()) - {"none"})) or "no force"
        frames, limbs = self.source.size, len(self.support.feet)
        return f"<Ground: {limbs} limbs, {frames} frames, {kinds}, {self.body.total_mass:.1f} kg>"
