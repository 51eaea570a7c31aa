"""Every BVH of the shared data: unit, up axis and who is who, as a look at each file says."""

import numpy as np
import pytest

from mocap_reroot import read
from mocap_reroot.inference.inference import infer_hierarchy
from mocap_reroot.inference.naming import conventions, part_of
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.numerics.units import METRES
from mocap_reroot.reading import read_recording

from .people import at_rate, renamed, scaled, turn_to, turned

CMU = "LeftUpLeg LeftLeg LeftFoot LeftToeBase LeftArm LeftForeArm LeftHand"
JOINTS = "LeftHip LeftKnee LeftAnkle LeftToe LeftShoulder LeftElbow LeftWrist"
NO_TOES = "LeftUpLeg LeftLeg LeftFoot - LeftArm LeftForeArm LeftHand"
PARTS = ["thigh", "shank", "foot", "toes", "upper_arm", "forearm", "hand"]

# file, unit, up, convention, pelvis, the left bodies of PARTS (- where there is none)
TABLE = [
    ("animateddrawings/jesse_dance", "cm", "y", "Rokoko (HumanIK)", "Hips", CMU),
    # A jump in it falls at 9.4 m/s² in inches: the figure is 1.12 m tall, a retargeted character.
    ("animateddrawings/jumping", "in", "z", "Vicon/MotionBuilder", "Hips", CMU),
    ("animateddrawings/jumping_jacks", "cmu", "y", "CMU (3ds Max)", "Hips", JOINTS),
    ("animateddrawings/zombie", "in", "z", "Vicon/MotionBuilder", "Hips", CMU),
    (
        "biovision/example",
        "in",
        "y",
        "Biovision",
        "Hips",
        "LeftUpLeg LeftLowLeg LeftFoot - LeftUpArm LeftLowArm LeftHand",
    ),
    ("blender/walk01", "cm", "y", "Vicon/MotionBuilder", "Hips", NO_TOES),
    ("cmu/02_01", "cmu", "y", "CMU", "Hips", CMU),
    ("cmu/05_02", "cmu", "y", "CMU", "Hips", CMU),
    ("cmu/09_01", "cmu", "y", "CMU", "Hips", CMU),
    ("cmu/16_01", "cmu", "y", "CMU", "Hips", CMU),
    ("cmu/49_02", "cmu", "y", "CMU", "Hips", CMU),
    ("daz/pirouette", "cm", "y", "DAZ", "hip", "lThigh lShin lFoot - lShldr lForeArm lHand"),
    ("fairmotion/pfnn_hierarchy", "m", "y", "CMU", "Hips", CMU),
    ("geno/Geno_bind", "cm", "y", "Geno", "Hips", CMU),
    ("geno/Geno_stance", "cm", "y", "Geno", "Hips", CMU),
    ("millimetres/fullbody_model", "mm", "y", "Vicon/MotionBuilder", "Hips", CMU),
    (
        "mixamo/test_freebvh",
        "cm",
        "y",
        "Mixamo",
        "mixamorig:Hips",
        " ".join(f"mixamorig:{name}" for name in CMU.split()),
    ),
    (
        "mixamo/test_mocapbank",
        "cm",
        "y",
        "Biovision (joints)",
        "Hips",
        JOINTS.replace("LeftToe", "-"),
    ),
    ("perception_neuron/test", "cm", "y", "Perception Neuron", "Hips", NO_TOES),
    ("pybvh/bvh_test1", "in", "z", "Vicon/MotionBuilder", "Hips", CMU),
    ("pybvh/bvh_test2", "cm", "y", "Xsens", "Hips", JOINTS),
    # z is up although the rest pose stands along y: the root carries the turn.
    (
        "pybvh/bvh_test3",
        "in",
        "z",
        "Vicon/MotionBuilder",
        "Hips",
        CMU.replace("LeftToeBase", "LeftForeFoot"),
    ),
    ("pybvh/cmu_12_01_walk", "cmu", "y", "CMU", "Hips", CMU),
    ("pybvh/standard_skeleton", "in", "z", "Vicon/MotionBuilder", "Hips", CMU),
    ("vicon_8walk/AV_8Walk_Meredith_HVHA_Rep1", "in", "y", "Vicon/MotionBuilder", "Hips", CMU),
]
NOT_PEOPLE = [
    "fairmotion/sinusoidal",
    "pybvh/full_precision_frame_time",
    "pybvh/rotation_first_root",
]


