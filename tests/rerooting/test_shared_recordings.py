"""Real recordings re-rooted at feet, hands and head, and back; and through other readers."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from mocap_reroot.export.bvh import write_bvh
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.reading import read
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.signals.smoothing import smooth
from mocap_reroot.types import Motion
from tests.conftest import SHARED_DATA
from tests.rerooting.seams import jump

FILES = sorted(SHARED_DATA.glob("bvh/**/*.bvh"))
SEGMENTS = ("left_foot", "right_foot", "left_hand", "right_hand", "head")


def ends(motion: Motion) -> list[int]:
    """Return feet, hands and head, or what has no children where nobody knows who is who."""
    skeleton = motion.skeleton
    found: list[int] = []
    if skeleton.anatomy is not None:
        found = [b for segment in SEGMENTS for b in skeleton.anatomy.find(segment)]
    return found or [b for b, children in enumerate(skeleton.children) if not children]


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_there_and_back(path: Path):
    motion = read(path)
    motion = motion.cut(0, min(motion.n_frames, 400))
    if motion.n_frames > 20:
        motion = smooth(motion, 6.0)
    for body in ends(motion):
        moved = reroot(motion, root=body)
        keep = np.flatnonzero(motion.analysed)
        few = keep[:: max(1, len(keep) // 8)]
        for f in few:
            jumps = jump(moved.cut(f, f + 1), motion.cut(f, f + 1))
            known = [value for value in jumps.values() if not np.isnan(value)]
            assert max(known) < 1e-9 * _scale(motion)
        back = reroot(moved, root=motion.skeleton.root)
        assert back.skeleton.channels == motion.skeleton.channels
        assert np.abs(back.skeleton.offset - motion.skeleton.offset).max() < 1e-9
        assert np.abs(back.skeleton.origin).max() < 1e-9
        for name in ("rotation", "displacement", "angular_acceleration", "linear_acceleration"):
            if (want := getattr(motion, name)) is not None:
                error = np.abs(getattr(back, name) - want)[..., motion.analysed]
                assert error.max(initial=0) < 1e-9 * _scale(motion)


def _scale(motion: Motion) -> float:
    """Return the largest value of a motion, at least 1."""
    arrays = (motion.displacement, motion.angular_acceleration, motion.linear_acceleration)
    return max(1.0, *(np.nanmax(np.abs(a), initial=0) for a in arrays if a is not None))


def seen_by_bvhio(path: Path, names: tuple[str, ...]) -> np.ndarray:
    """Return ``(F, n, 3)`` positions in the file's unit."""
    bvhio = pytest.importorskip("bvhio")
    root, frames = bvhio.readAsHierarchy(str(path)), bvhio.readAsBvh(str(path)).FrameCount
    found = []
    for f in range(frames):
        root.loadPose(f, recursive=True)
        seen = {joint.Name: joint.PositionWorld for joint, _, _ in root.layout()}
        found.append([list(seen[name]) for name in names])
    return np.array(found)


def seen_by_pybvh(path: Path, names: tuple[str, ...]) -> np.ndarray:
    """Return ``(F, n, 3)`` positions in the file's unit."""
    pybvh = pytest.importorskip("pybvh")
    clip = pybvh.read_bvh_file(str(path))
    return clip.joint_positions()[:, [clip.joint_names.index(name) for name in names]]


@pytest.mark.parametrize("reader", [seen_by_bvhio, seen_by_pybvh])
@pytest.mark.parametrize("name", ["cmu/02_01.bvh", "mixamo", "perception_neuron"])
def test_other_readers_see_the_same_dance(name, reader, shared_data, tmp_path):
    path = shared_data / "bvh" / name
    path = path if path.is_file() else sorted(path.glob("*.bvh"))[0]
    motion = read(path)
    motion = motion.cut(0, min(5, motion.n_frames))
    captured = forward(motion).position
    for body in ends(motion)[:3]:
        moved = reroot(motion, root=body)
        # a body on the chain stands at the joint its old child used; all others where they stood
        expected = captured.copy()
        for child, parent in pairwise(motion.skeleton.chain(body)):
            expected[parent] = captured[child]
        file = write_bvh(moved, tmp_path / "moved.bvh")
        seen = reader(file, motion.skeleton.names) * motion.source.unit_scale
        # float32 keeps seven digits of positions and of every product along the chain
        error = np.abs(np.moveaxis(seen, 0, -1) - expected).max()
        assert error < 5e-6 * max(1, np.abs(expected).max())
