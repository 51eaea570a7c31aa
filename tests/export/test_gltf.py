"""GLB: what is written comes back; arrows are no bones, and every frame is where it was."""

import json
import struct
from dataclasses import replace

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.export.gltf import MARK, METRES_PER_NEWTON, write_glb
from mocap_reroot.importers.gltf import read_gltf
from mocap_reroot.importers.gltf_data import open_document
from mocap_reroot.numerics.vectors import turn
from mocap_reroot.types import flag_code
from tests.importers.test_gltf import world_of
from tests.random_trees import random_motion, random_skeleton

SINGLE = 1e-5
"""m, what single precision may move a joint."""


@pytest.fixture(scope="module")
def walk():
    return mr.analyze("sample_data/walk.bvh", mass=70.0, height=1.75)


@pytest.fixture(scope="module")
def written(walk, tmp_path_factory):
    return write_glb(walk.motion, tmp_path_factory.mktemp("glb") / "walk.glb", result=walk)


def content(path) -> dict:
    data = path.read_bytes()
    _, _, size = struct.unpack_from("<4s2I", data)
    assert size == len(data)
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + length])


def same_places(one, other, turn=None) -> float:
    """Return the largest distance, m, between joints of the same name."""
    rows = [other.skeleton.index(name) for name in one.skeleton.names]
    place = mr.forward(one).position
    if turn is not None:
        place = np.einsum("ij,bjf->bif", turn, place)
    return float(np.abs(place - mr.forward(other).position[rows]).max())


def test_a_walk_comes_back(walk, written) -> None:
    motion = mr.read(written)
    assert motion.skeleton.names == walk.motion.skeleton.names  # no arrow among them
    assert (motion.n_frames, motion.fps) == (walk.motion.n_frames, walk.motion.fps)
    assert same_places(walk.motion, motion) < SINGLE
    assert motion.source.mass == pytest.approx(70.0)
    tips = [m.skeleton.site_offset[m.skeleton.site_body.argsort()] for m in (motion, walk.motion)]
    assert np.abs(tips[0] - tips[1]).max() < SINGLE
    again = mr.analyze(written)
    assert again.body.total_mass == pytest.approx(70.0)


def test_bvh_and_glb_and_back_are_one_clip(tmp_path) -> None:
    motion = mr.read("sample_data/walk.bvh")
    through = motion
    for name in ("a.bvh", "b.glb", "c.bvh"):
        path = tmp_path / name
        through = mr.read((mr.write_bvh if path.suffix == ".bvh" else write_glb)(through, path))
        assert same_places(motion, through) < (1e-6 if name == "a.bvh" else SINGLE)


def test_another_reader_finds_joints_and_arrows_where_they_are(walk, written) -> None:
    pygltflib = pytest.importorskip("pygltflib", reason="pygltflib is not installed")
    document = pygltflib.GLTF2().load(str(written))
    place, grf = mr.forward(walk.motion).position, walk.grf
    joints = [document.nodes[joint].name for joint in document.skins[0].joints]
    assert joints == list(walk.motion.skeleton.names)
    for frame in (0, 100, 359):
        theirs, _ = world_of(document, frame)
        for body, name in enumerate(walk.motion.skeleton.names):
            assert np.abs(theirs[name] - place[body, :, frame]).max() < SINGLE
        for foot in ("LeftFoot", "RightFoot"):
            pressure = grf.loc[frame, [f"{foot}_p{a}" for a in "xyz"]].to_numpy(float)
            if np.isfinite(pressure).all():
                assert np.abs(theirs[f"{foot} force"] - pressure).max() < SINGLE
                assert np.abs(theirs[f"{foot} pressure"] - pressure).max() < SINGLE


def test_arrows_are_as_long_as_forces_and_point_along_them(walk, written) -> None:
    document = open_document(written)
    nodes, take = document.entries("nodes"), document.entries("animations")[0]
    index = next(i for i, node in enumerate(nodes) if node["name"] == "LeftFoot force")
    assert nodes[index]["extras"][MARK]["role"] == "force"
    values = {
        c["target"]["path"]: document.numbers(take["samplers"][c["sampler"]]["output"]).T
        for c in take["channels"]
        if c["target"]["node"] == index
    }
    force = walk.grf[[f"LeftFoot_f{a}" for a in "xyz"]].to_numpy(float).T
    loaded = np.linalg.norm(force, axis=0) > 50
    length = values["scale"][1]
    pointed = turn(values["rotation"][[3, 0, 1, 2]], np.stack([0 * length, length, 0 * length]))
    assert np.abs(pointed - METRES_PER_NEWTON * force)[:, loaded].max() < 1e-4
    assert values["scale"][:, ~loaded & (np.linalg.norm(force, axis=0) < 1)].max() < 1e-3


def test_phases_and_events_are_extras_of_the_animation(walk, written) -> None:
    told = content(written)["animations"][0]["extras"][MARK]
    assert [phase["mode"] for phase in told["phases"]] == walk.phases["mode"].tolist()
    assert [phase["start_frame"] for phase in told["phases"]] == walk.phases["start_frame"].tolist()
    assert len(told["events"]) == len(walk.events)


def test_a_world_with_z_up_is_turned_to_y(tmp_path) -> None:
    motion = mr.read("sample_data/walk.bvh")
    turned = replace(motion, up=np.array([0.0, 0.0, 1.0]))  # the same numbers, lying down
    back = mr.read(write_glb(turned, tmp_path / "z.glb"))
    assert back.up.tolist() == [0.0, 1.0, 0.0]
    to_y = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    assert same_places(turned, back, to_y) < SINGLE


def test_frames_that_are_missing_stay_missing(tmp_path) -> None:
    motion = mr.read("sample_data/walk.bvh")
    rotation, flags = motion.rotation.copy(), motion.flags.copy()
    rotation[..., 20:25] = np.nan
    flags[20:25] = flag_code("not_finite")
    path = write_glb(replace(motion, rotation=rotation, flags=flags), tmp_path / "gap.glb")
    recording = read_gltf(path)
    assert np.isfinite(recording.hierarchy.values).all()
    assert np.flatnonzero(recording.flags).tolist() == [20, 21, 22, 23, 24]


def test_a_body_rooted_elsewhere_is_written_as_it_is(tmp_path) -> None:
    motion = mr.read("sample_data/walk.bvh")
    rooted = mr.reroot(motion, root="LeftFoot")
    path = write_glb(rooted, tmp_path / "left.glb")
    back = mr.read(path)
    assert back.skeleton.names[back.skeleton.root] == "LeftFoot"
    assert same_places(rooted, back) < SINGLE


def test_rest_rotations_are_kept(tmp_path) -> None:
    """Through a skin: bound pose, pose and motion are three things."""
    rng = np.random.default_rng(7)
    motion = random_motion(rng, random_skeleton(rng, 8), frames=5)
    back = mr.read(write_glb(motion, tmp_path / "any.glb"))
    rows = [back.skeleton.index(name) for name in motion.skeleton.names]
    rest = back.skeleton.rest[rows]
    assert np.abs(np.abs((rest * motion.skeleton.rest).sum(axis=1)) - 1).max() < 1e-6
    reach = np.abs(mr.forward(motion).position).max()
    assert same_places(motion, back) < 1e-6 * max(reach, 1.0) * 10
