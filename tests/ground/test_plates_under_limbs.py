"""Plates under hands and feet, two belts and the steps of stairs: forces are known by making them.

Plates bear what the generated motion needs, shared between limbs as told, at known places.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.errors import MocapRerootError
from mocap_reroot.types import Motion, Plates
from tests.contact.walkers import BALL, HIP, Step, person, regular_steps, staircase, walk
from tests.ground.gymnast import GRAVITY, known, motion_of
from tests.ground.test_limbs import TOES, at, palm

BODY = mr.body_model(person(), mass=70.0, height=1.75)
WEIGHT = 70.0 * GRAVITY
FPS = 100.0


@dataclass(frozen=True)
class Borne:
    """A plate: x and y from and to, height (m), ``(F)`` N up and along x, and x, y of pressure."""

    x: tuple[float, float]
    y: tuple[float, float]
    z: float
    up: np.ndarray
    along: np.ndarray
    place: np.ndarray


def plates_of(borne: list[Borne]) -> Plates:
    """Return plates that measure this."""
    corners, force, moment = [], [], []
    for b in borne:
        box = [(b.x[1], b.y[1]), (b.x[0], b.y[1]), (b.x[0], b.y[0]), (b.x[1], b.y[0])]
        corners.append([(x, y, b.z) for x, y in box])
        force.append(np.stack([b.along, 0 * b.up, b.up]))
        arm = np.stack([*b.place, np.full_like(b.up, b.z)]) - np.mean(corners[-1], axis=0)[:, None]
        moment.append(np.cross(arm, force[-1], axis=0))
    names = tuple(f"plate {k}" for k in range(len(borne)))
    return Plates(np.array(corners), np.array(force), np.array(moment), names)


def measured(motion: Motion, plates: Plates, **options):
    """Return the ground with plates as they are."""
    motion = replace(motion, plates=plates)
    contacts = mr.detect_contacts(motion, BODY)
    return mr.estimate_ground(
        motion, BODY, contacts, forces="measured", plates_cutoff="none", compare_plates=False,
        segment_masses="table", **options,
    )  # fmt: skip


def force_of(ground, name: str) -> np.ndarray:
    """Return ``(3, F)`` N, what the ground does to a limb."""
    names = [ground.motion.skeleton.names[f] for f in ground.contacts.feet]
    return ground.loads.force[names.index(name)]


def push_up() -> tuple[Motion, dict[str, Borne]]:
    """Return a push-up and what each limb gets: the law of the lever, sides alike."""
    down = at(1.4, 0.80, 0.29, 82.0, TOES, palm(1.28))
    up = [at(t, 0.79, 0.36, 74.0, TOES, palm(1.28)) for t in (0.0, 0.2, 2.6, 2.8)]
    motion = motion_of([*up[:2], down, *up[2:]], toes=0.0)
    truth = known(motion, BODY)
    rear, front = 0.055, 1.343
    lever = (truth.pressure - rear) / (front - rear)
    found = {}
    for side, y in (("left", 1), ("right", -1)):
        for limb, x, share, aside in (("hand", front, lever, 0.2), ("foot", rear, 1 - lever, HIP)):
            place = np.stack([np.full_like(lever, x), np.full_like(lever, y * aside)])
            edges = sorted((0.0, y * 0.6))
            found[f"{side}_{limb}"] = Borne(
                (x - 0.3, x + 0.3), (edges[0], edges[1]), 0.0,
                0.5 * share * truth.up, 0.5 * share * truth.forwards, place,
            )  # fmt: skip
    return motion, found


def test_hands_and_feet_get_what_their_own_plates_bear():
    motion, borne = push_up()
    ground = measured(motion, plates_of(list(borne.values())))
    assert set(ground.source) == {"measured"}
    for name, b in borne.items():
        np.testing.assert_allclose(force_of(ground, name)[2], b.up)
        np.testing.assert_allclose(force_of(ground, name)[0], b.along)
    rest = np.sqrt((ground.residual_force**2).sum(axis=0))[5:-5]
    assert rest.max() < 0.01 * WEIGHT


def test_hands_beside_the_plates_are_estimated_with_them():
    motion, borne = push_up()
    feet = {name: b for name, b in borne.items() if name.endswith("foot")}
    ground = measured(motion, plates_of(list(feet.values())))
    assert set(ground.source) == {"mixed"}
    for name, b in borne.items():
        found = force_of(ground, name)[2, 10:-10]
        assert np.abs(found - b.up[10:-10]).max() < (1e-9 if name in feet else 0.03) * WEIGHT


def test_both_hands_on_one_plate_are_told_apart_by_nobody():
    """Feet have plates of their own; the one under both hands measures neither of them."""
    motion, borne = push_up()
    left, right = borne["left_hand"], borne["right_hand"]
    shared = Borne(
        left.x, (right.y[0], left.y[1]), 0.0, 2 * left.up, 2 * left.along, 0 * left.place
    )
    shared = replace(shared, place=0.5 * (left.place + right.place))
    feet = [borne["left_foot"], borne["right_foot"]]
    ground = measured(motion, plates_of([*feet, shared]))
    assert set(ground.source) == {"mixed"}
    covered = dict(
        zip(
            (motion.skeleton.names[f] for f in ground.contacts.feet),
            ground.measured.covered.any(axis=1), strict=True,
        )
    )  # fmt: skip
    assert covered == {
        "left_foot": True, "right_foot": True, "left_hand": False, "right_hand": False,
    }  # fmt: skip
    hands = force_of(ground, "left_hand")[2] + force_of(ground, "right_hand")[2]
    np.testing.assert_allclose(hands[10:-10], shared.up[10:-10], atol=0.03 * WEIGHT)


def shares(steps: list[Step], frames: int) -> np.ndarray:
    """Return ``(steps, F)`` of the weight: load goes over linearly while two feet stand."""
    time = np.arange(frames) / FPS
    found = np.zeros((len(steps), frames))
    for k, step in enumerate(steps):
        before = steps[k - 1].off if k else -np.inf
        after = steps[k + 1].strike if k + 1 < len(steps) else np.inf
        ends = [step.strike, min(max(before, step.strike + 0.02), step.off)]
        starts = [max(min(after, step.off - 0.02), step.strike), step.off]
        up = np.clip((time - ends[0]) / (ends[1] - ends[0]), 0, 1)
        down = np.clip((starts[1] - time) / (starts[1] - starts[0]), 0, 1)
        found[k] = np.minimum(up, down) * ((time > step.strike) & (time < step.off))
    return found


def needed(motion: Motion) -> np.ndarray:
    """Return ``(3, F)`` N, what the motion needs in all."""
    from mocap_reroot.mechanics.whole_body import total_wrench

    return total_wrench(mr.smooth(motion, 10.0), BODY).force


def side_of(step: Step) -> float:
    return HIP if step.side == "left" else -HIP


def each_foot(steps: list[Step], up: np.ndarray) -> dict[str, np.ndarray]:
    """Return ``(F)`` N of both feet."""
    return {
        f"{side}_foot": sum(u for s, u in zip(steps, up, strict=True) if s.side == side)
        for side in ("left", "right")
    }


@pytest.mark.parametrize("apart", [0.0, 0.02])
def test_a_belt_under_each_foot_measures_it_step_after_step(apart):
    """Two long belts side by side, with a gap or none; the body walks in place."""
    speed, duration = 0.6 / 0.55, 4.0
    steps = regular_steps(duration)
    still = walk(steps, FPS, duration)
    time = np.arange(still.n_frames) / FPS
    place = np.array(still.displacement)
    place[0, 0] -= speed * time
    motion = replace(still, displacement=place)
    up = shares(steps, len(time)) * needed(motion)[2]
    x = np.array([s.x + 0.5 * BALL - speed * time for s in steps])
    belts = []
    for y in (1, -1):
        mine = [k for k, s in enumerate(steps) if side_of(s) * y > 0]
        whole = up[mine].sum(axis=0)
        at_x = (up[mine] * x[mine]).sum(axis=0) / np.where(whole > 0, whole, 1.0)
        edges = sorted((y * apart / 2, y * 0.5))
        where = np.stack([at_x, np.full_like(at_x, y * HIP)])
        belts.append(Borne((-1.2, 1.2), (edges[0], edges[1]), 0.0, whole, 0 * whole, where))
    ground = measured(motion, plates_of(belts), cutoff=10.0)
    assert set(ground.source) == {"measured"}
    for name, wanted in each_foot(steps, up).items():
        found = force_of(ground, name)[2]
        assert np.abs(found - wanted).max() < 0.01 * WEIGHT, name
    unknown = mr.body_model(person(), height=1.75)
    moving = replace(motion, plates=plates_of(belts))
    weighed = mr.estimate_ground(moving, unknown, mr.detect_contacts(moving, unknown))
    assert weighed.body.total_mass == pytest.approx(70.0, rel=0.02)


def test_a_foot_that_crosses_to_the_other_belt_is_not_measured_by_it():
    """The right foot stands on the left belt, too: what that belt bears is of two feet."""
    steps = [Step("left", 0, np.inf, 0, 0), Step("right", 0, np.inf, 0, 0)]
    pelvis = np.stack([np.full(100, 0.05), np.full(100, 0.9)])
    motion = walk(steps, FPS, 1.0, pelvis=pelvis)
    half, zero = np.full(100, 0.5 * WEIGHT), np.zeros(100)
    belts = [
        Borne((-1, 1), (-0.10, 0.5), 0.0, half, zero, np.stack([zero + 0.05, zero + HIP])),
        Borne((-1, 1), (-0.5, -0.10), 0.0, half, zero, np.stack([zero + 0.05, zero - HIP])),
    ]
    with pytest.raises(MocapRerootError, match="none bears one foot alone and whole"):
        measured(motion, plates_of(belts))


@pytest.mark.parametrize("rise", [0.17, -0.17])
def test_every_step_of_stairs_has_its_plate(rise):
    count = 4
    steps = staircase(count, rise)
    motion = walk(steps, FPS, 0.6 * (4 + count) - 0.1)  # another foot would be about to land
    frames = motion.n_frames
    up = shares(steps, frames) * needed(motion)[2]
    borne = []
    for step, mine in zip(steps, up, strict=True):
        if not (mine > 0).any():
            continue
        x, y = step.x + 0.5 * BALL, side_of(step)
        edges = sorted((0.0, 4 * y))
        where = np.stack([np.full(frames, x), np.full(frames, y)])
        tread = x - 0.14, x + 0.14
        borne.append(Borne(tread, (edges[0], edges[1]), step.z, mine, 0 * mine, where))
    ground = measured(motion, plates_of(borne), cutoff=10.0)
    assert set(ground.source) == {"measured"}
    for name, wanted in each_foot(steps, up).items():
        found = force_of(ground, name)[2]
        assert np.abs(found - wanted).max() < 0.01 * WEIGHT, name
    heights = {round(float(z), 2) for z in ground.support.point[:, 2][ground.support.on]}
    assert len(heights) > count
