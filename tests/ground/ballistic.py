"""A flat person of rods who flies: forces are chosen first, and the motion then has them.

The centre of mass follows from the force, the angular momentum about it from where the force acts.
Where ankles and wrists are is said as in :mod:`tests.ground.gymnast`, from the pelvis or the world;
the pelvis and the lean of the trunk are what makes both come true, found by going round a few times
with sums over bodies, none of the package's formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import fsolve

from mocap_reroot.types import BodyModel, Motion, Skeleton
from tests.contact.walkers import person
from tests.ground.gymnast import FLAT, GRAVITY, SHOULDER, motion_of_numbers, summed

FPS = 500.0
BALL = np.array([0.14, -0.06])
"""m, the ball of the foot from its ankle, foot flat."""
Limbs = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""From pelvis ``(2, F)`` and lean (rad): numbers ``(12, F)`` of feet and hands, pitch of toes."""


def flat_person() -> Skeleton:
    """Return the person with both legs and arms in one plane: nothing rolls or yaws."""
    skeleton = person()
    offset = np.array(skeleton.offset)
    offset[:, 1] = 0.0
    return replace(skeleton, offset=offset)


@dataclass(frozen=True)
class Flight:
    """A motion, and the force that it was made from: ``(F)`` N forwards and up."""

    motion: Motion
    forwards: np.ndarray
    up: np.ndarray

    def at(self, fps: float, belt: float = 0.0) -> Flight:
        """Return every so manyth frame, on a belt that runs backwards at a speed (m/s)."""
        step = round(self.motion.fps / fps)
        rotation = np.array(self.motion.rotation[..., ::step])
        place = np.array(self.motion.displacement[..., ::step])
        place[0, 0] -= belt * np.arange(place.shape[-1]) / fps
        motion = Motion(self.motion.skeleton, fps, self.motion.up, rotation, place)
        return Flight(motion, self.forwards[::step], self.up[::step])


