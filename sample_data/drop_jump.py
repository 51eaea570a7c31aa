"""A drop jump made backwards: forces are chosen first, then a person who moves under them.

The ground's push on the whole person is a few smooth pulses that always point at the centre of
mass, so its path follows by integration and the angular momentum about it is zero throughout. Feet
fall, stand and leave by that path. What is left, where the pelvis is and how far it tilts, follows
from the path (two equations a frame) and the angular momentum (one, integrated). Both legs do the
same. The clip begins in the air and ends standing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.integrate import cumulative_simpson
from scipy.interpolate import BSpline, make_interp_spline
from scipy.linalg import solve_banded

from sample_data import gait_model as model
from sample_data.balance import Feet, Masses, Needs, whole
from sample_data.gait import SIDES, gentle_ramp, ramp

STEP = 1e-3
"""s, of the grid on which forces are integrated and the pelvis is found."""
LANDED, OFF = 0.30, 0.60
"""s: both feet land, and leave."""
SECONDS = 2.4
FALL, JUMP = 2.3, 2.0
"""m/s, with which the centre of mass comes down, and leaves."""
AGAIN = OFF + 2 * JUMP / model.GRAVITY
"""s: feet land again, the centre of mass as high as when they left."""
AHEAD, DRIFT = 0.25, 0.12
"""m/s, its way forward before and after the first stance."""
LEAVES, STANDS = 0.97, 0.93
"""m, height of the centre of mass when feet land or leave, and at last."""
FOLLOWS = 0.05
"""m, the centre's way up until the feet rise as fast as it does, halved."""
TILT, LEAN = 0.05, 0.1
"""rad, forward tilt of the pelvis at the beginning, and of the trunk on it throughout."""
PITCH = (np.radians(22), np.radians(40))
"""rad, by which feet point down when they land, and leave."""
SWING, ELBOW = 0.3, 0.8
"""rad, by which arms are held forward, and bent."""
TURNING = 1e-3
"""rad/s, by which the pelvis may turn too much: 3 mN m s of angular momentum."""
STEP_WIDTH = 0.20
"""m, between the ankles."""


@dataclass(frozen=True)
class Push:
    """What the ground does, as splines of time: chosen, not found.

    Attributes:
        centre: m, height and way forward of the centre of mass.
        force: N/kg, upward and forward, on the whole person.
        stand: m, where the ankles stand in the first and in the second stance.
    """

    centre: BSpline
    force: BSpline
    stand: tuple[float, float]


