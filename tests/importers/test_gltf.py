"""glTF: what is stated comes back, whoever wrote it; what is wrong is told in words."""

import json

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.importers.gltf import read_gltf
from mocap_reroot.skeletons.hierarchy import hierarchy_motion
from tests.importers.gltf_files import FLOAT, SHORT, Made, arm, quaternion

SECONDS = np.arange(11) / 10


def placed(path, **options):
    """Return a file's skeleton and ``{name: (3, F)}`` where its joints are, in file units."""
    motion = hierarchy_motion(read_gltf(path, **options))
    places = mr.forward(motion).position
    return motion, dict(zip(motion.skeleton.names, places, strict=True))


def world_of(document, frame):
    """Return ``{name: (3)}`` by 4×4 matrices, as another reader decodes the file."""
    import pygltflib

    blob = document.binary_blob()

    def numbers(index, width):
        accessor = document.accessors[index]
        view = document.bufferViews[accessor.bufferView]
        begin = (view.byteOffset or 0) + (accessor.byteOffset or 0)
        assert accessor.componentType == pygltflib.FLOAT and not view.byteStride
        found = np.frombuffer(blob, "<f4", accessor.count * width, begin).reshape(-1, width)
        return found.astype(float)

    moved = {}
    for channel in document.animations[0].channels if document.animations else ():
        width = 4 if channel.target.path == "rotation" else 3
        output = document.animations[0].samplers[channel.sampler].output
        moved[channel.target.node, channel.target.path] = numbers(output, width)[frame]
    parents = {c: p for p, node in enumerate(document.nodes) for c in node.children or ()}

    def matrix(index):
        node = document.nodes[index]
        usual = {"translation": (0, 0, 0), "rotation": (0, 0, 0, 1), "scale": (1, 1, 1)}
        t, (x, y, z, w), s = (
            moved.get((index, path), getattr(node, path) or usual[path]) for path in usual
        )
        length = np.sqrt(x * x + y * y + z * z + w * w)
        x, y, z, w = (v / length for v in (x, y, z, w))
        turn = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        own = np.eye(4)
        own[:3, :3], own[:3, 3] = turn * s, t
        return matrix(parents[index]) @ own if index in parents else own

    return {node.name: matrix(i)[:3, 3] for i, node in enumerate(document.nodes)}, parents