@pytest.mark.parametrize(("file", "unit", "up", "convention", "pelvis", "left"), TABLE)
def test_people(shared_data, file, unit, up, convention, pelvis, left):
    motion = read(shared_data / "bvh" / f"{file}.bvh")
    names, anatomy = motion.skeleton.names, motion.skeleton.anatomy
    assert (motion.source.unit, motion.source.unit_scale) == (unit, METRES[unit])
    assert list(motion.up) == [float(axis == up) for axis in "xyz"]
    assert anatomy.convention == convention
    assert anatomy.human
    assert [names[b] for b in anatomy.find("pelvis")] == [pelvis]
    for part, body in zip(PARTS, left.split(), strict=True):
        found = [names[b] for b in anatomy.find(f"left_{part}")]
        assert (found[0] if found else "-") == body
        count = len(anatomy.find(f"right_{part}"))
        assert count == len(found)
    assert anatomy.confidence.min() >= 0.85
    sentences = motion.source.warnings
    assert not [w for w in sentences if "name" in w or "unit" in w or "frame time" in w]


def test_the_table_names_files_that_exist_and_no_known_folder_is_left_out(shared_data):
    """Files that are added to a folder later are tried below; the table need not know them."""
    there = {f"{p.parent.name}/{p.stem}" for p in (shared_data / "bvh").rglob("*.bvh")}
    assert {row[0] for row in TABLE} | set(NOT_PEOPLE) <= there
    assert len(there) >= 28


def test_files_that_the_table_does_not_know_are_read(shared_data):
    known = {row[0] for row in TABLE} | set(NOT_PEOPLE)
    others = {
        path
        for path in (shared_data / "bvh").rglob("*.bvh")
        if f"{path.parent.name}/{path.stem}" not in known
    }
    for path in sorted(others):
        motion = read(path)
        assert motion.n_frames > 0, path
        if path.parent.name == "cmu_dynamic":
            assert motion.source.unit == "cmu", path
            assert motion.skeleton.anatomy.convention == "CMU", path
            assert list(motion.up) == [0.0, 1.0, 0.0], path


@pytest.mark.parametrize("file", NOT_PEOPLE)
def test_what_is_no_person_is_read_and_said_so(shared_data, file):
    motion = read(shared_data / "bvh" / f"{file}.bvh")
    assert not motion.skeleton.anatomy.human
    assert any("not taken for a whole person" in w for w in motion.source.warnings)
    assert any("unit" in w for w in motion.source.warnings)


@pytest.fixture(scope="module")
def walk(shared_data):
    """A real walk, without the rest pose that its first frame holds."""
    from dataclasses import replace

    clip = read_recording(shared_data / "bvh" / "cmu" / "02_01.bvh")
    h = clip.hierarchy
    values = h.values[:, 1:]
    return replace(clip, n_frames=343, hierarchy=replace(h, values=values), flags=None)


def positions(clip, found):
    """World positions in SI units, turned back to y-up."""
    from mocap_reroot.skeletons.hierarchy import hierarchy_motion

    world = forward(hierarchy_motion(clip, found.unit_scale, found.up))
    axis = ("-" if found.up.min() < 0 else "") + "xyz"[int(np.argmax(np.abs(found.up)))]
    return np.einsum("ji,njf->nif", turn_to(axis), world.position)


