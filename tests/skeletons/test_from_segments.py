"""Theia: poses of segments become joints, and forward kinematics gives them back."""

from pathlib import Path

import numpy as np

from mocap_reroot.importers.c3d import read_c3d
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.skeletons.from_segments import segments_motion
from mocap_reroot.types import JointType


def test_every_pose_is_reproduced(shared_data: Path) -> None:
    recording = read_c3d(shared_data / "c3d/theia/C3DRotationExample.c3d")
    motion = segments_motion(recording)
    world, skeleton, segments = forward(motion), motion.skeleton, recording.segments
    assert segments is not None and set(skeleton.names) == set(segments.names)
    assert "worldbody" not in skeleton.names and skeleton.n_bodies == 20
    good = motion.analysed
    assert (~good).sum() == 5  # NaN in the file
    assert np.isfinite(motion.rotation).all() and np.isfinite(motion.displacement).all()
    for i, name in enumerate(skeleton.names):
        k = segments.names.index(name)
        turn = segments.rotation[k].transpose(2, 0, 1)[good]
        assert np.abs(world.matrix[i][good] - turn).max() < 1e-6
        # The trunk originates at its joint; its own origin is a fixed point of it.
        local = np.einsum(
            "fji,jf->if", world.matrix[i], segments.position[k] / 1000 - world.position[i]
        )[:, good]
        assert np.ptp(local, axis=1).max() < 1e-6
        if name != "torso":
            assert np.abs(local).max() < 1e-6


def test_tree_rest_and_anatomy(shared_data: Path) -> None:
    motion = segments_motion(read_c3d(shared_data / "c3d/theia/C3DRotationExample.c3d"))
    skeleton = motion.skeleton
    parents = {n: skeleton.names[p] for n, p in zip(skeleton.names, skeleton.parents, strict=True)}
    assert parents["l_shank"] == "l_thigh" and parents["torso"] == "pelvis"
    assert parents["l_uarm"] == "l_clavicle" and parents["head"] == "neck"
    free = [
        n for n, k in zip(skeleton.names, skeleton.joint_types, strict=True) if k == JointType.FREE
    ]
    assert free == ["pelvis", "torso"]  # the file's trunk has no fixed point in its pelvis
    assert (np.abs(skeleton.rest[:, 0]) < 0.999).any()
    assert skeleton.anatomy is not None and skeleton.anatomy.human
    assert skeleton.anatomy.find("left_forearm") == (skeleton.names.index("l_larm"),)
    np.testing.assert_array_equal(motion.up, [0, 0, 1])
    heels = [skeleton.names[b] for b in skeleton.site_body]
    assert heels == ["l_foot", "r_foot"] and (skeleton.site_offset[:, 2] < -0.05).all()


def test_rigid_joints_keep_their_offsets(shared_data: Path) -> None:
    recording = read_c3d(shared_data / "c3d/theia/C3DRotationExample.c3d")
    motion, exact = segments_motion(recording, rigid=True), segments_motion(recording)
    assert (motion.skeleton.joint_types[1:] == JointType.SPHERICAL).all()
    assert any("held" in warning for warning in motion.source.warnings)
    head = motion.skeleton.names.index("head")
    moved = forward(motion).position[head] - forward(exact).position[head]
    assert 0.001 < np.abs(moved).max() < 0.05  # m, what holding the trunk costs
