"""Periodic movements as splines: feet that stand still by construction, a body above them.

Every channel is a periodic quintic spline of the stride's phase, so positions have four continuous
derivatives. A foot in stance turns about its heel, lies flat and turns about its toe joint: its
splines have no coefficients there, so it neither slips nor sinks. Hips, knees and ankles follow
from the leg's geometry. ``fit`` finds the coefficients.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from scipy.interpolate import BSpline, CubicSpline

from sample_data import gait_model as model

STORE = Path(__file__).with_name("coefficients.json")
SIDES = (("Left", 1.0), ("Right", -1.0))
KINDS = {
    "root_x": "odd", "root_y": "even", "root_z": "even",
    "tilt": "even", "list": "odd", "yaw": "odd", "lean": "even", "twist": "odd",
    "pitch": "limb", "toes": "limb", "ahead": "limb", "lift": "limb",
    "swing": "limb", "elbow": "limb",
}  # fmt: skip
"""Channels, m and rad: of the pelvis; its forward tilt, drop and rotation; the trunk's on it; a
foot's pitch, its toes' bend, its way ahead and up in swing; an arm's. What is "even" is the same
half a stride later, "odd" the opposite; a limb has the other side's then."""
COARSE = ("lean", "twist", "swing", "elbow")
"""Channels with half as many knots."""
HALF_WIDTH = 3
"""Knots between the middle of a quintic B-spline and where it ends."""
PRESSURE = ((0, 0.1, 0.2, 0.4, 0.5, 0.6, 0.8, 1), (-0.04, -0.02, 0, 0.06, 0.09, 0.12, 0.145, 0.165))
"""Where a foot that lands on its heel presses: m ahead of the ankle, by share of stance."""


