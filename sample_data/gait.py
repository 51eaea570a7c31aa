"""A walk and a run from formulas: feet that stand still, and a pelvis that keeps the balance.

The feet follow published patterns: they land on the heel, lie flat, and roll off over the toe
joint; in stance they do not move at all. Hips and knees follow from the leg's geometry. The pelvis
moves such that the centre of pressure travels from heel to toe: its horizontal path solves

    w (x − p) − ẍ = 0,    w = vertical force / (mass · height)

over one periodic stride, corrected for the angular momentum of the limbs, a few times over.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sample_data import gait_model as model

GRID = 240


@dataclass(frozen=True)
class Gait:
    """Numbers that make a gait. Times are fractions of the stride, counted from foot strike.

    The foot comes to rest a little after it is first loaded (``landing``) and starts to leave a
    little before its load is gone (``lifting``), as feet do; in between it does not move.
    """

    @property
    def leaving(self) -> float:
        """Phase since the foot came to rest at which it starts to leave."""
        return self.duty - self.landing - self.lifting

    period: float
    speed: float
    duty: float
    landing: float
    lifting: float
    strike_pitch: float
    flat_from: float
    rise_from: float
    off_pitch: float
    clearance: float
    hip_height: float
    step_width: float
    arm_swing: float
    elbow: float
    lean: float
    force_wave: tuple[float, float]
    flight: bool


WALK = Gait(
    period=1.10, speed=1.05, duty=0.62, landing=0.03, lifting=0.09,
    strike_pitch=17, flat_from=0.12, rise_from=0.28, off_pitch=58, clearance=0.06, hip_height=0.868,
    step_width=0.10, arm_swing=22, elbow=25, lean=2, force_wave=(0.13, -0.04), flight=False,
)  # fmt: skip
RUN = Gait(
    period=0.74, speed=2.2, duty=0.36, landing=0.06, lifting=0.17,
    strike_pitch=8, flat_from=0.05, rise_from=0.08, off_pitch=50, clearance=0.14, hip_height=0.79,
    step_width=0.06, arm_swing=30, elbow=85, lean=6, force_wave=(0.0, 0.0), flight=True,
)  # fmt: skip


def ramp(u: np.ndarray) -> np.ndarray:
    """Return a step from 0 to 1 with three continuous derivatives."""
    u = np.clip(u, 0, 1)
    return u**4 * (35 - 84 * u + 70 * u**2 - 20 * u**3)


def gentle_ramp(u: np.ndarray) -> np.ndarray:
    """Return a step from 0 to 1 of least jerk, with two continuous derivatives."""
    u = np.clip(u, 0, 1)
    return u**3 * (10 - 15 * u + 6 * u**2)


@dataclass
class Balance:
    """Periodic pelvis path: Fourier coefficients of ``(GRID, 3)`` samples over one stride."""

    samples: np.ndarray = field(default_factory=lambda: np.zeros((GRID, 3)))

    def __call__(self, phase: np.ndarray, derivative: int = 0) -> np.ndarray:
        """Return the path ``(F, 3)`` at phases of the stride."""
        coefficients = np.fft.rfft(self.samples, axis=0) / GRID
        k = np.arange(len(coefficients))
        keep = k <= 40
        wave = np.exp(2j * np.pi * np.outer(phase, k[keep]))
        terms = coefficients[keep] * (2j * np.pi * k[keep, None]) ** derivative
        terms[1:] *= 2
        return (wave @ terms).real


def foot_pitch(gait: Gait, phase: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return pitch (toes up positive) and the toes' own bend, rad, at phases since foot strike.

    Valid from −0.4 to 1.4: past the end the profile goes on into the neighbouring stance.
    """
    end = gait.leaving + 0.10
    land = np.radians(gait.strike_pitch) * (1 - ramp(phase / gait.flat_from))
    land_next = np.radians(gait.strike_pitch) * ramp((phase - end) / (0.97 - end))
    rise = ramp((phase - gait.rise_from) / (end - gait.rise_from))
    fall = ramp((phase - end) / (0.90 - end))
    heel = np.radians(gait.off_pitch) * rise * (1 - fall)
    toes = np.radians(gait.off_pitch) * rise * (1 - ramp((phase - gait.leaving) / 0.22))
    return land * (phase < 0.5) + land_next - heel, toes


