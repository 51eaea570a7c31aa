"""Skeletons from markers: against Vicon's joint centres, and against a walk that is known."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mocap_reroot.errors import FileError
from mocap_reroot.importers.c3d import read_c3d
from mocap_reroot.importers.trc import read_trc
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.skeletons.from_markers import markers_motion
from mocap_reroot.skeletons.joint_centres import HIP_METHODS
from mocap_reroot.types import Markers, Motion, Recording, flag_code

WALKS = ("HC030A/HC030A05", "HC032A/HC032A03", "HC038A/HC038A11", "HC044A/HC044A15")
TURNS = ("HC030A/HC030A22", "HC032A/HC032A18", "HC038A/HC038A27", "HC044A/HC044A29")
BODIES = {
    "pelvis", "trunk", "head",
    *(f"{side}_{part}" for side in ("left", "right")
      for part in ("thigh", "shank", "foot", "toes", "upper_arm", "forearm", "hand")),
}  # fmt: skip


def child(shared_data: Path, trial: str) -> Recording:
    return read_c3d(shared_data / f"c3d/plug_in_gait/{trial}.c3d")


def distances(motion: Motion, recording: Recording, pairs: dict[str, str]) -> dict[str, np.ndarray]:
    """Return mm from Vicon's points to the origins of our bodies."""
    world, outputs = forward(motion), recording.outputs
    assert outputs is not None
    found = {}
    for label, body in pairs.items():
        point = outputs.position[outputs.labels.index(label)] / 1000
        apart = np.linalg.norm(point - world.position[motion.skeleton.index(body)], axis=0)
        found[label] = 1000 * apart[motion.analysed & ~np.isnan(apart)]
    return found


@pytest.mark.parametrize("trial", WALKS + TURNS)
def test_joint_centres_are_vicons(shared_data: Path, trial: str) -> None:
    recording = child(shared_data, trial)
    motion = markers_motion(recording, hip="davis")
    pairs = {"LHJC": "left_thigh", "RHJC": "right_thigh"}
    for apart in distances(motion, recording, pairs).values():
        assert apart.max() < 10
    pairs = {"LFEO": "left_shank", "RFEO": "right_shank", "LTIO": "left_foot", "RTIO": "right_foot"}
    for apart in distances(motion, recording, pairs).values():
        assert apart.max() < 20 and np.median(apart) < 6


def test_other_hip_regressions_are_near(shared_data: Path) -> None:
    for trial in WALKS:
        recording = child(shared_data, trial)
        for method in HIP_METHODS:
            motion = markers_motion(recording, hip=method)
            apart = distances(motion, recording, {"LHJC": "left_thigh", "RHJC": "right_thigh"})
            left, right = (float(np.median(a)) for a in apart.values())
            print(f"{trial} {method:10s} hip centre left {left:5.1f} right {right:5.1f} mm")
            assert max(left, right) < 45


def test_bodies_anatomy_and_frames(shared_data: Path) -> None:
    motion = markers_motion(child(shared_data, WALKS[0]))
    skeleton = motion.skeleton
    assert set(skeleton.names) == BODIES
    assert skeleton.anatomy is not None and skeleton.anatomy.human
    assert skeleton.anatomy.segments == skeleton.names
    np.testing.assert_array_equal(motion.up, [0, 0, 1])
    # In the rest pose, standing upright, every body has y up.
    assert np.allclose(skeleton.rest[1:], [1, 0, 0, 0])
    rest = replace(motion, rotation=np.repeat(skeleton.rest[:, :, None], motion.n_frames, axis=2))
    np.testing.assert_allclose(
        forward(rest).matrix[:, 0, :, 1], np.tile([0, 0, 1], (17, 1)), atol=1e-12
    )
    assert forward(rest).position[skeleton.index("head"), 2, 0] > forward(rest).position[0, 2, 0]
    # Quaternions run on smoothly, and feet are level when flat.
    steps = (motion.rotation[:, :, 1:] * motion.rotation[:, :, :-1]).sum(axis=1)
    assert steps.min() > 0.9
    static = markers_motion(child(shared_data, "HC030A/HC030A01"))
    tilt = forward(static).matrix[static.skeleton.index("left_foot"), :, 2, 1]
    assert np.degrees(np.arccos(np.median(tilt))) < 1


def test_soles_lie_on_the_floor(shared_data: Path) -> None:
    for trial in WALKS:
        motion = markers_motion(child(shared_data, trial))
        world, skeleton = forward(motion), motion.skeleton
        for side in ("left", "right"):
            foot = skeleton.index(f"{side}_foot")
            sites = skeleton.site_offset[skeleton.site_body == foot]
            assert len(sites) == 2
            height = np.array([world.point(foot, site)[2] for site in sites])
            flat = np.percentile(height.max(axis=0), 5)  # both ends low: the foot is flat
            assert abs(flat) < 0.02