def turned(angle: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return vectors x, z turned forwards (toes down) by angles."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack(np.broadcast_arrays(c * v[0] + s * v[1], -s * v[0] + c * v[1]))


def ramp(t: np.ndarray, start: float, stop: float) -> np.ndarray:
    """Return a step from 0 to 1 with three continuous derivatives."""
    u = np.clip((t - start) / (stop - start), 0, 1)
    return u**4 * (35 - 84 * u + 70 * u**2 - 20 * u**3)


def ankle_over(ball: np.ndarray, pitch: np.ndarray) -> np.ndarray:
    """Return ``(2, F)`` m, the ankle of a foot of some pitch (rad) on its ball."""
    return ball[:, None] - turned(pitch, BALL)


def hands_of(pelvis: np.ndarray, lean: np.ndarray, swing: np.ndarray, reach: float) -> np.ndarray:
    """Return x, z, pitch (degrees) of a wrist, an angle (rad) ahead of the hanging arm."""
    shoulder = pelvis + turned(lean, np.array([0.0, SHOULDER]))
    wrist = shoulder - turned(lean - swing, np.array([0.0, reach]))
    return np.stack([*wrist, np.degrees(lean - swing)])


def flying(
    centre: np.ndarray,
    momentum: np.ndarray,
    limbs: Limbs,
    body: BodyModel,
    *,
    turns: float = 0.0,
    scaled: bool = False,
) -> Motion:
    """Return the motion with a path of the centre of mass and an angular momentum.

    Args:
        centre: ``(2, F)`` m, x and z.
        momentum: ``(F)`` kg·m²/s about it, forwards.
        limbs: Where feet and hands are.
        body: Mass model.
        turns: Rad, by which the lean differs between both ends: to that end a constant is added to
            the momentum …
        scaled: … or it is scaled.
    """
    skeleton, frames = body.skeleton, centre.shape[1]
    lean = turns * np.linspace(0, 1, frames)
    pelvis = centre - np.array([[0.0], [0.05]])
    for _ in range(60):
        numbers, toes = limbs(pelvis, lean)
        whole = np.concatenate([pelvis, np.degrees(lean)[None], numbers])
        motion = motion_of_numbers(whole, FPS, np.degrees(toes), skeleton)
        com, spin, inertia = summed(motion, body)
        pelvis = pelvis + centre - com
        missing = (momentum - spin) / inertia
        free = (momentum if scaled else 1.0) / inertia
        left = turns - (lean[-1] - lean[0]) - once(missing)[-1]
        missing = missing + free * left / once(free)[-1]
        lean = lean + 0.7 * once(missing)
        if np.abs(missing).max() < 1e-6:
            break
    return motion


def sprint(body: BodyModel, speed: float = 9.0, stance: float = 0.1, steps: int = 7) -> Flight:
    """Return a sprint: half a sine to a power in every stance, pressure near the ball."""
    step, mass = 0.23, body.total_mass
    time = np.arange(round((steps * step + 0.1) * FPS)) / FPS
    begins = np.arange(steps) * step + 0.5 * (step - stance) + 0.02
    stood = np.clip((time - begins[:, None]) / stance, 0, 1)
    force = np.sin(np.pi * stood) ** 1.5
    force *= step / stance / np.mean(np.sin(np.pi * np.linspace(0, 1, 1001)) ** 1.5)
    force *= mass * GRAVITY
    x = speed * time
    ball = speed * (begins + 0.5 * stance)[:, None]  # below the centre of mass in mid-stance
    up = force.sum(axis=0)
    z = twice(up / mass - GRAVITY)
    z = 0.87 + z - z.mean()
    along = -0.35 * force * (ball - x) / z  # it aims a third of the way towards the centre of mass
    x = x + twice(along.sum(axis=0) / mass)
    moment = -z * along - (ball - x) * force
    moment -= force * (moment.sum(axis=1) / force.sum(axis=1))[:, None]  # pressed a little aside
    turning = once(moment.sum(axis=0))

    def limbs(pelvis: np.ndarray, lean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        result, toes = np.empty((12, len(time))), np.empty((2, len(time)))
        for k in range(2):
            mine = range(k, steps, 2)
            path = _swings(pelvis, begins[k::2], stance, ball[k::2, 0], time)
            ankle, pitch, bent = pelvis + path[:2], np.radians(path[2]), np.ones(len(time))
            for i in mine:
                on = (stood[i] > 0) & (stood[i] < 1)
                rolls = np.radians(10 + 55 * 0.5 * (1 - np.cos(np.pi * stood[i])))
                pitch = np.where(on, rolls, pitch)
                ankle = np.where(on, ankle_over(np.array([ball[i, 0], 0.02]), pitch), ankle)
                after = begins[i] + stance
                down = ramp(time, begins[i] - 0.06, begins[i]) * ramp(-time, -after - 0.06, -after)
                bent = bent * (1 - down)
            result[3 * k : 3 * k + 3], toes[k] = (*ankle, np.degrees(pitch)), pitch * bent
            swing = 0.3 + 0.7 * np.cos(np.pi * (time - begins[0]) / step + np.pi * k)
            result[6 + 3 * k : 9 + 3 * k] = hands_of(pelvis, lean, swing, 0.42)
        return result, toes

    motion = flying(np.stack([x, z]), turning, limbs, body, turns=0.0)
    return Flight(motion, along.sum(axis=0), up)


def twice(acceleration: np.ndarray) -> np.ndarray:
    """Return a path with an acceleration, which goes nowhere on the whole."""
    fast = np.cumsum(acceleration) / FPS
    return np.concatenate([[0.0], np.cumsum(fast - fast.mean())[:-1]]) / FPS


def once(rate: np.ndarray) -> np.ndarray:
    """Return what has a rate."""
    return np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]))]) / FPS


def _swings(
    pelvis: np.ndarray, begins: np.ndarray, stance: float, ball: np.ndarray, time: np.ndarray
) -> np.ndarray:
    """Return ankles from the pelvis ``(2, F)`` m, and pitch (degrees), of a foot in the air."""
    swing = {0.07: (-0.58, -0.52, 95), 0.17: (-0.1, -0.42, 60), 0.28: (0.42, -0.5, 0)}
    at = {begins[0] - 0.36: (-0.45, -0.6, 65)}
    at |= {begins[0] - 0.36 + t: v for t, v in swing.items()}
    for begin, x in zip(begins, ball, strict=True):
        for t, pitch in ((begin, 10.0), (begin + stance, 65.0)):
            ankle = ankle_over(np.array([x, 0.02]), np.radians([pitch]))[:, 0]
            place = ankle - pelvis[:, min(round(t * FPS), len(time) - 1)]
            at[t] = (*place, pitch)
        at |= {begin + stance + t: v for t, v in swing.items()}
    at[begins[-1] + stance + 0.36] = (0.3, -0.6, 10)
    order = sorted(at)
    return CubicSpline(order, [at[t] for t in order])(time).T


