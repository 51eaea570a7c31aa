"""How the upper body went before a spline smoothed it, so that legs and trunk agree again.

What a leg gains in momentum while it swings, the rest of the body loses: inside a body forces
cancel, and what the ground pushes changes slowly while one foot stands, however briskly the legs
move. A spline that smoothed the trunk more than the legs broke that balance: the legs' half of
every inner push is still there, the trunk's is gone, and the difference looks like a ground force.

So the whole acceleration is sought, not the trunk's. Three things are known of it. Smoothed by the
same spline it is that of the smoothed trunk and of legs smoothed likewise. What the spline took is
roughly what markers of pelvis and trunk lost together, and what knees lost. And while one foot
stands it changes no faster than a stance goes by; while the load passes from foot to foot, it may.
The path that makes the three least wrong, a linear problem, is given to the upper body.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.ndimage import uniform_filter1d
from scipy.sparse.linalg import spsolve

from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.numerics.frames import runs
from mocap_reroot.skeletons.markersets import SIDES
from mocap_reroot.types import BodyModel, Contacts, Motion

SLOW = (1 / 8, 1 / 4, 1 / 4)
"""Of the time on one foot, in which the whole force changes by its usual size meanwhile: upwards it
has two humps, forwards it goes from braking to pushing once, and sideways like that."""

FAST = (0.01, 0.01, 0.04)
"""s, in which it does so otherwise, as a foot lands and the load passes from foot to foot: a leg
that lands strikes downwards and forwards, and no blow comes from the side."""

KNOWN = 0.1
"""m/s²: how well masses and markers tell the slow part of the whole acceleration, 1 % of g."""

_LEG = ("thigh", "shank", "foot", "toes")
_DRIFT = 0.5  # Hz, below which an acceleration tells nothing of a path
_TURN = 1.0  # s over which the way a body faces is averaged
_SHORTEST = 64  # frames that can be balanced


@dataclass(frozen=True, eq=False)
class Halves:
    """A body in two halves, as smoothed.

    Attributes:
        upper, legs: ``(3, F)`` m, share of the mass of each half times its centre of mass.
        returned: ``(3, F)`` m, what the spline took from knees, times the share that they bear.
        moved: Share of the mass that moves if the upper body does: itself, and some of the thighs.
        forward: ``(3, F)`` unit vectors, the way the body faces.
        up: ``(3)``.
        single: ``(F)`` one foot stands.
    """

    upper: np.ndarray
    legs: np.ndarray
    returned: np.ndarray
    moved: float
    forward: np.ndarray
    up: np.ndarray
    single: np.ndarray


def halves_of(motion: Motion, body: BodyModel, contacts: Contacts, knees: np.ndarray) -> Halves:
    """Return the two halves of a person whose skeleton was built from markers.

    Args:
        motion, body, contacts: Of the person.
        knees: ``(2, 3, F)`` m, what a spline took from the left and the right knee.
    """
    world, share = forward(motion), body.mass / body.total_mass
    turn = np.moveaxis(world.matrix, 1, -1)  # (n, 3, 3, F)
    centre = world.position + np.einsum("nabf,nb->naf", turn, body.com)
    names = motion.skeleton.names
    low = np.array([name.partition("_")[2] in _LEG for name in names])
    near, far = _ends(motion, body)
    moved, returned = float(share[~low].sum()), np.zeros(knees.shape[1:])
    for side, knee in zip(SIDES, knees, strict=True):
        if f"{side}_shank" not in names:
            continue  # somebody seen on one leg
        thigh, shank = names.index(f"{side}_thigh"), names.index(f"{side}_shank")
        moved += share[thigh] * near[thigh]
        returned += (share[thigh] * far[thigh] + share[shank] * near[shank]) * knee
    return Halves(
        upper=np.einsum("n,naf->af", share[~low], centre[~low]),
        legs=np.einsum("n,naf->af", share[low], centre[low]),
        returned=returned,
        moved=moved,
        forward=turn[motion.skeleton.root][:, 0],
        up=motion.up,
        single=(contacts.carrier >= 0).sum(axis=0) == 1,
    )


def _ends(motion: Motion, body: BodyModel) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(n)`` how much of a bone goes with its near joint, and how much with its far one."""
    far = np.zeros(len(body.mass))
    for i, children in enumerate(motion.skeleton.children):
        bone = motion.skeleton.offset[children[0]] if len(children) else np.zeros(3)
        far[i] = body.com[i] @ bone / max(float(bone @ bone), 1e-12)
    return 1 - far, far


