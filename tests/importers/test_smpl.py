"""AMASS: poses with a body model that the test makes, SciPy as the judge; hostile archives."""

import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from mocap_reroot import analyze, forward, read
from mocap_reroot.errors import FileError
from mocap_reroot.importers.smpl import read_smpl
from mocap_reroot.importers.smpl_model import LAYOUTS
from tests.importers import smpl_files as files


def where(arrays: dict[str, np.ndarray], n: int, stretch: float = 1.05) -> np.ndarray:
    """Return ``(n, 3, F)`` where the joints are, m, by SciPy."""
    rest = stretch * files.joints(n)
    poses = arrays["poses"].reshape(len(arrays["poses"]), -1, 3)
    turned: list[Rotation] = []
    place: list[np.ndarray] = []
    for body, above in enumerate(files.parents(n)):
        local = Rotation.from_rotvec(poses[:, body])
        if above < 0:
            turned.append(local)
            place.append(arrays["trans"] + rest[0])
        else:
            place.append(place[above] + turned[above].apply(rest[body] - rest[above]))
            turned.append(turned[above] * local)
    return np.stack(place).transpose(0, 2, 1)


@pytest.mark.parametrize("n", [24, 52, 55], ids=["SMPL", "SMPL-H", "SMPL-X"])
def test_joints_are_where_scipy_puts_them(tmp_path: Path, n: int) -> None:
    arrays = files.motion(n)
    model = files.save(tmp_path / "model.npz", files.model(n))
    motion = read(files.save(tmp_path / "clip.npz", arrays), smpl_model=model)
    assert motion.skeleton.names == LAYOUTS[n]
    assert (motion.fps, motion.source.unit) == (120.0, "m")
    np.testing.assert_allclose(forward(motion).position, where(arrays, n), atol=1e-9)
    np.testing.assert_array_equal(motion.up, [0, 0, 1])
    anatomy = motion.skeleton.anatomy
    assert anatomy is not None and anatomy.human and anatomy.convention == "SMPL"


def test_single_precision_and_the_newer_keys_say_the_same(tmp_path: Path) -> None:
    arrays = files.motion(55)
    poses = arrays["poses"]
    parts = {
        "root_orient": poses[:, :3], "pose_body": poses[:, 3:66], "pose_jaw": poses[:, 66:69],
        "pose_eye": poses[:, 69:75], "pose_hand": poses[:, 75:],
    }  # fmt: skip
    newer = {name: part.astype(np.float32) for name, part in parts.items()}
    newer |= {"trans": arrays["trans"].astype(np.float32), "betas": arrays["betas"][None]}
    newer |= {"mocap_frame_rate": np.array([120])}
    model = files.save(tmp_path / "model.npz", files.model(55))
    motion = read(files.save(tmp_path / "clip.npz", newer), smpl_model=model)
    np.testing.assert_allclose(forward(motion).position, where(arrays, 55), atol=1e-5)
    assert motion.fps == 120.0


@pytest.mark.parametrize(("given", "n"), [(52, 24), (52, 55), (55, 52), (24, 52), (22, 24)])
def test_a_file_and_a_model_of_other_kinds_share_the_body(
    tmp_path: Path, given: int, n: int
) -> None:
    arrays = files.motion(given)
    model = files.save(tmp_path / "model.npz", files.model(n))
    motion = read(files.save(tmp_path / "clip.npz", arrays), smpl_model=model)
    np.testing.assert_allclose(forward(motion).position[:22], where(arrays, given)[:22], atol=1e-9)
    assert any(f"turns {given} joints, the model has {n}" in w for w in motion.source.warnings)
    both = sorted(set(LAYOUTS[given]) & set(LAYOUTS[n]))
    rotation = read_smpl(tmp_path / "clip.npz", model).hierarchy
    assert rotation is not None and len(both) >= 22


def test_ends_of_bones_come_from_the_vertices(tmp_path: Path) -> None:
    model = files.save(tmp_path / "model.npz", files.model(24))
    clip = files.save(tmp_path / "clip.npz", files.motion(24) | {"betas": np.zeros(16)})
    hierarchy = read_smpl(clip, model).hierarchy
    assert hierarchy is not None
    ends = dict(zip(hierarchy.site_body.tolist(), hierarchy.site_offset, strict=True))
    rest = files.joints(24)
    names = LAYOUTS[24]
    for name, tip in (
        ("left_foot", (0.13, -0.94, 0.18)), ("left_ankle", (0.08, -0.94, -0.09)),
        ("head", (0, 0.78, 0)),
    ):  # fmt: skip
        body = names.index(name)
        np.testing.assert_allclose(ends[body], np.array(tip) - rest[body], atol=1e-12)


def test_a_whole_result(tmp_path: Path) -> None:
    model = files.save(tmp_path / "model.npz", files.model())
    clip = files.save(tmp_path / "clip.npz", files.motion(frames=240))
    result = analyze(clip, smpl_model=model, mass=60.0)
    assert 1.5 < result.summary["height"] < 2.0
    force = result.grf.filter(like="_fz").sum(axis=1)
    assert np.median(force) == pytest.approx(60 * 9.80665, rel=0.1)


