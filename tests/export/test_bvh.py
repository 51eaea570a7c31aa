"""What is written can be read back, by us and by others, whatever the tree."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import bvhio
import numpy as np
import pybvh
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mocap_reroot as mr
from mocap_reroot.export.bvh import write_bvh
from mocap_reroot.importers.bvh import read_bvh
from mocap_reroot.skeletons.hierarchy import hierarchy_motion
from mocap_reroot.types import JointType, Motion, Skeleton, Source
from tests.conftest import SHARED_DATA
from tests.importers.bvh_files import PLAIN, write
from tests.random_trees import random_motion, random_skeleton, random_unit

FILES = sorted(SHARED_DATA.glob("bvh/*/*.bvh"))
POSITIONS = ("Xposition", "Yposition", "Zposition")
TOLERANCE = 1e-9  # m and rad: 0.1 nm and 1e-9 degrees a joint, along the chain


def again(motion: Motion, folder: Path, **options: float) -> Motion:
    """Return a motion that went through a file."""
    path = write_bvh(motion, folder / "out.bvh", **options)
    scale = options.get("unit_scale", motion.source.unit_scale)
    return hierarchy_motion(read_bvh(path), scale, motion.up)


def world(motion: Motion) -> dict[str, np.ndarray]:
    """Return where every body and End Site is, and how bodies stand, by name."""
    placed = mr.forward(motion)
    names, sites = motion.skeleton.names, zip(
        motion.skeleton.site_body, motion.skeleton.site_offset, strict=True
    )  # fmt: skip
    found = {name: placed.position[k] for k, name in enumerate(names)}
    found |= {f"{name}.turned": placed.matrix[k] for k, name in enumerate(names)}
    tips = [(names[body], placed.point(body, offset)) for body, offset in sites]
    tips.sort(key=lambda tip: (tip[0], float(np.nansum(tip[1]))))
    return found | {f"{k}.{name}": tip for k, (name, tip) in enumerate(tips)}


def assert_same(one: Motion, other: Motion, tolerance: float = TOLERANCE) -> None:
    assert other.fps == one.fps
    ours, theirs = world(one), world(other)
    assert theirs.keys() == ours.keys()
    for name, value in ours.items():
        np.testing.assert_allclose(theirs[name], value, rtol=0, atol=tolerance, err_msg=name)


def random_bvh(rng: np.random.Generator, n: int, frames: int) -> Motion:
    """Return a motion with channels of every number and order, as a BVH file could hold it."""
    parents = [-1]
    for body in range(1, n):  # listed depth first, as in a file: below the last one or above it
        above = [body - 1]
        while parents[above[-1]] >= 0:
            above.append(parents[above[-1]])
        parents.append(int(rng.choice(above)))
    types, axes, channels = np.full(n, JointType.SPHERICAL), np.zeros((n, 2, 3)), []
    rotation = random_unit(rng, n, frames, 4)
    for body in range(n):
        order = rng.permutation(3)
        words = [f"{'XYZ'[axis]}rotation" for axis in order]
        count = 3 if body == 0 else int(rng.choice([0, 1, 2, 3, 6]))
        if count < 3:
            kinds = (JointType.FIXED, JointType.REVOLUTE, JointType.UNIVERSAL)
            types[body] = kinds[count]
            words = words[:count]
            axes[body, :count] = np.eye(3)[order[:count]]
            rotation[body] = turns(order[:count], rng.uniform(-3, 3, size=(count, frames)))
        elif count == 6 or body == 0:
            types[body] = JointType.FREE
            words = [str(word) for word in rng.permutation([*words, *POSITIONS])]
        channels.append(tuple(words))
    skeleton = Skeleton(
        names=tuple(f"body {i}" for i in range(n)),
        parents=np.array(parents),
        offset=rng.normal(size=(n, 3)),
        joint_types=types,
        axes=axes,
        site_body=np.sort(rng.integers(0, n, 3)),
        site_offset=rng.normal(size=(3, 3)),
        channels=tuple(channels),
    )
    slides = rng.normal(size=(len(skeleton.translating), 3, frames))
    return Motion(skeleton, 120.0, np.array([0.0, 1, 0]), rotation.transpose(0, 2, 1), slides)


def turns(axes: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Return ``(F, 4)`` quaternions of turns about coordinate axes, one after the other."""
    q = np.tile([1.0, 0, 0, 0], (angles.shape[1], 1))
    for axis, angle in zip(axes, angles, strict=True):
        w, v = np.cos(angle / 2), np.sin(angle / 2)[:, None] * np.eye(3)[axis]
        scalar = q[:, 0] * w - (q[:, 1:] * v).sum(axis=1)
        vector = q[:, :1] * v + w[:, None] * q[:, 1:] + np.cross(q[:, 1:], v)
        q = np.concatenate([scalar[:, None], vector], axis=1)
    return q


