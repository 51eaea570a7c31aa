"""A person of rods who walks, stands and stands on the hands as told; contacts are then known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.types import Anatomy, Motion, Skeleton

UP = np.array([0.0, 0.0, 1.0])
THIGH = SHANK = 0.42
HIP = 0.09
HEEL, BALL, TIP, ANKLE = -0.06, 0.14, 0.21, 0.08
"""m along the sole from the ankle, and its height above the sole."""

_BODIES = {
    # name: (parent, offset)
    "pelvis": ("", (0, 0, 0)),
    "trunk": ("pelvis", (0, 0, 0.1)),
    "head": ("trunk", (0, 0, 0.5)),
}
for _side, _sign in (("left", 1), ("right", -1)):
    _BODIES |= {
        f"{_side}_thigh": ("pelvis", (0, _sign * HIP, 0)),
        f"{_side}_shank": (f"{_side}_thigh", (0, 0, -THIGH)),
        f"{_side}_foot": (f"{_side}_shank", (0, 0, -SHANK)),
        f"{_side}_toes": (f"{_side}_foot", (BALL, 0, -ANKLE + 0.02)),
        f"{_side}_upper_arm": ("trunk", (0, _sign * 0.2, 0.42)),
        f"{_side}_forearm": (f"{_side}_upper_arm", (0, 0, -0.3)),
        f"{_side}_hand": (f"{_side}_forearm", (0, 0, -0.27)),
    }


def person(*, toes: bool = True, named: bool = True) -> Skeleton:
    """Return the skeleton: zero pose upright, arms hanging, x forwards."""
    bodies = {k: v for k, v in _BODIES.items() if toes or not k.endswith("toes")}
    names = tuple(bodies)
    sites = {"head": (0, 0, 0.2)}
    for side in ("left", "right"):
        sites[f"{side}_hand"] = (0, 0, -0.18)
        if toes:
            sites[f"{side}_toes"] = (TIP - BALL, 0, -0.01)
        else:
            sites[f"{side}_foot"] = (TIP, 0, -ANKLE + 0.01)
    calm = Anatomy(names, np.ones(len(names)), ("given",) * len(names), True)
    return Skeleton(
        names if named else tuple(f"b{i}" for i in range(len(names))),
        np.array([names.index(p) if p else -1 for p, _ in bodies.values()]),
        np.array([offset for _, offset in bodies.values()], float),
        site_body=np.array([names.index(b) for b in sites]),
        site_offset=np.array(list(sites.values()), float),
        channels=tuple(("Zrotation", "Xrotation", "Yrotation") for _ in names),
        anatomy=calm if named else None,
    )


def about_y(angle: np.ndarray) -> np.ndarray:
    """Return ``(4, F)`` rotations about the y axis."""
    zero = np.zeros_like(angle)
    return np.stack([np.cos(angle / 2), zero, np.sin(angle / 2), zero])


@dataclass(frozen=True)
class Step:
    """A stance: side, strike and off in s, ``(2)`` m where the ankle stands (x, height), slope.

    ``landing`` is the pitch, rad, at which the foot comes down on its ball; the heel follows.
    """

    side: str
    strike: float
    off: float
    x: float
    z: float
    slope: float = 0.0
    landing: float = 0.0


def _ease(s: np.ndarray) -> np.ndarray:
    return s**3 * (10 - 15 * s + 6 * s**2)


def _foot_path(steps: list[Step], time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(2, F)`` m ankle (x, z) and ``(F)`` rad pitch, toes down."""
    x, z, pitch = (np.zeros_like(time) for _ in range(3))
    for k, step in enumerate(steps):
        after = steps[k + 1] if k + 1 < len(steps) else None
        start = -np.inf if k == 0 else step.strike
        now = (time >= start) & (time <= (np.inf if after is None else step.off))
        rise = np.zeros_like(time)
        if after is not None:  # the heel rises about the ball before the foot leaves
            rise = 0.7 * _ease(np.clip((time - step.off + 0.2) / 0.2, 0, 1))
        if k > 0:  # and comes down after the ball
            rise = rise + step.landing * (1 - _ease(np.clip((time - step.strike) / 0.15, 0, 1)))
        px, pz = _about_ball(rise - step.slope)
        x[now], z[now], pitch[now] = step.x + px[now], step.z + pz[now], (rise - step.slope)[now]
        if after is None:
            continue
        swing = (time > step.off) & (time < after.strike)
        s = (time[swing] - step.off) / (after.strike - step.off)
        bx, bz = (v.item() for v in _about_ball(np.array(0.7 - step.slope)))
        ax, az = (v.item() for v in _about_ball(np.array(after.landing - after.slope)))
        e = 0.5 - 0.5 * np.cos(np.pi * s)  # brakes to the end: it does not glide in
        x[swing] = (step.x + bx) * (1 - e) + (after.x + ax) * e
        lift = 0.12 + 0.5 * max(after.z - step.z, 0)
        z[swing] = (step.z + bz) * (1 - e) + (after.z + az) * e + lift * (4 * s * (1 - s)) ** 2
        pitch[swing] = (0.7 - step.slope) * (1 - e) + (after.landing - after.slope) * e
    return np.stack([x, z]), pitch