OFF, DOWN = 1.2, 1.78
"""s, when the feet of a backflip leave the ground, and are back."""


def backflip(body: BodyModel) -> Flight:
    """Return a backflip on the spot: a dip, a push, a turn in the air, a landing, and up again."""
    mass, time = body.total_mass, np.arange(round(3.2 * FPS) + 1) / FPS
    off, down = round(OFF * FPS), round(DOWN * FPS)

    def bump(start: float, stop: float) -> np.ndarray:
        return np.asarray(np.sin(np.pi * np.clip((time - start) / (stop - start), 0, 1)) ** 2)

    stands = 1 - ramp(time, OFF - 0.15, OFF) + ramp(time, DOWN, DOWN + 0.15)
    dip, push = bump(0.3, 0.8), bump(OFF - 0.38, OFF)
    lands, rises = bump(DOWN, DOWN + 0.38), bump(DOWN + 0.42, DOWN + 0.92)

    def missed(n: np.ndarray) -> list[float]:
        fast = once(GRAVITY * (stands - 1 - n[0] * dip + n[1] * push + n[2] * lands - n[3] * rises))
        high = once(fast)
        return [fast[off] - 0.5 * GRAVITY * (DOWN - OFF), high[off], fast[-1], high[-1]]

    n = fsolve(missed, [0.5, 2.0, 2.0, 0.5])
    up = mass * GRAVITY * (stands - n[0] * dip + n[1] * push + n[2] * lands - n[3] * rises)
    z = 0.96 + once(once(up / mass - GRAVITY))
    early = time < 0.5 * (OFF + DOWN)
    moment = -up * np.sqrt(bump(OFF - 0.45, OFF)), up * np.sqrt(bump(DOWN, DOWN + 0.45))
    turning = once(moment[0] - moment[1] * moment[0].sum() / moment[1].sum())
    tucked = ramp(time, OFF, OFF + 0.22) * (1 - ramp(time, DOWN - 0.22, DOWN))

    def limbs(pelvis: np.ndarray, lean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        leg = np.array([[-0.05], [FLAT]]) - pelvis
        angle = np.arctan2(-leg[0], -leg[1]) - np.where(early, 0.0, 2 * np.pi)
        drawn = []
        for stood, tuck in ((np.hypot(*leg), 0.42), (angle, lean - np.radians(75))):
            left = stood[off] + _fading(time - OFF, (stood[off] - stood[off - 1]) * FPS)
            back = stood[down] - _fading(DOWN - time, (stood[down + 1] - stood[down]) * FPS)
            air = (1 - tucked) * np.where(early, left, back) + tucked * tuck
            drawn.append(np.where((time > OFF) & (time < DOWN), air, stood))
        ankle = pelvis - turned(drawn[1], np.stack([0 * time, drawn[0]]))
        pitch = (1 - tucked) * np.where(early, 0.0, -2 * np.pi) + tucked * (lean + 0.3)
        swing = 0.2 + 1.6 * ramp(time, OFF - 0.35, OFF) * (1 - ramp(time, OFF, OFF + 0.3))
        both = np.stack([*ankle, np.degrees(pitch)]), hands_of(pelvis, lean, swing, 0.5)
        return np.concatenate([both[0], both[0], both[1], both[1]]), np.stack([pitch, pitch])

    centre = np.stack([0 * z, z])
    motion = flying(centre, turning, limbs, body, turns=-2 * np.pi, scaled=True)
    return Flight(motion, 0 * up, up)


def _fading(since: np.ndarray, rate: float) -> np.ndarray:
    """Return how far something goes on that moves at a rate and comes to rest within 0.1 s."""
    return 0.03 * rate * (1 - np.exp(-np.maximum(since, 0) / 0.03))