@pytest.mark.parametrize("unit", METRES)
@pytest.mark.parametrize("up", ["x", "y", "z", "-x", "-y", "-z"])
@pytest.mark.parametrize("fps", [30, 60, 120, 240])
def test_the_same_walk_in_every_unit_axis_and_rate(walk, unit, up, fps):
    reference = infer_hierarchy(walk)
    clip = turned(scaled(at_rate(walk, fps), METRES["cmu"] / METRES[unit]), up)
    found = infer_hierarchy(clip)
    assert found.unit == unit
    assert found.anatomy.segments == reference.anatomy.segments
    every = max(1, 120 // fps), max(1, fps // 120)
    expected = positions(walk, reference)[:, :, :: every[0]]
    got = positions(clip, found)[:, :, :: every[1]]
    frames = min(expected.shape[2], got.shape[2])
    # turning by right angles and units are exact to rounding
    np.testing.assert_allclose(got[..., :frames], expected[..., :frames], atol=1e-9)


@pytest.mark.parametrize("up", ["x", "z", "-x", "-y", "-z"])
def test_up_where_only_the_root_carries_the_turn(walk, up):
    found = infer_hierarchy(turned(walk, up, rest_too=False))
    np.testing.assert_array_equal(found.up, turn_to(up)[:, 1])


def named_by(convention, segments):
    """Names for a skeleton in some convention; bodies it has no name for get a number."""
    used, names = {}, []
    for k, segment in enumerate(segments):
        choices = [n for n in convention.canonical.get(segment, ()) if n not in used]
        name = choices[0] if choices else f"extra{k}"
        used[name] = True
        names.append(name)
    return names


@pytest.mark.parametrize("convention", conventions(), ids=lambda c: c.name)
@pytest.mark.parametrize("prefix", ["", "Model_", "mixamorig7:"])
def test_the_same_walk_in_every_convention(walk, convention, prefix):
    reference = infer_hierarchy(walk)
    names = named_by(convention, reference.anatomy.segments)
    found = infer_hierarchy(renamed(walk, [prefix + name for name in names]))
    for name, want, got in zip(
        names, reference.anatomy.segments, found.anatomy.segments, strict=True
    ):
        ends = {"hand", "fingers"} if part_of(want) in ("hand", "fingers") else {part_of(want)}
        assert part_of(got) in ends, name  # a body without a name of its own: palm or finger
        assert got.split("_")[0] == want.split("_")[0], name
    assert found.unit == "cmu"
    assert not [w for w in found.warnings if "name" in w]


def test_scrambled_names_are_caught_and_the_shape_tells(walk):
    reference = infer_hierarchy(walk)
    for seed in range(5):
        names = list(walk.hierarchy.names)
        np.random.default_rng(seed).shuffle(names)
        found = infer_hierarchy(renamed(walk, names))
        assert any("names contradict the shape" in w for w in found.warnings)
        assert found.anatomy.segments == reference.anatomy.segments
        assert found.anatomy.convention == ""


def test_two_names_exchanged_are_caught(walk):
    names = [
        {"LeftLeg": "LeftForeArm", "LeftForeArm": "LeftLeg"}.get(n, n) for n in walk.hierarchy.names
    ]
    found = infer_hierarchy(renamed(walk, names))
    assert found.anatomy.segments == infer_hierarchy(walk).anatomy.segments
    assert sum("stands where the" in w for w in found.warnings) == 2


def test_left_and_right_swapped_are_caught_and_right(walk):
    swap = {"L": "R", "R": "L"}
    names = [
        n.replace("Left", "@").replace("Right", "Left").replace("@", "Right")
        if "eft" in n or "ight" in n
        else swap.get(n[0], n[0]) + n[1:]
        if n[:2] in ("LH", "RH", "LT", "RT")
        else n
        for n in walk.hierarchy.names
    ]
    found = infer_hierarchy(renamed(walk, names))
    assert any("swapped" in w for w in found.warnings)
    assert found.anatomy.segments == infer_hierarchy(walk).anatomy.segments


@pytest.mark.parametrize("file", ["cmu/16_01", "cmu/49_02", "animateddrawings/jumping"])
@pytest.mark.parametrize("factor", [0.25, 0.5, 2, 4])
def test_a_jump_with_a_wrong_frame_time_is_noticed(shared_data, file, factor):
    from dataclasses import replace

    clip = read_recording(shared_data / "bvh" / f"{file}.bvh")
    assert not [w for w in infer_hierarchy(clip).warnings if "frame time" in w]
    found = infer_hierarchy(replace(clip, fps=clip.fps * factor))
    assert found.unit == infer_hierarchy(clip).unit
    assert any("frame time" in w and "not changed" in w for w in found.warnings)


def test_a_long_clip_costs_little(shared_data):
    import time
    from dataclasses import replace

    clip = read_recording(shared_data / "bvh" / "cmu" / "49_02.bvh")
    h = clip.hierarchy
    long = replace(clip, n_frames=20860, hierarchy=replace(h, values=np.tile(h.values, 10)))
    infer_hierarchy(long)
    start = time.perf_counter()
    infer_hierarchy(long)
    assert time.perf_counter() - start < 0.5
