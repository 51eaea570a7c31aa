"""Newton-Euler: the wrench at every joint of a motion, captured or re-rooted."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.mechanics.coordinates import Coordinates
from mocap_reroot.numerics.vectors import product, turn
from mocap_reroot.types import STANDARD_GRAVITY, BodyModel, Motion, read_only


@dataclass(frozen=True, eq=False)
class Push:
    """A wrench from outside on one body, over all frames of a motion.

    Attributes:
        body: Index of the body it acts on.
        force: ``(3, F)`` N, world axes.
        moment: ``(3, F)`` N·m, world axes, about the body's current origin.
    """

    body: int
    force: np.ndarray
    moment: np.ndarray


@dataclass(frozen=True, eq=False)
class Wrenches:
    """What every joint exerts on its body (the root's: the world on it).

    Attributes:
        motion: What it was computed for.
        force, moment: ``(n, 3, F)`` N, N·m, at the bodies' current origins, in their own axes.
    """

    motion: Motion
    force: np.ndarray
    moment: np.ndarray

    def on_root(self) -> tuple[np.ndarray, np.ndarray]:
        """Return ``(3, F)`` force and moment of the world on the root, world axes."""
        root = self.motion.skeleton.root
        q = self.motion.rotation[root]
        return turn(q, self.force[root]), turn(q, self.moment[root])

    def joint_forces(self) -> np.ndarray:
        """Return ``(speeds, F)`` generalized forces ``τ = Sᵀ f``, body after body."""
        from mocap_reroot.kernels.joints import SPEEDS, subspace

        skeleton, frames = self.motion.skeleton, self.motion.n_frames
        layout = Coordinates(skeleton)
        tau, s = np.empty((layout.n_speeds, frames)), np.empty((6, 6))
        wrench = np.concatenate([self.moment, self.force], axis=1)
        for f in range(frames):
            q = layout.of_motion(self.motion, f)[0]
            for i, kind in enumerate(skeleton.joint_types):
                subspace(int(kind), skeleton.axes[i], q[layout.coordinates_of(i)], s)
                tau[layout.speeds_of(i), f] = s[:, : SPEEDS[kind]].T @ wrench[i, :, f]
        return tau


def newton_euler(
    motion: Motion,
    body: BodyModel,
    pushes: Sequence[Push] = (),
    *,
    gravity: float = STANDARD_GRAVITY,
    threads: int = 1,
    out: tuple[np.ndarray, np.ndarray] | None = None,
    at: int = 0,
) -> Wrenches:
    """Return the wrench that every joint carries.

    Args:
        motion: With derivatives; any tree, any joints.
        body: Its mass model (in capture frames, whatever the motion's root).
        pushes: Wrenches from outside.
        gravity: m/s², along ``-up``.
        threads: Blocks of frames are shared among them; the result is the same to the last bit.
        out: Force and moment arrays ``(n, 3, ≥ F)`` to write into, or None for new ones.
        at: Frame of ``out`` at which the first frame is put.

    Raises:
        MocapRerootError: The motion has no derivatives, or the model is another skeleton's.
    """
    from mocap_reroot.kernels.compiling import LANES
    from mocap_reroot.kernels.newton_euler import joint_wrenches

    skeleton, n, frames = motion.skeleton, motion.skeleton.n_bodies, motion.n_frames
    require_derivatives(motion)
    if body.skeleton.names != skeleton.names:
        raise MocapRerootError("The body model was made for another skeleton: names differ.")
    force, moment = out or (np.empty((n, 3, frames)), np.empty((n, 3, frames)))
    tree = skeleton.order, skeleton.parents, skeleton.offset, skeleton.slot
    model = body.mass, read_only(body.com - skeleton.origin), body.inertia
    state = (
        motion.rotation,
        motion.angular_velocity,
        motion.angular_acceleration,
        motion.displacement,
        motion.linear_velocity,
        motion.linear_acceleration,
    )
    outside = _in_body_axes(motion, pushes)
    down = read_only(-gravity * motion.up)

    def work(a: int, b: int) -> None:
        joint_wrenches(tree, model, down, state, outside, force, moment, a, b, at + a)

    blocks = -(-frames // LANES)
    if threads <= 1 or blocks < 2 * threads:
        work(0, frames)
    else:
        # Cuts fall between blocks, so every frame is computed by the same instructions.
        cuts = [min(blocks * k // threads * LANES, frames) for k in range(threads + 1)]
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, cuts[:-1], cuts[1:]))
    stop = at + frames
    return Wrenches(motion, force[..., at:stop], moment[..., at:stop])


def require_derivatives(motion: Motion) -> None:
    """Refuse a motion that has no velocities and accelerations."""
    if not motion.has_derivatives:
        raise MocapRerootError("Newton-Euler needs velocities and accelerations: smooth() first.")


def _in_body_axes(motion: Motion, pushes: Sequence[Push]) -> tuple[np.ndarray, ...]:
    """Return bodies, forces and moments in the bodies' axes, as the kernel takes them."""
    frames = motion.n_frames
    force, moment = np.empty((len(pushes), 3, frames)), np.empty((len(pushes), 3, frames))
    for k, push in enumerate(pushes):
        q = world_orientation(motion, push.body)
        force[k] = turn(q, push.force, back=True)
        moment[k] = turn(q, push.moment, back=True)
    bodies = read_only([push.body for push in pushes], np.int64)
    # given about the current origins: nothing to move, nothing to leave out
    still = read_only(np.zeros((motion.skeleton.n_bodies, 3)))
    return bodies, read_only(force), read_only(moment), still, np.zeros(len(pushes), bool)


def world_orientation(motion: Motion, body: int) -> np.ndarray:
    """Return ``(4, F)`` the orientation of one body, by its chain to the root alone."""
    chain = motion.skeleton.chain(body)
    q = motion.rotation[chain[-1]]
    for i in reversed(chain[:-1]):
        q = product(q, motion.rotation[i])
    return q