@pytest.mark.parametrize(
    ("name", "frames", "rate"), [("test_30fps.glb", 100, 30.0), ("blender_armature.glb", 1, 30.0)]
)
def test_shared_files_are_what_another_reader_says(shared_data, name, frames, rate) -> None:
    pygltflib = pytest.importorskip("pygltflib", reason="pygltflib is not installed")
    path = shared_data / "formats" / name
    document = pygltflib.GLTF2().load(str(path))
    recording = read_gltf(path)
    assert (recording.n_frames, recording.fps) == (frames, rate)
    assert (recording.unit, recording.up) == ("m", "+y")
    motion, places = placed(path)
    skeleton = motion.skeleton
    joints = document.skins[0].joints
    assert set(skeleton.names) == {document.nodes[joint].name for joint in joints}
    for frame in (0, frames // 2, frames - 1):
        theirs, parents = world_of(document, frame)
        for body in skeleton.names:
            assert np.abs(places[body][:, frame] - theirs[body]).max() < 2e-6
    for joint in joints:
        body = skeleton.index(document.nodes[joint].name)
        above = document.nodes[parents[joint]].name if joint in parents else ""
        if skeleton.parents[body] >= 0:
            assert skeleton.names[skeleton.parents[body]] == above


def test_an_arm_that_bends_is_where_it_should_be(tmp_path) -> None:
    made = Made()
    _, upper, fore = arm(made, translation=[0, 1, 0], scale=[0.01] * 3)
    made.animate(
        "bend",
        (upper, "rotation", SECONDS, quaternion("z", 90 * SECONDS), "LINEAR"),
        (fore, "rotation", SECONDS, quaternion("y", -90 * SECONDS), "LINEAR"),
    )
    motion, places = placed(made.write(tmp_path / "arm.glb"))
    assert motion.skeleton.names == ("upper", "fore", "tip")
    assert motion.fps == pytest.approx(10)
    assert places["fore"][:, 0] == pytest.approx([0.03, 1, 0], abs=1e-7)
    assert places["fore"][:, -1] == pytest.approx([0, 1.03, 0], abs=1e-7)
    # the upper arm has turned its x up and left its z; the forearm points along that
    assert places["tip"][:, -1] == pytest.approx([0, 1.03, 0.02], abs=1e-7)


def test_a_turned_armature_turns_the_body(tmp_path) -> None:
    made = Made()
    _, upper, _ = arm(made, rotation=quaternion("x", 90)[0].tolist(), translation=[0, 0, 5])
    made.animate("still", (upper, "translation", SECONDS, np.tile([0, 1, 0], (11, 1)), "LINEAR"))
    _, places = placed(made.write(tmp_path / "arm.glb"))
    assert places["upper"][:, 4] == pytest.approx([0, 0, 6], abs=1e-6)
    assert places["tip"][:, 4] == pytest.approx([5, 0, 6], abs=1e-6)


def test_every_interpolation_is_followed(tmp_path) -> None:
    keys = np.array([0.0, 0.2, 0.5, 1.0])  # on a grid of 0.1 s
    heights = np.array([0.0, 1.0, 4.0, 2.0])
    slopes = np.array([0.0, 5.0, -2.0, 1.0])
    along = [[0, h, 0] for h in heights]
    cubic = [[0, v, 0] for h, s in zip(heights, slopes, strict=True) for v in (s, h, s)]
    found = {}
    for how, values in (("STEP", along), ("LINEAR", along), ("CUBICSPLINE", cubic)):
        made = Made()
        _, upper, _ = arm(made)
        made.animate("up", (upper, "translation", keys, values, how))
        recording = read_gltf(made.write(tmp_path / f"{how}.gltf"))
        assert (recording.n_frames, recording.fps, recording.repairs) == (11, 10.0, ())
        found[how] = placed(tmp_path / f"{how}.gltf")[1]["upper"][1]
    assert found["STEP"] == pytest.approx([0, 0, 1, 1, 1, 4, 4, 4, 4, 4, 2])
    assert found["LINEAR"] == pytest.approx([0, 0.5, 1, 2, 3, 4, 3.6, 3.2, 2.8, 2.4, 2], abs=1e-5)
    from scipy.interpolate import CubicHermiteSpline

    theirs = CubicHermiteSpline(keys, heights, slopes)(SECONDS)
    assert found["CUBICSPLINE"] == pytest.approx(theirs, abs=1e-5)


def test_turns_between_keys_go_the_short_way_at_one_speed(tmp_path) -> None:
    made = Made()
    _, upper, fore = arm(made)
    made.animate(
        "turn",
        (upper, "rotation", [0, 1], quaternion("z", [0, 90]) * [[1], [-1]], "LINEAR"),
        (fore, "translation", SECONDS, np.tile([3, 0, 0], (11, 1)), "LINEAR"),
    )
    _, places = placed(made.write(tmp_path / "turn.glb"))
    angle = np.degrees(np.arctan2(places["fore"][1], places["fore"][0]))
    assert angle == pytest.approx(90 * SECONDS, abs=1e-4)


def test_uneven_keys_are_sampled_at_a_rate_that_is_said(tmp_path) -> None:
    made = Made()
    _, upper, _ = arm(made)
    keys = np.cumsum([0, *np.random.default_rng(1).uniform(0.025, 0.041, 60)])
    values = np.stack([0 * keys, 3 * keys, 0 * keys], axis=1)
    made.animate("up", (upper, "translation", keys, values, "LINEAR"))
    recording = read_gltf(made.write(tmp_path / "uneven.glb"))
    assert "not evenly spaced" in recording.repairs[0]
    assert f"{recording.fps:g} Hz" in recording.repairs[0]
    assert 20 < recording.fps < 45
    height = placed(tmp_path / "uneven.glb")[1]["upper"][1]
    assert height == pytest.approx(3 * np.arange(recording.n_frames) / recording.fps, abs=1e-5)


def test_the_longest_take_is_read_or_the_one_that_is_named(tmp_path) -> None:
    made = Made()
    _, upper, _ = arm(made)
    still = np.tile([0, 1, 0], (11, 1))
    made.animate("short", (upper, "translation", SECONDS[:5], still[:5], "LINEAR"))
    made.animate("long", (upper, "translation", SECONDS, 2 * still, "LINEAR"))
    path = made.write(tmp_path / "takes.glb")
    assert read_gltf(path).n_frames == 11
    assert "--take" in read_gltf(path).warnings[0]
    assert read_gltf(path, take="short").n_frames == 5
    assert mr.read(path, take="short").n_frames == 5
    with pytest.raises(mr.MocapRerootError, match=r"no take .* named 'shrt'.*'short'"):
        read_gltf(path, take="shrt")


def test_whole_numbers_and_sparse_ones_stand_for_what_they_mean(tmp_path) -> None:
    made = Made()
    _, upper, fore = arm(made)
    turns = np.rint(quaternion("z", 90 * SECONDS) * 32767)
    made.animate(
        "packed",
        (upper, "rotation", SECONDS, made.numbers(turns, SHORT, normalized=True), "LINEAR"),
        (fore, "translation", SECONDS, made.numbers(np.tile([3, 0, 0], (11, 1))), "LINEAR"),
    )
    where, what = made.numbers([[7]], SHORT), made.numbers([[3, 0, 4]])
    accessors = made.json["accessors"]
    sparse = next(a for a in accessors if a["type"] == "VEC3" and a["count"] == 11)
    sparse["sparse"] = {
        "count": 1,
        "indices": {"bufferView": accessors[where]["bufferView"], "componentType": 5123},
        "values": {"bufferView": accessors[what]["bufferView"]},
    }
    _, places = placed(made.write(tmp_path / "packed.glb"))
    assert places["fore"][:, 10] == pytest.approx([0, 3, 0], abs=1e-3)
    assert places["fore"][2] == pytest.approx([0] * 7 + [4] + [0] * 3, abs=1e-6)


def test_a_skin_says_who_is_a_joint_and_how_it_was_bound(tmp_path) -> None:
    made = Made()
    holder, upper, fore = arm(made)
    made.json["nodes"][fore]["rotation"] = quaternion("z", 30)[0].tolist()  # drawn bent
    made.node("hat", holder, mesh=0)
    bind = np.tile(np.eye(4), (2, 1, 1))
    bind[1, :3, 3] = [-3, 0, 0]  # bound straight: x of both along the arm
    inverse = made.numbers(bind.transpose(0, 2, 1).reshape(2, 16), FLOAT)
    made.json["skins"] = [{"joints": [fore, upper], "inverseBindMatrices": inverse}]
    made.json["skins"][0]["joints"] = [upper, fore]
    made.animate("bend", (upper, "rotation", SECONDS, quaternion("y", 90 * SECONDS), "LINEAR"))
    motion, _ = placed(made.write(tmp_path / "skin.glb"))
    assert motion.skeleton.names == ("upper", "fore")
    assert motion.skeleton.rest[1] == pytest.approx([1, 0, 0, 0], abs=1e-7)
    half = np.radians(15)
    drawn = motion.rotation[1, :, 3]
    assert drawn == pytest.approx([np.cos(half), 0, 0, np.sin(half)], abs=1e-6)


def test_of_several_skeletons_the_largest_is_taken_and_said(tmp_path) -> None:
    made = Made()
    lone = made.node("prop")
    _, upper, fore = arm(made)
    moves = np.tile([0, 1, 0], (11, 1))
    made.animate(
        "both", *((n, "translation", SECONDS, moves, "LINEAR") for n in (lone, upper, fore))
    )
    recording = read_gltf(made.write(tmp_path / "both.glb"))
    assert recording.hierarchy.names == ("upper", "fore", "tip")
    assert "left out: prop" in recording.warnings[0]


def test_numbers_may_lie_beside_the_file_but_nowhere_else(tmp_path) -> None:
    made = Made()
    _, upper, _ = arm(made)
    made.animate("up", (upper, "translation", SECONDS, np.ones((11, 3)), "LINEAR"))
    path = tmp_path / "beside.gltf"
    path.write_text(made.text("my%20numbers.bin"))
    with pytest.raises(mr.MocapRerootError, match=r"my%20numbers.bin.*cannot be read"):
        read_gltf(path)
    (tmp_path / "my numbers.bin").write_bytes(made.data)
    assert read_gltf(path).n_frames == 11
    for address in ("http://127.0.0.1/x.bin", "/etc/hostname", "../x.bin", "C:x.bin"):
        path.write_text(made.text(address))
        with pytest.raises(mr.MocapRerootError, match="only files beside it are opened"):
            read_gltf(path)


def test_what_is_wrong_is_told_in_words(tmp_path) -> None:
    def refused(change, words):
        made = Made()
        _, upper, _ = arm(made)
        made.animate("up", (upper, "translation", SECONDS, np.ones((11, 3)), "LINEAR"))
        change(made)
        with pytest.raises(mr.MocapRerootError, match=words):
            read_gltf(made.write(tmp_path / "wrong.glb"))

    def packed(made):
        made.json["bufferViews"][0]["extensions"] = {"EXT_meshopt_compression": {}}

    refused(packed, "EXT_meshopt_compression.*gltf-transform")
    refused(lambda m: m.json["nodes"][3].update(children=[1]), "hangs from two|loop")
    refused(lambda m: m.json["nodes"][0].update(children=[1, 2]), "hangs from two")
    refused(lambda m: m.json["accessors"][0].update(count=12), "do not fit")
    refused(lambda m: m.json["accessors"][0].update(count=10**12), "no motion has so many")
    refused(lambda m: m.json["asset"].update(version="1.0"), r"2\.0 was expected")
    refused(lambda m: m.json.pop("animations"), "neither a skin nor an animated tree")
    refused(lambda m: setattr(m, "data", m.data[:40]), "cut off")
    loop = json.dumps(
        {"asset": {"version": "2.0"}, "nodes": [{"children": [1]}, {"children": [0]}]}
    )
    (tmp_path / "loop.gltf").write_text(loop)
    with pytest.raises(mr.MocapRerootError, match="loop"):
        read_gltf(tmp_path / "loop.gltf")
    (tmp_path / "deep.gltf").write_text("[" * 200_000)
    with pytest.raises(mr.MocapRerootError, match="this is neither"):
        read_gltf(tmp_path / "deep.gltf")


def test_a_long_chain_and_late_keys_cost_little(tmp_path) -> None:
    made = Made()
    last = None
    for k in range(3000):
        last = made.node(f"n{k}", last, translation=[0, 1, 0])
    keys = [0, 1e-4, 1e9]  # no common grid that would not be endless
    made.animate("late", (0, "translation", keys, np.ones((3, 3)), "LINEAR"))
    recording = read_gltf(made.write(tmp_path / "chain.glb"))
    assert len(recording.hierarchy.names) == 3000
    assert recording.n_frames < 100
    made.animate("later", (0, "translation", [*np.arange(9) / 30, 1e7], np.ones((10, 3)), "LINEAR"))
    recording = read_gltf(made.write(tmp_path / "chain.glb"), take="later")
    assert recording.n_frames <= 10_000
    assert "not evenly spaced" in recording.repairs[0]
