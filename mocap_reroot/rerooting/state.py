"""Joint states after a root change, with velocities and accelerations (section 6.2.2).

They are transformed, not differentiated again. A :class:`Switch` is made once for a pair of trees;
it then serves a single state of a simulation and a recording of millions of frames alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mocap_reroot.rerooting.connectivity import chain_of_inversion
from mocap_reroot.rerooting.geometry import rerooted_skeleton, shifts
from mocap_reroot.types import Motion, Skeleton, default, read_only

STATES = (
    "rotation",
    "displacement",
    "angular_velocity",
    "angular_acceleration",
    "linear_velocity",
    "linear_acceleration",
)
_NOTHING = read_only(np.empty((0, 3, 0)))


@dataclass(frozen=True, eq=False)
class Switch:
    """The way from one tree to the same bodies rooted elsewhere; see :func:`switch_root`.

    Attributes:
        before, after: The two trees; ``after`` is held by a free joint.
        chain: ``(c)`` bodies from the new top body to the old one.
        shift: ``(3)`` m, from the new top body's old origin to the support point, body axes.
    """

    before: Skeleton
    after: Skeleton
    chain: np.ndarray
    shift: np.ndarray

    @cached_property
    def kept(self) -> np.ndarray:
        """Bodies off the chain: their states do not change."""
        return read_only(np.setdiff1d(np.arange(self.before.n_bodies), self.chain), np.int64)

    def apply(self, motion: Motion, start: int = 0, stop: int | None = None) -> Motion:
        """Return frames ``start`` to ``stop`` of a motion of ``before`` as a motion of ``after``.

        Args:
            motion: With or without derivatives.
            start, stop: Half open, counted from the motion's first frame; all if not given.
        """
        from mocap_reroot.kernels import reroot as kernels  # compiled code loads when needed

        stop = motion.n_frames if stop is None else stop
        moving, frames = motion.has_derivatives, stop - start
        n, k = self.after.n_bodies, len(self.after.translating)
        shapes = [(n, 4, frames), (k, 3, frames)]
        shapes += [(n, 3, frames)] * 2 + [(k, 3, frames)] * 2 if moving else [(0, 3, 0)] * 4
        new = _carved(shapes)
        old = tuple(default(getattr(motion, name), _NOTHING) for name in STATES)
        kernels.states(
            self.chain, self.kept, self.before.offset, self.before.slot, self.after.slot,
            self.shift, old, new, moving, start, stop,
        )  # fmt: skip
        return motion.moved(self.after, new if moving else (*new[:2], *[None] * 4), start, stop)


def _carved(shapes: list[tuple[int, int, int]]) -> tuple[np.ndarray, ...]:
    """Return arrays that lie in one piece of memory: large pieces come in large pages."""
    room = np.empty(sum(a * b * c for a, b, c in shapes))
    arrays, begin = [], 0
    for a, b, c in shapes:
        end = begin + a * b * c
        arrays.append(room[begin:end].reshape(a, b, c))
        begin = end
    return tuple(arrays)


def switch_root(skeleton: Skeleton, top: int, at: np.ndarray | None = None) -> Switch:
    """Return the way from a tree to the one rooted at another body, built once for all states.

    Args:
        skeleton: The tree before.
        top: Index of the new root.
        at: ``(3)`` m, the support point in the new root's capture frame; its origin if None.
    """
    point = np.zeros(3) if at is None else np.asarray(at, dtype=float)
    chain = chain_of_inversion(skeleton, top)
    after = rerooted_skeleton(skeleton, chain, point)
    shift = shifts(skeleton, chain, point)[0]
    return Switch(skeleton, after, read_only(chain, np.int64), read_only(shift))
