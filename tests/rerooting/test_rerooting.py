"""The friendly face: one root, a root a phase, single states, missing frames, and errors."""

import numpy as np
import pytest

from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.kernels.compiling import LANES
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.rerooting.state import switch_root
from mocap_reroot.types import Motion, Plates, Rooted, Skeleton, flag_code
from tests.random_trees import random_motion, random_skeleton
from tests.rerooting.phases import phase_contacts, random_phases

STATES = (
    "rotation",
    "displacement",
    "angular_velocity",
    "angular_acceleration",
    "linear_velocity",
    "linear_acceleration",
)


def random_case(seed: int, frames: int, n: int = 7) -> Motion:
    rng = np.random.default_rng(seed)
    return random_motion(rng, random_skeleton(rng, n), frames)


def bone(names=("Hips", "LeftLeg", "LeftFoot")) -> Motion:
    """Return a leg that stands still: hips at (0, 1, 0), knee at 0.5 m, foot on the ground."""
    offset = np.array([[0.0, 1.0, 0.0], [0.0, -0.5, 0.0], [0.0, -0.5, 0.0]])
    words = ("Zrotation", "Xrotation", "Yrotation")
    channels = (("Xposition", "Yposition", "Zposition", *words), words, ("Yrotation",))
    skeleton = Skeleton(names, np.array([-1, 0, 1]), offset, channels=channels)
    rotation = np.tile(np.array([1.0, 0, 0, 0])[:, None], (3, 1, 4))
    return Motion(skeleton, 50.0, np.array([0.0, 1, 0]), rotation, np.zeros((1, 3, 4)))


def test_a_leg_stands_on_its_foot():
    moved = reroot(bone(), root="LeftFoot", at=[0.0, -0.1, 0.0])
    skeleton = moved.skeleton
    assert skeleton.parents.tolist() == [1, 2, -1]
    assert np.allclose(skeleton.offset[:2], [[0, 0.5, 0], [0, 0.1, 0]])
    assert np.allclose(skeleton.origin, [[0, -0.5, 0], [0, -0.5, 0], [0, -0.1, 0]])
    point = skeleton.offset[2][:, None] + moved.displacement[0]
    assert np.allclose(point, np.array([0, -0.1, 0])[:, None])
    assert moved.angular_velocity is None and not moved.has_derivatives


def test_channels_go_with_the_joints():
    motion = bone()
    moved = reroot(motion, root="LeftFoot")
    assert moved.skeleton.channels == (
        ("Yrotation", "Xrotation", "Zrotation"),  # the knee's, in the opposite order
        ("Yrotation",),  # the ankle's
        motion.skeleton.channels[0],  # the world's
    )
    assert reroot(moved, root="Hips").skeleton.channels == motion.skeleton.channels