anywhere = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@anywhere
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 12), frames=st.integers(1, 6))
def test_any_channels_come_back(tmp_path, seed, n, frames):
    motion = random_bvh(np.random.default_rng(seed), n, frames)
    found = again(motion, tmp_path)
    assert_same(motion, found)
    assert found.skeleton.names == motion.skeleton.names
    assert found.skeleton.channels == motion.skeleton.channels
    np.testing.assert_array_equal(found.skeleton.parents, motion.skeleton.parents)
    np.testing.assert_allclose(found.skeleton.site_offset, motion.skeleton.site_offset, atol=1e-10)
    if frames > 1:  # in one frame nothing slides
        np.testing.assert_array_equal(found.skeleton.joint_types, motion.skeleton.joint_types)
        np.testing.assert_array_equal(found.skeleton.axes, motion.skeleton.axes)


@anywhere
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 12))
def test_any_tree_with_rest_rotations(tmp_path, seed, n):
    rng = np.random.default_rng(seed)
    motion = random_motion(rng, random_skeleton(rng, n), frames=4)
    assert_same(motion, again(motion, tmp_path))


@anywhere
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 9), root=st.integers(0, 8))
def test_rerooted_trees(tmp_path, seed, n, root):
    rng = np.random.default_rng(seed)
    motion = random_bvh(rng, n, 3)
    rooted = mr.reroot(motion, root=root % n, at=rng.normal(size=3))
    found = again(rooted, tmp_path)
    assert_same(rooted, found)
    assert found.skeleton.names[0] == f"body {root % n}"


@pytest.mark.parametrize("axes", [a for a in product("XYZ", repeat=3) if a[0] != a[1] != a[2]])
def test_angles_run_on_through_wraps_and_gimbal_lock(tmp_path, axes):
    t = np.linspace(0, 1, 400)
    middle = 90 * np.sin(4 * t)
    middle[150:160] = 90.0  # where the first and the third axis coincide, for a while
    angles = np.array([500 * t, middle, 40 * np.sin(3 * t)])
    order = np.array(["XYZ".index(axis) for axis in axes])
    rotation = turns(order, np.radians(angles)).T[None]
    skeleton = Skeleton(
        ("Hips",), np.array([-1]), np.zeros((1, 3)),
        channels=((*POSITIONS, *(f"{axis}rotation" for axis in axes)),),
    )  # fmt: skip
    motion = Motion(skeleton, 100.0, np.array([0.0, 1, 0]), rotation, np.zeros((1, 3, 400)))
    path = write_bvh(motion, tmp_path / "out.bvh")
    written = read_bvh(path).hierarchy.values[3:]
    assert_same(motion, hierarchy_motion(read_bvh(path)))
    jump = np.abs(np.diff(written, axis=1)).max()
    assert jump < 200  # no whole turns; a gimbal lock may swap the halves of one
    if axes[0] != axes[2]:
        calm = slice(0, 100)  # before the lock, the angles are those we put in
        np.testing.assert_allclose(written[:, calm], angles[:, calm], atol=1e-7)


@pytest.mark.parametrize("scale", [1.0, 0.01, 0.001, 0.0254, 0.0254 / 0.45])
def test_units(tmp_path, scale):
    motion = random_bvh(np.random.default_rng(5), 6, 4)
    kept = again(replace(motion, source=Source(unit_scale=scale)), tmp_path)
    assert_same(motion, kept)
    asked = again(motion, tmp_path, unit_scale=scale)
    assert_same(motion, asked)
    np.testing.assert_allclose(asked.skeleton.offset, motion.skeleton.offset, rtol=0, atol=1e-10)


def test_missing_frames_stay_missing(tmp_path):
    path = write(tmp_path, PLAIN.replace("21.0", "nan").replace("2.6", "inf"))
    motion = hierarchy_motion(read_bvh(path))
    found = again(motion, tmp_path)
    np.testing.assert_array_equal(found.flags, motion.flags)
    np.testing.assert_array_equal(np.isnan(found.rotation), np.isnan(motion.rotation))
    assert_same(motion.cut(0, 1), found.cut(0, 1))
    assert_same(motion.cut(2, 3), found.cut(2, 3))