def balanced_path(
    halves: Halves, lost: np.ndarray, doubt: np.ndarray, weight: float, fps: float
) -> np.ndarray:
    """Return ``(3, F)`` m: how far the upper body is to be moved; 0 where nothing can be said.

    Args:
        halves: The body as stored.
        lost: ``(3, F)`` m, what pelvis and trunk lost together; NaN in gaps.
        doubt: ``(3, F)`` m, how pelvis and trunk differ from that.
        weight: λ of the spline that smoothed the upper body.
        fps: Frames per second.
    """
    known = np.isfinite(halves.upper + halves.legs + lost + doubt).all(axis=0)
    on_one_foot = [stop - start for start, stop in runs(halves.single)]
    stance = float(np.median(on_one_foot)) / fps if on_one_foot else 0.0
    path = np.zeros(lost.shape)
    for start, stop in runs(known):
        if stop - start < _SHORTEST:
            continue
        some = slice(start, stop)
        facing = _averaged(halves.forward[:, some], round(_TURN * fps))
        for way, slow, fast in zip(_ways(facing, halves.up), SLOW, FAST, strict=True):
            upper, legs, returned, gone, unsure = (
                _acceleration(part[:, some], way, fps)
                for part in (halves.upper, halves.legs, halves.returned, lost, doubt)
            )
            bends = np.where(halves.single[some], max(slow * stance, fast), fast) ** 2
            whole = _whole_acceleration(
                upper, legs + returned, halves.moved * gone, halves.moved * float(np.std(unsure)),
                bends, weight, fps,
            )  # fmt: skip
            missing = (whole - upper - legs) / halves.moved
            path[:, some] += way * _twice_integrated(missing, fps)
    return path


def _whole_acceleration(
    upper: np.ndarray,
    legs: np.ndarray,
    gone: np.ndarray,
    unsure: float,
    bends: np.ndarray,
    weight: float,
    fps: float,
) -> np.ndarray:
    """Return ``(F)`` m/s², the acceleration of the whole body's centre of mass along a direction.

    Args:
        upper, legs: ``(F)`` m/s², what each half adds to it, the upper one as stored.
        gone: ``(F)`` m/s², what the spline took from it, by the markers.
        unsure: m/s², how far that may be wrong.
        bends: ``(F)`` s², its usual size over its usual second derivative.
        weight: λ of the spline.
        fps: Frames per second.
    """
    frames = len(upper)
    one = sparse.identity(frames, format="csc")
    third = _difference(frames, 3)
    roughening = one + weight * (third.T @ third)  # from smoothed to whole
    smoothed = upper + spsolve(roughening.tocsc(), legs)
    before = upper + legs + gone
    fast_part = before - spsolve(roughening.tocsc(), before)
    size = max(float(np.std(smoothed)), KNOWN)
    bending = sparse.diags(bends[1:-1] * fps**2 / size) @ _difference(frames, 2)
    # Sought are the whole w and its smoothed form s, w = roughening s, such that s is near what is
    # known of it, w − s near what was lost, and w bends little; with a multiplier for the equation.
    near, taken = one / KNOWN**2, one / max(unsure, 1e-6) ** 2
    system = sparse.bmat(
        [
            [taken + bending.T @ bending, -taken, -one],
            [-taken, near + taken, roughening],
            [-one, roughening, None],
        ],
        format="csc",
    )
    right = np.concatenate([taken @ fast_part, near @ smoothed - taken @ fast_part, 0 * upper])
    return np.asarray(spsolve(system, right)[:frames])


def _difference(frames: int, order: int) -> sparse.csc_array:
    """Return the matrix of differences of an order, ``(F − order, F)``."""
    steps = np.diff(np.eye(order + 1), n=order, axis=0)[0]
    return sparse.diags_array(
        list(steps), offsets=list(range(order + 1)), shape=(frames - order, frames)
    ).tocsc()


def _acceleration(path: np.ndarray, way: np.ndarray, fps: float) -> np.ndarray:
    """Return ``(F)`` m/s² of a path ``(3, F)`` along directions ``(3, F)``; the ends repeated."""
    bent = np.diff(path, n=2, axis=1) * fps**2
    return np.asarray((np.pad(bent, ((0, 0), (1, 1)), mode="edge") * way).sum(axis=0))


def _twice_integrated(acceleration: np.ndarray, fps: float) -> np.ndarray:
    """Return ``(F)`` m, the path of an acceleration ``(F)`` that drifts nowhere."""
    second = _difference(len(acceleration), 2) * fps**2
    held = (2 * np.pi * _DRIFT) ** 4 * sparse.identity(len(acceleration), format="csc")
    return np.asarray(spsolve((second.T @ second + held).tocsc(), second.T @ acceleration[1:-1]))


def _averaged(forward: np.ndarray, frames: int) -> np.ndarray:
    """Return directions ``(3, F)`` averaged over some frames about each."""
    mean = uniform_filter1d(forward, 2 * (frames // 2) + 1, axis=1, mode="nearest")
    return np.asarray(mean / np.linalg.norm(mean, axis=0))


def _ways(forward: np.ndarray, up: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return directions ``(3, F)``: up, level forwards, and sideways."""
    level = forward - up[:, None] * (up @ forward)
    size = np.linalg.norm(level, axis=0)
    across = np.cross(up, np.eye(3)[int(np.argmin(np.abs(up)))])  # for who lies and faces upwards
    level = np.where(size > 0.1, level / np.maximum(size, 0.1), across[:, None])
    return np.repeat(up[:, None], level.shape[1], axis=1), level, np.cross(up, level, axis=0)