def test_without_a_model_it_says_what_to_bring(tmp_path: Path) -> None:
    clip = files.save(tmp_path / "clip.npz", files.motion())
    with pytest.raises(FileError, match=r"52 joints.*gender female.*--smpl-model FILE\.npz"):
        read(clip)


def test_a_model_of_another_gender_is_said(tmp_path: Path) -> None:
    model = files.save(tmp_path / "SMPLH_MALE.npz", files.model())
    motion = read(files.save(tmp_path / "clip.npz", files.motion()), smpl_model=model)
    assert any("female body, but the model seems to be male" in w for w in motion.source.warnings)


def test_frames_that_are_not_finite_are_flagged(tmp_path: Path) -> None:
    arrays = files.motion()
    arrays["poses"][7, 5] = np.nan
    arrays["trans"][9, 1] = np.inf
    model = files.save(tmp_path / "model.npz", files.model())
    found = read_smpl(files.save(tmp_path / "clip.npz", arrays), model)
    assert found.flags is not None
    np.testing.assert_array_equal(np.flatnonzero(found.flags), [7, 9])


class Harm:
    """What must never be opened: it would leave a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_pickles_are_never_opened(tmp_path: Path) -> None:
    harm, clip = tmp_path / "harm", files.save(tmp_path / "clip.npz", files.motion())
    (tmp_path / "model.pkl").write_bytes(pickle.dumps(Harm(harm)))
    with pytest.raises(FileError, match=r"not from .pkl.*docs/reading.md"):
        read(clip, smpl_model=tmp_path / "model.pkl")
    with pytest.raises(FileError, match=r"this is a pickle"):
        read(tmp_path / "model.pkl")
    inside = files.model() | {"J_regressor": np.array([Harm(harm)], dtype=object)}
    files.save(tmp_path / "model.npz", inside)
    with pytest.raises(FileError, match=r"'J_regressor' holds objects of Python"):
        read(clip, smpl_model=tmp_path / "model.npz")
    aside = files.model() | {"part2num": np.array([Harm(harm)], dtype=object)}
    files.save(tmp_path / "model.npz", aside)  # the official models have such arrays: left alone
    assert read(clip, smpl_model=tmp_path / "model.npz").n_frames == 60
    assert not harm.exists()


def test_an_array_that_promises_more_than_it_holds(tmp_path: Path) -> None:
    model = files.save(tmp_path / "model.npz", files.model())
    clip = files.save(tmp_path / "clip.npz", files.motion())
    header = b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, "
    header += b"'shape': (4000000000, 156), }"
    header += b" " * (10 + 0x76 - 1 - len(header)) + b"\n"
    with zipfile.ZipFile(clip) as old, zipfile.ZipFile(tmp_path / "b.npz", "w") as new:
        for name in old.namelist():
            new.writestr(name, header if name == "poses.npy" else old.read(name))
    with pytest.raises(FileError, match="'poses' cannot be read"):
        read(tmp_path / "b.npz", smpl_model=model)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"poses": None}, "there is no array 'poses'"),
        ({"poses": np.zeros((60, 7))}, "frames of 66, 72, 156, 165 numbers were expected"),
        ({"trans": np.zeros((59, 3))}, "(60, 3) was expected"),
        ({"betas": np.full(16, np.nan)}, "no credible numbers"),
        ({"poses": np.full((60, 156), np.nan)}, "no frame in which all numbers are finite"),
        ({"poses": np.array(["a"] * 60)}, "'poses' holds no numbers"),
        ({"J_regressor": np.zeros((2, 2))}, "it is a body model, not a motion"),
    ],
)
def test_what_cannot_be_read_is_said(
    tmp_path: Path, change: dict[str, np.ndarray | None], words: str
) -> None:
    arrays = {k: v for k, v in (files.motion() | change).items() if v is not None}
    model = files.save(tmp_path / "model.npz", files.model())
    with pytest.raises(FileError) as refused:
        read_smpl(files.save(tmp_path / "clip.npz", arrays), model)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"J_regressor": None}, "there is no array 'J_regressor'"),
        ({"v_template": np.zeros((3, 3))}, "do not make a SMPL"),
        ({"kintree_table": np.tile(np.arange(52), (2, 1))}, "kintree_table is no tree"),
        ({"shapedirs": np.full((213, 3, 2), np.inf)}, "not finite"),
    ],
)
def test_a_model_that_is_none_is_refused(
    tmp_path: Path, change: dict[str, np.ndarray | None], words: str
) -> None:
    arrays = {k: v for k, v in (files.model() | change).items() if v is not None}
    model = files.save(tmp_path / "model.npz", arrays)
    with pytest.raises(FileError) as refused:
        read_smpl(files.save(tmp_path / "clip.npz", files.motion()), model)
    assert words in str(refused.value)