def test_text_is_what_the_file_said(tmp_path):
    path = write(tmp_path, PLAIN)
    written = write_bvh(hierarchy_motion(read_bvh(path), 0.01), tmp_path / "out.bvh").read_text()
    numbers = PLAIN.replace(".0 ", " ").replace(".0\n", "\n")
    assert written == numbers.replace("OFFSET 0 90 0", "OFFSET 0. 90. 0.").replace(
        "OFFSET 0 10 1", "OFFSET 0. 10. 1."
    ).replace("OFFSET 0 30 0", "OFFSET 0. 30. 0.")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_real_files_come_back(shared_data, tmp_path, path):
    motion = hierarchy_motion(read_bvh(path), 0.01)
    found = again(motion, tmp_path)
    assert_same(motion, found)
    assert found.skeleton.channels == motion.skeleton.channels


def test_others_read_what_we_write(tmp_path):
    rng = np.random.default_rng(3)
    for order in permutations("XYZ"):
        words = tuple(f"{axis}rotation" for axis in order)
        channels = ((*POSITIONS, *words), words, words, words)
        parents = np.array([-1, 0, 1, 0])
        rotation = random_unit(rng, 4, 5, 4).transpose(0, 2, 1)
        tips = np.array([2, 3]), rng.normal(size=(2, 3))
        skeleton = Skeleton(
            ("a", "b", "c", "d"), parents, rng.normal(size=(4, 3)),
            site_body=tips[0], site_offset=tips[1], channels=channels,
        )  # fmt: skip
        slide = rng.normal(size=(1, 3, 5))
        motion = Motion(skeleton, 100.0, np.array([0.0, 1, 0]), rotation, slide)
        for shown in (motion, mr.reroot(motion, root="b")):
            path = str(write_bvh(shown, tmp_path / "out.bvh"))
            expected = mr.forward(shown).position
            names = shown.skeleton.names
            peer = pybvh.read_bvh_file(path, world_up="+y")
            places = peer.joint_positions()
            for k, name in enumerate(peer.joint_names):
                np.testing.assert_allclose(
                    places[:, k].T, expected[names.index(name)], rtol=0, atol=1e-8
                )
            found = mr.from_bvhio(bvhio.readAsBvh(path), unit="m", up="y")
            assert_same(shown, found, tolerance=2e-6)  # single precision


def test_bridge_to_bvhio_and_back():
    motion = random_bvh(np.random.default_rng(8), 7, 5)
    container = mr.to_bvhio(motion)
    assert isinstance(container, bvhio.BvhContainer)
    assert (container.FrameCount, container.FrameTime) == (5, 1 / 120)
    found = mr.from_bvhio(container, unit="m", up="y")
    assert found.fps == 120.0
    ours, theirs = mr.forward(motion), mr.forward(found)
    np.testing.assert_allclose(theirs.position, ours.position, rtol=0, atol=5e-6)


def test_bridge_from_joints(tmp_path):
    path = write(tmp_path, PLAIN)
    motion = hierarchy_motion(read_bvh(path))
    joint = bvhio.readAsHierarchy(str(path))
    found = mr.from_bvhio(joint, frame_time=0.01, unit="m", up="y")
    position = mr.forward(motion).position
    np.testing.assert_allclose(mr.forward(found).position, position, rtol=0, atol=1e-4)
    with pytest.raises(mr.MocapRerootError, match="Give frame_time in seconds"):
        mr.from_bvhio(joint)
    with pytest.raises(mr.MocapRerootError, match="found str"):
        mr.from_bvhio("walk.bvh")


def test_nothing_is_half_written(tmp_path):
    motion = random_bvh(np.random.default_rng(1), 3, 2)
    (tmp_path / "file").touch()
    with pytest.raises(mr.MocapRerootError, match="cannot be written"):
        write_bvh(motion, tmp_path / "file" / "out.bvh")
    (tmp_path / "file").unlink()
    huge = replace(motion, displacement=motion.displacement * 1e20)
    with pytest.raises(mr.MocapRerootError, match="cannot be written to a BVH file"):
        write_bvh(huge, tmp_path / "out.bvh")
    with pytest.raises(mr.MocapRerootError, match="positive number of metres"):
        write_bvh(motion, tmp_path / "out.bvh", unit_scale=0.0)
    assert list(tmp_path.iterdir()) == []
