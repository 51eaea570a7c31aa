"""Total wrench and momentum of the whole body, segment by segment.

Both are linear in the masses of the parts, so that what another mass would do is a sum, and
weighing a body by force plates is a regression.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mocap_reroot.mechanics.kinematics import moving
from mocap_reroot.mechanics.newton_euler import require_derivatives
from mocap_reroot.types import STANDARD_GRAVITY, BodyModel, Motion, Total, read_only

_BLOCK = 4096  # frames placed in the world at a time


@dataclass(frozen=True, eq=False)
class PartWrenches:
    """What moves the parts of a body, gravity taken off.

    Attributes:
        wrench: ``(p, 6, F)`` N and N·m: force, then moment about ``about``, world axes.
        momentum: ``(p, 9, F)`` mass × centre kg·m, linear momentum kg·m/s, angular momentum about
            ``about`` kg·m²/s.
        about: ``(3, F)`` m, the origin of the capture root.
        mass: ``(p)`` kg.
        up: ``(3)``.
    """

    wrench: np.ndarray
    momentum: np.ndarray
    about: np.ndarray
    mass: np.ndarray
    up: np.ndarray

    @property
    def total(self) -> Total:
        """What moves the whole body."""
        return self.scaled(np.ones(len(self.mass)))

    def scaled(self, factor: np.ndarray) -> Total:
        """Return what would move it if each part had ``factor (p)`` times its mass."""
        whole = np.einsum("p,pcf->cf", factor, self.wrench)
        return Total(whole[:3], whole[3:], self.about, self.up)

    def times(self, ratio: float) -> PartWrenches:
        """Return what moves the same body with so many times its mass."""
        return replace(
            self,
            wrench=ratio * self.wrench,
            momentum=ratio * self.momentum,
            mass=ratio * self.mass,
        )

    @property
    def centre(self) -> np.ndarray:
        """``(3, F)`` m, centre of mass of the whole body."""
        return np.asarray(self.momentum[:, :3].sum(axis=0) / self.mass.sum())


def part_wrenches(
    motion: Motion, body: BodyModel, parts: Sequence[Sequence[int]] | None = None
) -> PartWrenches:
    """Return what moves every part of a body.

    Args:
        motion: Captured, with derivatives.
        body: Its mass model.
        parts: Bodies of each part; by default all of them are one. Bodies in none do not count.

    Raises:
        MocapRerootError: The motion has no derivatives.
    """
    from mocap_reroot.kernels.whole_body import add_parts

    require_derivatives(motion)
    chosen = [range(len(body.mass))] if parts is None else parts
    part = np.full(len(body.mass), -1)
    for k, bodies in enumerate(chosen):
        part[list(bodies)] = k
    frames = motion.n_frames
    wrench, momentum = np.zeros((len(chosen), 6, frames)), np.zeros((len(chosen), 9, frames))
    about = origin_of_root(motion)
    gravity = read_only(-STANDARD_GRAVITY * motion.up)
    com = read_only(body.com - motion.skeleton.origin)
    for start in range(0, frames, _BLOCK):
        block = slice(start, min(start + _BLOCK, frames))
        piece = motion if frames <= _BLOCK else motion.cut(block.start, block.stop)
        found = [np.zeros((len(chosen), c, piece.n_frames)) for c in (6, 9)]
        add_parts(
            body.mass, com, body.inertia, part, gravity, moving(piece),
            read_only(about[:, block]), *found,
        )  # fmt: skip
        wrench[..., block], momentum[..., block] = found
    mass = np.array([body.mass[list(bodies)].sum() for bodies in chosen])
    return PartWrenches(read_only(wrench), read_only(momentum), about, mass, motion.up)


def total_wrench(motion: Motion, body: BodyModel) -> Total:
    """Return what moves the whole body, without what its joints carry."""
    return part_wrenches(motion, body).total


def origin_of_root(motion: Motion) -> np.ndarray:
    """Return ``(3, F)`` m where the current origin of a motion's root is in the world."""
    root = motion.skeleton.root
    slot = int(motion.skeleton.slot[root])
    still = np.repeat(motion.skeleton.offset[root][:, None], motion.n_frames, axis=1)
    return still + motion.displacement[slot] if slot >= 0 else still