def _about_ball(pitch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where the ankle goes when the foot pitches about its ball on the ground."""
    c, s = np.cos(pitch), np.sin(pitch)
    return BALL - BALL * c + ANKLE * s, BALL * s + ANKLE * c


def walk(
    steps: list[Step], fps: float, duration: float, *, toes: bool = True, pelvis=None, scale=1.0
) -> Motion:
    """Return a motion whose feet stand and swing as told; the pelvis goes along."""
    time = np.arange(round(duration * fps)) / fps
    skeleton = person(toes=toes)
    feet = {s: _foot_path([p for p in steps if p.side == s], time) for s in ("left", "right")}
    if pelvis is None:
        t = [0.5 * (p.strike + p.off) for p in steps]
        px = np.interp(time, t, [p.x for p in steps])
        pz = np.interp(time, t, [p.z for p in steps])
        width = max(3, round(0.4 * fps))
        kernel = np.hanning(width + 2)[1:-1]
        px, pz = (
            np.convolve(np.pad(v, width, "edge"), kernel / kernel.sum(), "same")[width:-width]
            for v in (px, pz)
        )
        pelvis = np.stack([px, pz + 0.82])
    n, frames = skeleton.n_bodies, len(time)
    rotation = np.tile(np.array([1.0, 0, 0, 0])[None, :, None], (n, 1, frames))
    displacement = np.stack([pelvis[0], np.zeros(frames), pelvis[1]])[None]
    for side, (ankle, pitch) in feet.items():
        dx, dz = ankle - pelvis
        reach = np.minimum(np.hypot(dx, dz), 0.999 * (THIGH + SHANK))
        lean = np.arctan2(-dx, -dz)  # of the line from hip to ankle
        knee = np.arccos(np.clip(reach / (2 * THIGH), -1, 1))
        thigh = lean - knee
        shank = 2 * knee
        rotation[skeleton.index(f"{side}_thigh")] = about_y(thigh)
        rotation[skeleton.index(f"{side}_shank")] = about_y(shank)
        rotation[skeleton.index(f"{side}_foot")] = about_y(pitch - thigh - shank)
        if toes:
            standing = np.clip(pitch, 0, None)  # toes stay flat while the heel rises
            rotation[skeleton.index(f"{side}_toes")] = about_y(-0.8 * standing)
    moved = Motion(skeleton, fps, UP, rotation, displacement)
    if scale == 1.0:
        return moved
    small = person(toes=toes)
    resized = Skeleton(
        small.names, small.parents, small.offset * scale, site_body=small.site_body,
        site_offset=small.site_offset * scale, channels=small.channels, anatomy=small.anatomy,
    )  # fmt: skip
    return Motion(resized, fps, UP, rotation, displacement * scale)


def regular_steps(
    duration: float, *, stride: float = 1.1, length: float = 0.6, rise: float = 0.0,
    slope: float = 0.0,
) -> list[Step]:  # fmt: skip
    """Return alternating steps through the clip and beyond; 60 % of a stride is stance."""
    steps = []
    for k in range(-2, int(2 * duration / stride) + 4):
        strike = k * stride / 2
        side = "left" if k % 2 == 0 else "right"
        steps.append(Step(side, strike, strike + 0.6 * stride, k * length, k * rise, slope))
    return steps


def staircase(count: int, rise: float, *, level: int = 2, stride: float = 1.2) -> list[Step]:
    """Return steps on level ground, then on so many stairs, then on level ground again.

    Going down, the ball lands first and the heel follows, as people do.
    """
    steps, x, z = [], 0.0, 0.0
    for k in range(-2, 2 * level + count + 2):
        on_stairs = level <= k < level + count
        x += 0.28 if on_stairs else 0.45
        z += rise if on_stairs else 0.0
        landing = 0.35 if on_stairs and rise < 0 else 0.0
        strike = k * stride / 2
        side = "left" if k % 2 == 0 else "right"
        steps.append(Step(side, strike, strike + 0.6 * stride, x, z, 0.0, landing))
    return steps


def standing(fps: float = 100.0, frames: int = 200, *, sway: float = 0.004) -> Motion:
    """Return a person who stands and sways a little."""
    time = np.arange(frames) / fps
    pelvis = np.stack([0.02 + sway * np.sin(2 * np.pi * 0.4 * time), np.full(frames, 0.9)])
    steps = [Step("left", 0, np.inf, 0, 0), Step("right", 0, np.inf, 0, 0)]
    return walk(steps, fps, frames / fps, pelvis=pelvis)


def on_one_leg(fps: float = 100.0, frames: int = 300) -> Motion:
    """Return a person who stands on the left leg, the right foot held still 25 cm up."""
    motion = standing(fps, frames)
    pelvis = motion.displacement[0][[0, 2]]
    steps = [Step("left", 0, np.inf, 0, 0), Step("right", 0, np.inf, 0.1, 0.25)]
    return walk(steps, fps, frames / fps, pelvis=pelvis)


def hand_stand(fps: float = 100.0, frames: int = 200) -> Motion:
    """Return a person upside down on straight arms."""
    motion = standing(fps, frames, sway=0.0)
    skeleton = motion.skeleton
    rotation = np.tile(np.array([1.0, 0, 0, 0])[None, :, None], (skeleton.n_bodies, 1, frames))
    half = np.full(frames, np.pi)
    wobble = 0.01 * np.sin(2 * np.pi * 0.5 * np.arange(frames) / fps)
    rotation[skeleton.root] = about_y(half)
    for side in ("left", "right"):
        rotation[skeleton.index(f"{side}_upper_arm")] = about_y(half)
        rotation[skeleton.index(f"{side}_thigh")] = about_y(wobble)
    height = 0.1 + 0.42 + 0.3 + 0.27 + 0.18
    displacement = np.zeros((1, 3, frames))
    displacement[0, 2] = height
    return Motion(skeleton, fps, UP, rotation, displacement)
