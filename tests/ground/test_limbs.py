"""Who carries in motions whose forces are known, and in recordings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mocap_reroot as mr
from tests.contact.walkers import person
from tests.ground.gymnast import FLAT, GRAVITY, Place, Pose, known, motion_of, over

BODY = mr.body_model(person(), mass=70.0, height=1.75)
WEIGHT = 70.0 * GRAVITY
SKIN, SEAT = 0.025, 0.095
"""m, height of a wrist whose palm is down, and of the hips of somebody who sits on the ground."""
TOES = (0.0, 0.171, 60.0)
"""An ankle over toes that are down, heel up."""


def palm(x: float, z: float = SKIN) -> Place:
    return x, z, -90.0


def at(time, x, z, lean, feet, hands, centre=None) -> Pose:
    pose = Pose(time, (x, z), lean, feet, hands)
    return pose if centre is None else over(pose, centre, BODY)


def and_back(poses: list[Pose]) -> list[Pose]:
    last = poses[-1].time
    return poses + [replace(p, time=2 * last - p.time) for p in poses[-2::-1]]


def push_up() -> list[Pose]:
    up = [(t, 0.79, 0.36, 74.0, TOES, palm(1.28)) for t in (0.0, 0.6)]
    return and_back([at(*u) for u in up] + [at(1.8, 0.80, 0.27, 84.0, TOES, palm(1.28))])


def handstand() -> list[Pose]:
    high = [at(t, 0, 1.08, 180, (0.0, 1.90, 180), palm(-0.06), 0.03) for t in (0.0, 1.0)]
    return and_back([*high, at(2.2, 0, 1.06, 180, (0.05, 1.6, 180), palm(-0.06), 0.04)])


def crawl() -> list[Pose]:
    """One hand after the other moves forwards."""
    steps = (  # s, pelvis, left wrist, its height, right wrist, its height
        (0.0, 0, 0.45, 0, 0.45, 0), (0.6, 0, 0.45, 0, 0.45, 0), (1.4, -0.03, 0.45, 0, 0.45, 0),
        (1.9, -0.03, 0.53, 0.1, 0.45, 0), (2.4, -0.03, 0.61, 0, 0.45, 0),
        (3.2, 0, 0.61, 0, 0.45, 0), (3.8, -0.03, 0.61, 0, 0.45, 0),
        (4.3, -0.03, 0.61, 0, 0.53, 0.1), (4.8, -0.03, 0.61, 0, 0.61, 0),
        (5.8, 0.03, 0.61, 0, 0.61, 0),
    )  # fmt: skip
    feet = (-0.40, TOES[1], TOES[2])
    return [
        at(t, x, 0.47, 78, feet, (palm(a, SKIN + up), palm(b, SKIN + down)))
        for t, x, a, up, b, down in steps
    ]


def cartwheel() -> list[Pose]:
    """Slowly: hand, hand, foot off, foot off, upside down, and back the same way."""
    feet, down = (0.0, FLAT, 0.0), (palm(0.4), palm(0.4))
    return and_back(
        [
            at(0.0, 0, 0.90, 0, feet, (0.05, 0.84, 0), 0.05),
            at(1.2, 0, 0.90, 0, feet, (0.05, 0.84, 0), 0.05),
            at(4.5, 0, 0.80, 120, feet, (palm(0.4, 0.16), palm(0.4, 0.3)), 0.10),
            at(6.0, 0, 0.80, 122, feet, (palm(0.4), palm(0.4, 0.2)), 0.12),
            at(7.5, 0, 0.80, 124, feet, down, 0.16),
            at(10.5, 0.2, 0.82, 150, feet, down, 0.36),
            at(12.0, 0.2, 0.82, 152, feet, down, 0.45),
            at(14.1, 0.3, 0.86, 160, (feet, (0.2, 0.5, 60)), down, 0.46),
            at(16.2, 0.4, 0.95, 172, ((0.2, 0.5, 60), (0.25, 1.0, 90)), down, 0.47),
            at(18.6, 0.43, 1.06, 180, (0.44, 1.86, 180), down, 0.47),
            at(19.5, 0.43, 1.06, 180, (0.44, 1.86, 180), down, 0.47),
        ]
    )


def get_up() -> list[Pose]:
    """From sitting on the ground."""
    feet = (0.42, FLAT, 0.0)
    return [
        at(0.0, 0, SEAT, 0, feet, (0.4, 0.45, -60)),
        at(1.0, 0.005, SEAT, 0, feet, (0.4, 0.45, -60)),
        at(2.0, 0, SEAT, 55, feet, (0.75, 0.35, -90)),
        at(3.2, 0.15, SEAT, 62, feet, (0.95, 0.30, -90), 0.42),
        at(4.4, 0.15, 0.25, 62, feet, (0.95, 0.35, -90), 0.48),
        at(6.0, 0.15, 0.90, 0, feet, (0.5, 0.84, 0), 0.47),
        at(7.0, 0.15, 0.90, 0, feet, (0.5, 0.84, 0), 0.47),
    ]


def on_the_back() -> list[Pose]:
    """Knees are drawn up over the belly, and put down again."""
    lying, hands = (SEAT + 0.01, -89), (-0.1, 0.45, -60)
    return and_back(
        [
            at(0.0, 0, *lying, (0.45, FLAT, 0.0), hands),
            at(0.8, 0.005, *lying, (0.45, FLAT, 0.0), hands),
            at(2.8, 0, *lying, (0.35, 0.45, -30), hands),
            at(4.4, 0, *lying, (0.10, 0.70, -90), hands),
        ]
    )


def sit_to_stand() -> list[Pose]:
    feet = (0.30, FLAT, 0.0)
    return and_back(
        [
            at(0.0, -0.05, 0.5, 0, feet, (0.15, 0.55, 0)),
            at(1.2, -0.04, 0.5, 0, feet, (0.15, 0.55, 0)),
            at(2.2, -0.05, 0.5, 45, feet, (0.5, 0.6, 0)),
            at(3.6, 0.31, 0.90, 4, feet, (0.40, 0.85, 0), 0.37),
            at(5.0, 0.33, 0.91, 0, feet, (0.40, 0.86, 0), 0.36),
        ]
    )


def high_stool() -> list[Pose]:
    """Hips almost as high as in standing; feet on a rung, below the centre of mass."""
    ground, rung = (0.05, FLAT, 0.0), (0.05, FLAT + 0.3, 0.0)
    return and_back(
        [
            at(0.0, 0, 0.90, 0, ground, (0.05, 0.84, 0), 0.10),
            at(1.0, 0, 0.90, 0, ground, (0.05, 0.84, 0), 0.10),
            at(2.4, 0, 0.74, 0, ground, (0.2, 0.8, 0), 0.06),
            at(3.4, 0, 0.74, 0, ground, (0.2, 0.8, 0), 0.06),
            at(4.4, 0, 0.74, 0, rung, (0.2, 0.8, 0), 0.06),
            at(5.4, 0, 0.74, 0, rung, (0.2, 0.8, 0), 0.06),
        ]
    )


FEET, HANDS, KNEES, SITS, BACK = "foot", "hand", "shank", "pelvis", "trunk"
SCENES = {
    # poses, pitch of the toes, and who carries, by the second
    "push-up": (push_up, 0.0, {0.3: {FEET, HANDS}, 1.8: {FEET, HANDS}, 3.3: {FEET, HANDS}}),
    "handstand": (handstand, None, {0.3: {HANDS}, 2.2: {HANDS}, 4.0: {HANDS}}),
    "crawl": (crawl, 0.0, {0.3: {HANDS, KNEES}, 1.9: {HANDS, KNEES}, 5.5: {HANDS, KNEES}}),
    "cartwheel": (
        cartwheel, None,
        {0.6: {FEET}, 9.8: {FEET, HANDS}, 19.0: {HANDS}, 29.2: {FEET, HANDS}, 38.4: {FEET}},
    ),
    "get-up": (get_up, None, {0.4: {FEET, SITS}, 5.0: {FEET}, 6.7: {FEET}}),
    "back": (on_the_back, None, {2.9: {SITS, BACK}, 4.4: {SITS, BACK}, 6.0: {SITS, BACK}}),
    "stool": (high_stool, None, {0.6: {FEET}, 5.4: {SITS}, 10.4: {FEET}}),
    "sit-to-stand": (sit_to_stand, None, {0.6: {FEET, SITS}, 5.0: {FEET}, 9.5: {FEET, SITS}}),
}  # fmt: skip


@pytest.fixture(scope="module", params=SCENES)
def scene(request):
    make, toes, who = SCENES[request.param]
    motion = motion_of(make(), toes=toes)
    ground = mr.estimate_ground(motion, BODY, mr.detect_contacts(motion, BODY))
    return request.param, motion, ground, who


def kinds(ground, frame: int) -> set[str]:
    """Return which kinds of limbs bear more than 3 % of weight."""
    contacts = ground.contacts
    segments = [contacts.skeleton.segments[foot].split("_")[-1] for foot in contacts.feet]
    sits = contacts.on_chairs[:, frame]
    size = np.linalg.norm(ground.loads.force[:, :, frame], axis=1)
    return {s for s, f, on in zip(segments, size, sits, strict=True) if f > 0.03 * WEIGHT or on}


def test_who_carries(scene):
    name, motion, ground, who = scene
    found = {second: kinds(ground, round(second * motion.fps)) for second in who}
    assert found == who, name


def test_forces_are_the_known_ones(scene):
    _, motion, ground, _ = scene
    truth, external = known(motion, BODY), ground.external
    force = ground.loads.force.sum(axis=0) + (0 if external is None else external[:3])
    for row, wanted in ((2, truth.up), (0, truth.forwards)):
        off = (force[row] - wanted)[5:-5]
        assert np.sqrt(np.mean(off**2)) < 0.05 * WEIGHT
    residual = ground.residual_force
    assert np.sqrt((residual**2).sum(axis=0)).max() < 0.05 * WEIGHT


def test_only_a_chair_is_external(scene):
    name, _, ground, _ = scene
    if name == "stool":
        assert ground.external[2, 540] == pytest.approx(WEIGHT, rel=0.01)
        assert not ground.external[:, :100].any()
    if name not in ("sit-to-stand", "stool"):
        assert ground.external is None
    if name != "sit-to-stand":
        return
    chair, feet = ground.external[2] / WEIGHT, ground.loads.force[:2, 2].sum(axis=0) / WEIGHT
    assert chair[60] > 0.5 and chair[500] == 0 and feet[500] == pytest.approx(1, abs=0.02)
    assert np.corrcoef(chair, feet)[0, 1] < -0.9
    assert {ground.motion.skeleton.names[b] for b in ground.pushed if b >= 0} == {"pelvis"}


def test_hands_and_feet_share_by_the_law_of_the_lever():
    motion = motion_of(push_up(), toes=0.0)
    ground = mr.estimate_ground(motion, BODY, mr.detect_contacts(motion, BODY))
    truth = known(motion, BODY)
    names = [motion.skeleton.names[f] for f in ground.contacts.feet]
    hands = [k for k, name in enumerate(names) if name.endswith("hand")]
    # The toes bear from the ball to the tip, the palm over 0.7 of its length.
    rear, front = 0.02 + 0.5 * 0.07, 1.28 + 0.35 * 0.18
    lever = (truth.pressure - rear) / (front - rear)
    found = ground.loads.force[hands, 2].sum(axis=0) / truth.up
    assert np.abs(found - lever).max() < 0.05


def test_names_overrule():
    motion = motion_of(push_up(), toes=0.0)
    feet = mr.detect_contacts(motion, BODY, limbs="feet")
    assert {motion.skeleton.names[f] for f in feet.feet} == {"left_foot", "right_foot"}
    one = mr.detect_contacts(motion, BODY, limbs="feet,left_hand")
    assert {motion.skeleton.names[f] for f in one.feet} == {"left_foot", "right_foot", "left_hand"}
    every = mr.detect_contacts(motion, BODY, limbs="all")
    assert len(every.feet) > len(one.feet)
    with pytest.raises(mr.MocapRerootError, match="hans"):
        mr.detect_contacts(motion, BODY, limbs="hans")


def test_old_flags_are_taken_with_a_note(caplog):
    motion = motion_of(push_up(), toes=0.0)
    contacts = mr.detect_contacts(motion, BODY, hands=True)
    assert "limbs (feet,hands)" in caplog.text
    assert any(motion.skeleton.names[f] == "left_hand" for f in contacts.feet)


def test_a_hand_is_root_where_it_alone_carries():
    motion = motion_of(handstand())
    ground = mr.estimate_ground(motion, BODY, mr.detect_contacts(motion, BODY))
    rooted = mr.reroot(ground.motion, ground.contacts)
    assert all("hand" in motion.skeleton.names[phase.root] for phase in rooted.phases)
    result = mr.inverse_dynamics(rooted, ground.body, ground)
    assert {"left_hand_fz", "right_hand_pz"} <= set(result.grf.columns)
    assert result.quality["root_invariance_nm"] < 1e-6


@pytest.mark.parametrize("rate", [60, 67])
def test_cartwheels_are_explained_at_half_the_rate_of_their_file(shared_data, rate):
    """At 120 Hz a jump in it falls at 31 m/s²; at 67 one foot seems to stand a step lower."""
    found = mr.analyze(shared_data / "bvh/cmu_dynamic/87_05.bvh", rate=rate)
    quality, support = found.summary["quality"], " ".join(found.phases["support"])
    assert quality["unexplained"] < 0.05 and quality["external_share"] == 0
    assert "LeftHand" in support and "RightHand" in support
    assert {"LeftHand_fy", "RightHand_fy"} <= set(found.grf.columns)
    assert {"LeftHand", "RightHand"} <= set(found.phases["root"])