def foot_path(
    gait: Gait, phase: np.ndarray, base: np.ndarray, turn_out: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ankle positions ``(F, 3)``, orientations ``(F, 3, 3)`` and toe bend of one foot.

    Args:
        gait: The gait.
        phase: Phase since the last foot strike, 0 to 1.
        base: ``(F, 3)`` where the ankle is while the foot lies flat in the current stance.
        turn_out: How far the foot points outwards, rad.
    """
    pitch, toes = foot_pitch(gait, phase)
    outward = model.turn("y", np.full_like(phase, turn_out))
    orientation = outward @ model.turn("x", -pitch)

    def held(point: np.ndarray) -> np.ndarray:
        """Return how far the ankle moves when the foot turns about one of its points."""
        return model.apply(outward, point) - model.apply(orientation, point)

    heel, toe = held(model.HEEL), held(model.TOE_JOINT)
    # Both are zero while the foot is flat, so the change from one to the other is exact there.
    stance = np.where((phase < 0.5 * (gait.flat_from + gait.rise_from))[:, None], heel, toe)
    swing = (phase - gait.leaving) / (1 - gait.leaving)
    stride = np.array([0.0, 0.0, gait.speed * gait.period])
    ankle = (
        base + stance + gentle_ramp(np.clip(swing, 0, 1) ** 1.2)[:, None] * (stride + heel - stance)
    )
    bump = np.clip(swing, 0, 1)
    ankle[:, 1] += gait.clearance * (256 * bump**4 * (1 - bump) ** 4) * (1.4 - 0.8 * bump)
    return ankle, orientation, toes


def pose(
    gait: Gait, balance: Balance, time: np.ndarray
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return the pelvis path ``(F, 3)`` and joint rotations of the person at given times."""
    cycle = time / gait.period
    wave = 2 * np.pi * cycle
    root = balance(cycle)
    root[:, 1] += gait.hip_height + 0.06
    root[:, 2] += gait.speed * time
    yaw, list_, tilt = np.radians([4.0, 3.0, gait.lean])
    local = {
        "Hips": model.turn("y", -yaw * np.cos(wave)) @ model.turn("z", -list_ * np.sin(wave - 0.4)),
        "Spine": model.turn("z", list_ * np.sin(wave - 0.4)) @ model.turn("x", tilt + 0 * wave),
        "Spine1": model.turn("y", 2 * yaw * np.cos(wave)),
        "Neck": model.turn("y", -yaw * np.cos(wave)) @ model.turn("x", -tilt + 0 * wave),
    }
    for side, sign, delay in (("Left", 1.0, 0.0), ("Right", -1.0, 0.5)):
        phase, base, out = stance_place(gait, time, sign, delay, gait.landing)
        ankle, foot, toes = foot_path(gait, phase, base, out)
        hip = root + model.apply(local["Hips"], model.OFFSETS[model.NAMES.index(f"{side}UpLeg")])
        joints = model.leg(hip, local["Hips"], ankle, foot)
        for name, matrix in zip(("UpLeg", "Leg", "Foot"), joints, strict=True):
            local[f"{side}{name}"] = matrix
        local[f"{side}ToeBase"] = model.turn("x", -toes)
        swing = np.radians(gait.arm_swing) * np.cos(wave + np.pi * (sign > 0) + 0.2)
        local[f"{side}Arm"] = model.turn("x", -swing) @ model.turn(
            "z", -sign * np.radians(80) + 0 * wave
        )
        bend = np.radians(gait.elbow) + 0.3 * np.abs(np.radians(gait.arm_swing)) * np.sin(
            wave + np.pi * (sign > 0)
        )
        local[f"{side}ForeArm"] = model.turn("y", -sign * bend)
    return root, local


def stance_place(
    gait: Gait, time: np.ndarray, sign: float, delay: float, late: float = 0.0
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the phase since a foot's strike, where its ankle stands ``(F, 3)``, and its turn.

    ``late`` counts the phase from later than the strike.
    """
    cycle = time / gait.period - delay - late
    count = np.floor(cycle)
    # At mid-stance the ankle is a little behind the pelvis: the foot reaches forward from it.
    lead = 0.5 * gait.duty * gait.speed * gait.period - 0.025
    base = np.empty((len(time), 3))
    base[:, 0] = sign * gait.step_width / 2
    base[:, 1] = model.ANKLE_HEIGHT
    base[:, 2] = lead + (delay + count) * gait.speed * gait.period
    return cycle - count, base, sign * np.radians(6)


def load_share(gait: Gait, phase: np.ndarray) -> np.ndarray:
    """Return the share of the load that a foot carries at phases since its strike, 0 to 1."""
    both = gait.duty - 0.5
    if both <= 0:
        return ((phase > 0) & (phase < gait.duty)).astype(float)
    return ramp(phase / both) * (1 - ramp((phase - 0.5) / both))


def pressure_path(gait: Gait, phase: np.ndarray, base: np.ndarray, out: float) -> np.ndarray:
    """Return where a foot should press ``(F, 3)``: on the ground, from heel to toes."""
    along = np.clip(phase / gait.duty, 0, 1)
    start, stop = model.HEEL[2] + 0.03, model.TOE_JOINT[2] + 0.03
    ahead = start + (stop - start) * (along + 0.10 * np.sin(2 * np.pi * along))
    return np.stack(
        [base[:, 0] + np.sin(out) * ahead, 0 * ahead, base[:, 2] + np.cos(out) * ahead], axis=1
    )