@dataclass(frozen=True)
class Gait:
    """A periodic movement. Times are fractions of the stride, counted from the first load.

    Attributes:
        period: s.
        speed: m/s, forward.
        duty: Share of the stride for which a foot is loaded.
        delay: Share of the stride by which the right foot follows the left: a half, or none.
        landing: The foot comes to rest that much after it is first loaded.
        leaving: When it starts to leave; the toes move before the load is gone.
        flat: From when to when the whole foot lies on the ground.
        on_heel: Whether it lands on its heel, or on the ball.
        step_width: m, between the ankles.
        knots: Of most splines.
        coefficients: By channel.
    """

    period: float
    speed: float
    duty: float
    delay: float
    landing: float
    leaving: float
    flat: tuple[float, float]
    on_heel: bool
    step_width: float
    knots: int
    coefficients: dict[str, np.ndarray] = field(default_factory=dict)

    @cached_property
    def pressure(self) -> CubicSpline:
        """How far ahead of the ankle a foot presses, m, by share of stance."""
        if self.on_heel:
            return CubicSpline(*PRESSURE)
        return CubicSpline([0, 0.3, 0.7, 1], [0.05] * 4)

    def pose(self, time: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the pelvis path ``(F, 3)`` and joint rotations of the person at given times."""
        return pose(self, time)

    def channel(self, name: str, phase: np.ndarray) -> np.ndarray:
        """Return a channel ``(F)`` at phases of the stride (a foot's: since it came to rest)."""
        if name not in self.coefficients:
            return np.zeros_like(phase)
        return basis(phase, len(self.coefficients[name])) @ self.coefficients[name]


def basis(phase: np.ndarray, knots: int) -> np.ndarray:
    """Return periodic quintic B-splines ``(F, knots)``, the j-th with its middle at j / knots."""
    return _basis(np.ascontiguousarray(phase, float).tobytes(), knots)


@lru_cache(maxsize=64)
def _basis(phase: bytes, knots: int) -> np.ndarray:
    element = BSpline.basis_element(np.arange(-3.0, 4.0), extrapolate=False)
    apart = np.frombuffer(phase)[:, None] * knots - np.arange(knots)
    apart = (apart + knots / 2) % knots - knots / 2
    return np.nan_to_num(element(apart))


def ramp(u: np.ndarray) -> np.ndarray:
    """Return a step from 0 to 1 with four continuous derivatives."""
    u = np.clip(u, 0, 1)
    return u**5 * (126 - 420 * u + 540 * u**2 - 315 * u**3 + 70 * u**4)


def gentle_ramp(u: np.ndarray) -> np.ndarray:
    """Return a step from 0 to 1 of least jerk, with two continuous derivatives."""
    u = np.clip(u, 0, 1)
    return u**3 * (10 - 15 * u + 6 * u**2)


def is_free(gait: Gait, name: str) -> np.ndarray:
    """Return which coefficients ``(knots)`` of a channel may differ from zero."""
    knots = gait.knots // 2 if name in COARSE else gait.knots
    middle, width = np.arange(knots) / knots, HALF_WIDTH / knots
    rest = gait.leaving - gait.landing
    if name == "pitch":
        first, last = (at - gait.landing for at in gait.flat)
        return (middle + width <= first) | (middle - width >= last)
    if name in ("toes", "ahead", "lift"):
        return middle - width >= rest - 1e-9 if gait.duty < 1 else np.zeros(knots, bool)
    if KINDS[name] == "odd" and not gait.delay:
        return np.zeros(knots, bool)
    return np.ones(knots, bool)


def foot_path(
    gait: Gait, phase: np.ndarray, base: np.ndarray, turn_out: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ankle positions ``(F, 3)``, orientations ``(F, 3, 3)`` and toe bend of one foot.

    Args:
        gait: The gait.
        phase: Phase since the foot came to rest, 0 to 1.
        base: ``(F, 3)`` where the ankle is while the foot lies flat in the current stance.
        turn_out: How far the foot points outwards, rad.
    """
    middle = 0.5 * sum(gait.flat) - gait.landing
    rest = gait.leaving - gait.landing
    pitch = gait.channel("pitch", phase)
    outward = model.turn("y", np.full_like(phase, turn_out))
    orientation = outward @ model.turn("x", -pitch)

    def held(point: np.ndarray) -> np.ndarray:
        """Return how far the ankle moves when the foot turns about one of its points."""
        return model.apply(outward, point) - model.apply(orientation, point)

    swing = ramp((phase - rest) / (1 - rest)) if gait.duty < 1 else np.zeros_like(phase)
    bend = -pitch
    ankle = base + held(model.TOE_JOINT)
    if gait.on_heel:
        # Both are zero while the foot is flat, so the change from one to the other is exact there.
        heel = np.where(phase < middle, 1.0, swing)[:, None]
        ankle += heel * (held(model.HEEL) - held(model.TOE_JOINT))
        rising = np.where(is_free(gait, "pitch") & (np.arange(gait.knots) > middle * gait.knots),
                          gait.coefficients["pitch"], 0.0)  # fmt: skip
        rising[round(0.85 * gait.knots) :] = 0.0
        bend = -basis(phase, gait.knots) @ rising
    ankle[:, 2] += gait.speed * gait.period * swing + gait.channel("ahead", phase)
    ankle[:, 1] += gait.channel("lift", phase)
    return ankle, orientation, bend + gait.channel("toes", phase)


def pose(
    gait: Gait, time: np.ndarray, strict: bool = True
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return the pelvis path ``(F, 3)`` and joint rotations of the person at given times."""
    cycle = time / gait.period
    at = {name: gait.channel(name, cycle % 1) for name, kind in KINDS.items() if kind != "limb"}
    root = np.stack([at["root_x"], at["root_y"], at["root_z"] + gait.speed * time], axis=1)
    local = {
        "Hips": model.turn("y", at["yaw"]) @ model.turn("z", at["list"])
        @ model.turn("x", at["tilt"]),
        "Spine": model.turn("x", at["lean"]) @ model.turn("z", -at["list"]),
        "Spine1": model.turn("y", at["twist"] - at["yaw"]),
        "Neck": model.turn("x", -at["lean"] - at["tilt"]) @ model.turn("y", -at["twist"]),
    }  # fmt: skip
    for side, sign in SIDES:
        phase, base, out = stance_place(gait, time, sign, gait.landing)
        ankle, foot, toes = foot_path(gait, phase, base, out)
        hip = root + model.apply(local["Hips"], model.OFFSETS[model.NAMES.index(f"{side}UpLeg")])
        joints = model.leg(hip, local["Hips"], ankle, foot, strict)
        for name, matrix in zip(("UpLeg", "Leg", "Foot"), joints, strict=True):
            local[f"{side}{name}"] = matrix
        local[f"{side}ToeBase"] = model.turn("x", -toes)
        own = (cycle - gait.delay * (sign < 0)) % 1
        hanging = model.turn("z", np.full_like(time, -sign * np.radians(80)))
        local[f"{side}Arm"] = model.turn("x", -gait.channel("swing", own)) @ hanging
        local[f"{side}ForeArm"] = model.turn("y", -sign * gait.channel("elbow", own))
    return root, local


def stance_place(
    gait: Gait, time: np.ndarray, sign: float, late: float = 0.0
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the phase since a foot's first load, where its ankle stands ``(F, 3)``, and its turn.

    ``late`` counts the phase from later than the load.
    """
    delay = gait.delay * (sign < 0)
    cycle = time / gait.period - delay - late
    count = np.floor(cycle)
    base = np.empty((len(time), 3))
    base[:, 0] = sign * gait.step_width / 2
    base[:, 1] = model.ANKLE_HEIGHT
    base[:, 2] = (delay + count) * gait.speed * gait.period
    return cycle - count, base, sign * np.radians(6)


def load_share(gait: Gait, phase: np.ndarray) -> np.ndarray:
    """Return the share of the load that a foot carries at phases since its first load, 0 to 1."""
    both = gait.duty - 0.5
    if not gait.delay:
        return 0.5 * (phase <= gait.duty)
    if both <= 0:
        return (phase < gait.duty).astype(float)
    return gentle_ramp(phase / both) * (1 - gentle_ramp((phase - 0.5) / both))


def pressure_path(gait: Gait, phase: np.ndarray, base: np.ndarray, out: float) -> np.ndarray:
    """Return where a foot should press ``(F, 3)``: on the ground, from heel to toes."""
    ahead = gait.pressure(np.clip(phase / gait.duty, 0, 1))
    return np.stack(
        [base[:, 0] + np.sin(out) * ahead, 0 * ahead, base[:, 2] + np.cos(out) * ahead], axis=1
    )


def pack(gait: Gait) -> np.ndarray:
    """Return the free coefficients as one vector: of even and odd channels the first half."""
    return np.concatenate([gait.coefficients[name][slots] for name, slots in _slots(gait).items()])


def unpack(gait: Gait, values: np.ndarray) -> Gait:
    """Return the gait with free coefficients from a vector as ``pack`` makes it."""
    found, at = {}, 0
    for name, slots in _slots(gait).items():
        knots = gait.knots // 2 if name in COARSE else gait.knots
        own = np.zeros(knots)
        own[slots] = values[at : at + len(slots)]
        at += len(slots)
        if gait.delay and KINDS[name] != "limb":
            own[knots // 2 :] = own[: knots // 2] * (-1 if KINDS[name] == "odd" else 1)
        found[name] = own
    return replace(gait, coefficients=found)


def _slots(gait: Gait) -> dict[str, np.ndarray]:
    slots = {name: np.flatnonzero(is_free(gait, name)) for name in KINDS}
    for name, kind in KINDS.items():
        if gait.delay and kind != "limb":
            slots[name] = slots[name][: len(slots[name]) // 2]
    return slots


WALK = Gait(
    period=1.08, speed=1.3, duty=0.62, delay=0.5, landing=0.02, leaving=0.54, flat=(0.13, 0.25),
    on_heel=True, step_width=0.10, knots=48,
)  # fmt: skip
RUN = Gait(
    period=0.72, speed=3.0, duty=0.35, delay=0.5, landing=0.04, leaving=0.28, flat=(0.11, 0.12),
    on_heel=True, step_width=0.04, knots=48,
)  # fmt: skip
SQUAT = Gait(
    period=3.0, speed=0.0, duty=1.0, delay=0.0, landing=0.0, leaving=1.0, flat=(0.0, 1.0),
    on_heel=False, step_width=0.24, knots=24,
)  # fmt: skip
GAITS = {"walk": WALK, "run": RUN, "squat": SQUAT}


def stored(name: str) -> Gait:
    """Return a movement with the coefficients that ``python -m sample_data.fit`` found for it."""
    found = json.loads(STORE.read_text(encoding="ascii"))[name]
    return unpack(GAITS[name], np.array(found))