def test_lengths_come_from_the_static_trial(shared_data: Path) -> None:
    """Those of arms, which people hold out there, from the clip that sees them."""
    walk, static = child(shared_data, WALKS[0]), child(shared_data, "HC030A/HC030A01")
    motion, still = markers_motion(walk, static=static), markers_motion(static)
    clip = markers_motion(walk, fitting="stored")
    arms = np.array([name.endswith(("arm", "hand")) for name in motion.skeleton.names])
    assert arms.sum() == 6
    for whose, where, within in ((still, ~arms, 1e-12), (clip, arms, 2e-3)):
        offsets = (m.skeleton.offset[where] for m in (motion, whose))
        np.testing.assert_allclose(*offsets, atol=within)
    lengths = np.linalg.norm(clip.skeleton.offset - still.skeleton.offset, axis=1)
    assert 0 < lengths.max() < 0.03


def test_clusters_rebuild_markers_that_were_taken_off(shared_data: Path) -> None:
    folder = shared_data / "gold/opensim_subject01_walk"
    walk, static = (
        read_trc(folder / "subject01_walk1.trc"),
        read_trc(folder / "subject01_static.trc"),
    )
    with pytest.raises(FileError, match="lateral_knee"):
        markers_motion(walk)
    motion = markers_motion(walk, static=static)
    np.testing.assert_array_equal(motion.up, [0, 1, 0])
    assert motion.analysed.all() and {"left_shank", "right_foot"} <= set(motion.skeleton.names)
    # The knee rides on the thigh's cluster: its distance to those markers hardly varies.
    assert walk.markers is not None
    front = walk.markers.position[walk.markers.labels.index("R.Thigh.Front")] / 1000
    knee = forward(motion).position[motion.skeleton.index("right_shank")]
    assert np.std(np.linalg.norm(knee - front, axis=0)) < 0.008


def without(recording: Recording, label: str, start: int, stop: int) -> Recording:
    """Return the recording with a marker hidden for some frames."""
    assert recording.markers is not None
    position = recording.markers.position.copy()
    position[recording.markers.labels.index(label), :, start:stop] = np.nan
    return replace(recording, markers=Markers(recording.markers.labels, position))


def test_gaps_are_filled_reported_or_left_out(shared_data: Path) -> None:
    recording = child(shared_data, WALKS[0])
    whole = forward(markers_motion(recording))
    short = markers_motion(without(recording, "LKNE", 80, 90))
    assert set(short.flags[80:90]) == {flag_code("filled")} and short.analysed.all()
    assert any("filled" in repair for repair in short.source.repairs)
    knee = short.skeleton.index("left_shank")
    moved = np.linalg.norm(forward(short).position[knee] - whole.position[knee], axis=0)
    assert moved.max() < 0.01
    long = markers_motion(without(recording, "LKNE", 80, 140), fitting="first")
    assert set(long.flags[80:140]) == {flag_code("gap")}
    assert np.isfinite(long.rotation).all() and not long.analysed[80:140].any()
    arm = markers_motion(without(recording, "LELB", 80, 140))
    assert arm.analysed.all() and set(arm.flags[80:140]) == {flag_code("filled")}


def test_prefixes_other_subjects_and_other_axes(shared_data: Path) -> None:
    recording = child(shared_data, WALKS[0])
    assert recording.markers is not None
    plain = markers_motion(recording)
    labels = (*(f"Anna:{label}" for label in recording.markers.labels), "Box:1", "Box:2")
    box = np.zeros((2, 3, recording.n_frames))
    turned = recording.markers.position[:, [0, 2, 1]] * np.array([1, 1, -1])[:, None]
    position = np.concatenate([turned, box]) / 1000
    other = replace(
        recording, markers=Markers(labels, position), unit="m", up="", plates=None, outputs=None
    )
    motion = markers_motion(other)
    np.testing.assert_array_equal(motion.up, [0, 1, 0])
    assert any("Box" in repair for repair in motion.source.repairs)
    np.testing.assert_allclose(motion.skeleton.offset, plain.skeleton.offset, atol=1e-3)


def test_a_wrong_up_axis_is_noticed(shared_data: Path) -> None:
    recording = replace(child(shared_data, WALKS[0]), up="-z")
    motion = markers_motion(recording)
    np.testing.assert_array_equal(motion.up, [0, 0, 1])
    assert any("is up, but" in warning for warning in motion.source.warnings)


def test_partial_sets_give_partial_skeletons(shared_data: Path) -> None:
    legs = markers_motion(child(shared_data, WALKS[0]), markerset="plug-in-gait-lower-body")
    expected = {b for b in BODIES if b == "pelvis" or b.endswith(("thigh", "shank", "foot"))}
    assert set(legs.skeleton.names) == expected
    with pytest.raises(FileError, match="No marker set fits"):
        markers_motion(read_c3d(shared_data / "c3d/optitrack/walkingOptiTrack.c3d"))