@dataclass(frozen=True)
class DropJump:
    """A drop jump of a person with given masses.

    Attributes:
        push: What the ground does.
        pelvis: Height, way forward (m) and forward tilt (rad) of the pelvis, as splines of time.
    """

    push: Push
    pelvis: BSpline

    def pose(self, time: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the pelvis path ``(F, 3)`` and joint rotations of the person at given times."""
        return posed(self.push, time, self.pelvis(time))

    def feet(self, masses: Masses, time: np.ndarray, need: Needs) -> Feet:
        """Return what each foot gets: half of what the body needs, pressing where that acts."""
        force, moment = whole(need)
        on = np.tile(standing(time), (2, 1))
        up = np.where(np.abs(force[:, 1]) > 1e-9, force[:, 1], np.nan)
        pressure = np.zeros((2, len(time), 3))
        pressure[..., 2] = -moment[:, 0] / up
        pressure[..., 0] = [[sign * STEP_WIDTH / 2] for _, sign in SIDES]
        half = np.where(on[..., None], force / 2, 0.0)
        return Feet(on, half, pressure, np.zeros((2, len(time))), np.zeros((len(time), 3)))


def standing(time: np.ndarray) -> np.ndarray:
    """Return when ``(F)`` both feet are loaded."""
    return ((time >= LANDED) & (time <= OFF)) | (time >= AGAIN)


def pulse(time: np.ndarray, first: float, last: float) -> np.ndarray:
    """Return a smooth bump from 0 to 1 and back ``(F)``."""
    u = (time - first) / (last - first)
    return gentle_ramp(2 * u) * gentle_ramp(2 - 2 * u)


def positive(x: np.ndarray, width: float) -> np.ndarray:
    """Return 0 below minus the width, ``x`` above the width, and a smooth way between."""
    u = np.clip(x / width, -1, 1)
    knee = np.polynomial.Polynomial(
        [0.5, 315 / 256, 0, -105 / 64, 0, 189 / 128, 0, -45 / 64, 0, 35 / 256]
    )
    area = knee.integ()
    return width * (area(u) - area(-1)) + np.maximum(x - width, 0)


@lru_cache(maxsize=1)
def push() -> Push:
    """Return forces such that the person lands, leaves, lands and stands, by linear equations."""
    time = np.arange(-0.05, SECONDS + 0.05, STEP)

    def height(lift: np.ndarray) -> BSpline:
        return make_interp_spline(time, lift, 5).antiderivative(2)

    def solve(parts: list[np.ndarray], goals: list[tuple[float, int, float]]) -> np.ndarray:
        """Return parts ``(F)`` in such shares that the first with them meets the goals."""
        fixed, *free = (height(part) for part in parts)
        rows = [[part(at, order) for part in free] for at, order, _ in goals]
        right = [goal - fixed(at, order) for at, order, goal in goals]
        shares = np.linalg.solve(rows, right)
        return parts[0] + sum(share * part for share, part in zip(shares, parts[1:], strict=True))

    # Heights below are measured from free fall that meets LEAVES at LANDED with FALL.
    since = time - LANDED
    lift = solve(
        [np.zeros_like(time), pulse(time, LANDED, LANDED + 0.7 * (OFF - LANDED)),
         pulse(time, LANDED + 0.3 * (OFF - LANDED), OFF)],
        [(OFF, 0, FALL * (OFF - LANDED) + model.GRAVITY / 2 * (OFF - LANDED) ** 2),
         (OFF, 1, JUMP + FALL + model.GRAVITY * (OFF - LANDED))],
    )  # fmt: skip
    held, still = AGAIN + 0.9, SECONDS
    lift = solve(
        [lift + model.GRAVITY * gentle_ramp((time - AGAIN) / 0.2), pulse(time, AGAIN, AGAIN + 0.3),
         pulse(time, AGAIN + 0.1, held)],
        [(still, 0, STANDS - LEAVES + FALL * (still - LANDED)
          + model.GRAVITY / 2 * (still - LANDED) ** 2),
         (still, 1, FALL + model.GRAVITY * (still - LANDED))],
    )  # fmt: skip
    up = height(lift)(time) + LEAVES - FALL * since - model.GRAVITY / 2 * since**2
    first, second = (time >= LANDED) & (time <= OFF), time >= AGAIN
    ahead = np.where(
        second,
        0.15 - 0.09 * ramp((time - AGAIN) / 0.3),
        0.15 - 0.05 * ramp((time - LANDED) / 0.15) * ramp((OFF - time) / 0.18),
    )
    forward, stand = np.zeros_like(time), 0.0
    way = {}
    for stance, before, after in ((first, AHEAD, DRIFT), (second, DRIFT, 0.0)):
        way[after] = _over_pressure(lift[stance] / up[stance], ahead[stance], before, after)
        forward[stance] = lift[stance] / up[stance] * (way[after] - ahead[stance])
    # Both stances are joined by a flight at constant speed.
    stand = way[DRIFT][-1] + DRIFT * (AGAIN - OFF) - way[0.0][0]
    path = make_interp_spline(time, forward, 5).antiderivative(2)
    start = way[DRIFT][0] - path(LANDED) + (AHEAD - path(LANDED, 1)) * since
    centre = make_interp_spline(time, np.stack([up, path(time) + start], axis=1), 7)
    return Push(
        centre, make_interp_spline(time, np.stack([lift, forward], axis=1), 5), (0.0, stand)
    )


def _over_pressure(
    stiffness: np.ndarray, pressure: np.ndarray, before: float, after: float
) -> np.ndarray:
    """Return a path ``(F)`` that accelerates away from the pressure, with given end velocities.

    An inverted pendulum: acceleration = stiffness (path - pressure).
    """
    frames = len(pressure)
    bands, right = np.zeros((3, frames)), stiffness * pressure * -(STEP**2)
    bands[0, 1:], bands[2, :-1] = 1.0, 1.0
    bands[1] = -2.0 - stiffness * STEP**2
    # Velocities at the ends by a frame beyond them.
    bands[0, 1], bands[2, -2] = 2.0, 2.0
    right[0] += 2 * STEP * before
    right[-1] -= 2 * STEP * after
    return solve_banded((1, 1), bands, right)


def posed(
    ground: Push, time: np.ndarray, pelvis: np.ndarray
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return a pose for where the pelvis is ``(F, 3)``: height, way forward, forward tilt."""
    up = ground.centre(time)[:, 0]
    rise = positive(up - LEAVES - FOLLOWS, FOLLOWS)
    flying = ramp((up - LEAVES - FOLLOWS) / 0.1)
    flight = (time - OFF) / (AGAIN - OFF)
    down, push_off = PITCH
    pitch = -down * (1 - ramp((time - LANDED + 0.01) / 0.12))
    next_landing = ramp((time - AGAIN + 0.31) / 0.25)
    pitch -= push_off * ramp((time - OFF + 0.16) / 0.22) * (1 - next_landing)
    pitch -= down * next_landing * (1 - ramp((time - AGAIN + 0.01) / 0.14))
    base = ground.stand[0] + (ground.stand[1] - ground.stand[0]) * ramp(flight)
    base = base - AHEAD * positive(LANDED - 0.05 - time, 0.04)
    lean = np.full_like(time, LEAN)
    root = np.stack([0 * time, pelvis[:, 0], pelvis[:, 1]], axis=1)
    local = {
        "Hips": model.turn("x", pelvis[:, 2]),
        "Spine": model.turn("x", lean),
        "Neck": model.turn("x", -lean - pelvis[:, 2]),
    }
    for side, sign in SIDES:
        foot = model.turn("x", -pitch)
        ankle = np.stack(
            [0 * time + sign * STEP_WIDTH / 2, model.ANKLE_HEIGHT + rise, base], axis=1
        )
        ankle += model.TOE_JOINT - model.apply(foot, model.TOE_JOINT)
        hip = root + model.apply(local["Hips"], model.OFFSETS[model.NAMES.index(f"{side}UpLeg")])
        joints = model.leg(hip, local["Hips"], ankle, foot, False)
        for name, matrix in zip(("UpLeg", "Leg", "Foot"), joints, strict=True):
            local[f"{side}{name}"] = matrix
        local[f"{side}ToeBase"] = model.turn("x", pitch * (1 - flying))
        local[f"{side}Arm"] = model.turn("x", np.full_like(time, -SWING)) @ model.turn(
            "z", np.full_like(time, -sign * np.radians(80))
        )
        local[f"{side}ForeArm"] = model.turn("y", np.full_like(time, -sign * ELBOW))
    return root, local


def moving_under(ground: Push, masses: Masses, rounds: int = 7) -> DropJump:
    """Return the person who moves under given forces, without angular momentum.

    Raises ArithmeticError where no pelvis is found.
    """
    time = np.arange(-0.03, SECONDS + 0.03, STEP)
    centre = ground.centre(time)
    pelvis = np.column_stack([centre[:, 0] + 0.02, centre[:, 1] - 0.05, np.full(len(time), TILT)])

    def bodies(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rotation, position = model.place(*posed(ground, time, at))
        return rotation, position + np.einsum("nfij,nj->nfi", rotation, masses.com)

    def gap(at: np.ndarray) -> np.ndarray:
        mean = np.einsum("n,nfi->fi", masses.mass, bodies(at)[1]) / masses.mass.sum()
        return mean[:, 1:] - centre

    def over(at: np.ndarray) -> np.ndarray:
        """Return the pelvis moved so that the centre of mass is where it should be."""
        for _ in range(20):
            off = gap(at)
            if np.abs(off).max() < 1e-12:
                break
            small = 1e-6
            slope = np.stack([gap(at + small * np.eye(3)[k]) - off for k in (0, 1)], axis=2) / small
            at = at.copy()
            at[:, :2] -= np.linalg.solve(slope, off[..., None])[..., 0]
        return at

    def momentum(
        change: tuple[np.ndarray, np.ndarray], at: tuple[np.ndarray, np.ndarray]
    ) -> np.ndarray:
        """Return the angular momentum to the left ``(F)`` of rotations and centres that change."""
        spin = change[0] @ np.swapaxes(at[0], 2, 3)
        omega = np.stack([spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]], axis=-1)
        world = at[0] @ masses.inertia[:, None] @ np.swapaxes(at[0], 2, 3)
        arm = at[1] - np.einsum("n,nfi->fi", masses.mass, at[1]) / masses.mass.sum()
        own = np.einsum("nfij,nfj->nfi", world, omega)
        return (own + masses.mass[:, None, None] * np.cross(arm, change[1])).sum(0)[:, 0]

    for _ in range(rounds):
        pelvis = over(pelvis)
        here = bodies(pelvis)
        small = 1e-5
        a, b = (bodies(over(pelvis + np.array([0, 0, s * small]))) for s in (1, -1))
        by_tilt = momentum(((a[0] - b[0]) / (2 * small), (a[1] - b[1]) / (2 * small)), here)
        rates = tuple(make_interp_spline(time, part, 5, axis=1)(time, 1) for part in here)
        error = momentum(rates, here) / by_tilt
        pelvis[:, 2] -= cumulative_simpson(error, dx=STEP, initial=0.0)
    if np.abs(error).max() > TURNING:
        raise ArithmeticError(f"the pelvis still turns by {np.abs(error).max():.1e} rad/s too much")
    return DropJump(ground, make_interp_spline(time, over(pelvis), 5))