@pytest.mark.parametrize("frames", [1, 2, LANES - 1, LANES, LANES + 1, 3 * LANES + 5])
def test_any_number_of_frames_equals_single_states(frames):
    motion = random_case(3, frames)
    moved = reroot(motion, root=2)
    switch = switch_root(motion.skeleton, 2)
    for f in {0, frames // 2, frames - 1}:
        one = switch.apply(motion.cut(f, f + 1))
        for name in STATES:
            assert np.array_equal(getattr(one, name)[..., 0], getattr(moved, name)[..., f])


def test_poses_alone_are_rerooted_alike():
    motion = random_case(4, 9)
    still = Motion(
        motion.skeleton, motion.fps, motion.up, motion.rotation, motion.displacement
    )  # fmt: skip
    moved, full = reroot(still, root=1, at=[1, 2, 3]), reroot(motion, root=1, at=[1, 2, 3])
    assert not moved.has_derivatives
    assert np.array_equal(moved.rotation, full.rotation)
    assert np.array_equal(moved.displacement, full.displacement)


def test_missing_frames_stay_missing_and_alone():
    motion = random_case(5, 300)
    states = {name: getattr(motion, name).copy() for name in STATES}
    flags = np.zeros(300, np.uint8)
    flags[100:105] = flag_code("gap")
    for array in states.values():
        array[..., 100:105] = np.nan
    holed = Motion(motion.skeleton, motion.fps, motion.up, **states, flags=flags)
    moved, whole = reroot(holed, root=3), reroot(motion, root=3)
    for name in STATES:
        got, want = getattr(moved, name), getattr(whole, name)
        assert np.isnan(got[..., 100:105]).all()
        keep = np.r_[0:100, 105:300]
        assert np.array_equal(got[..., keep], want[..., keep])
    assert np.array_equal(moved.flags, flags)


def test_quaternions_run_on_where_the_captured_ones_do():
    rng = np.random.default_rng(6)
    motion = random_motion(rng, random_skeleton(rng, 8), 1)
    turns = np.linspace(0, 3 * np.pi, 400)
    rotation = np.empty((8, 4, 400))
    for i in range(8):  # every joint turns by three half turns from where it stands
        w, x, y, z = motion.rotation[i, :, 0]
        c, s = np.cos(turns / 2), np.sin(turns / 2)
        rotation[i] = c * w - s * x, c * x + s * w, c * y + s * z, c * z - s * y
    slides = np.repeat(motion.displacement, 400, axis=2)
    moved = reroot(Motion(motion.skeleton, 100.0, motion.up, rotation, slides), root=5)
    assert ((moved.rotation[..., 1:] * moved.rotation[..., :-1]).sum(axis=1) > 0.9).all()


def test_phases_are_rerooted_each_at_its_support():
    rng = np.random.default_rng(7)
    whole = random_case(7, 400)
    plates = Plates(np.zeros((1, 4, 3)), rng.normal(size=(2, 3, 400))[:1], np.zeros((1, 3, 400)), ("A",))  # fmt: skip  # noqa: E501
    motion = Motion(
        whole.skeleton, whole.fps, whole.up, *(getattr(whole, k) for k in STATES), plates=plates
    ).cut(20, 380)
    contacts = random_phases(rng, motion, left_out=(0,))
    rooted = reroot(motion, contacts)
    assert isinstance(rooted, Rooted) and len(rooted) == 7
    row = motion.start
    for phase, piece in rooted:
        assert piece.start == row == phase.start
        row += piece.n_frames
        assert row == phase.stop
        part = motion.cut(phase.start - motion.start, phase.stop - motion.start)
        alone = reroot(part, root=phase.root, at=phase.at)
        assert np.array_equal(piece.skeleton.parents, alone.skeleton.parents)
        assert np.array_equal(piece.plates.force, part.plates.force)
        for name in STATES:
            assert np.array_equal(getattr(piece, name), getattr(alone, name))
    assert row == motion.start + motion.n_frames


def test_phases_beyond_the_motion_are_cut():
    motion = random_case(8, 100)
    contacts = random_phases(np.random.default_rng(8), motion)
    rooted = reroot(motion.cut(30, 60), contacts)
    assert sum(piece.n_frames for _, piece in rooted) == 30
    assert rooted[0][1].start == 30


def test_results_cannot_be_written_to():
    moved = reroot(random_case(9, 5), root=1)
    for name in STATES:
        with pytest.raises(ValueError, match="read-only"):
            getattr(moved, name)[...] = 0


def test_errors_are_sentences():
    motion = bone()
    with pytest.raises(UnknownNameError, match="Did you mean 'LeftFoot'"):
        reroot(motion, root="LeftFeet")
    with pytest.raises(UnknownNameError, match="support joint named 'ball'"):
        reroot(motion, root="LeftFoot", joint="ball")
    with pytest.raises(MocapRerootError, match="neither were given"):
        reroot(motion)
    with pytest.raises(MocapRerootError, match="three finite numbers"):
        reroot(motion, root="LeftFoot", at=[0.0, np.nan, 0.0])
    contacts = phase_contacts(motion, [])
    with pytest.raises(MocapRerootError, match="both were given"):
        reroot(motion, contacts, root="LeftFoot")
    with pytest.raises(MocapRerootError, match="at belongs to one root"):
        reroot(motion, contacts, at=[0, 0, 0])
    with pytest.raises(MocapRerootError, match="another skeleton"):
        reroot(bone(("a", "b", "c")), contacts)
