"""The tables of the re-rooted motion recompose the world, by their columns alone."""

import numpy as np
import pandas as pd
import pytest

from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.rerooting.rows import rooted_blocks, rooted_trees
from mocap_reroot.schema import columns_of, data_frame
from mocap_reroot.types import JointType, Motion
from tests import naive
from tests.random_trees import random_body, random_motion, random_skeleton
from tests.rerooting.phases import random_phases

XYZ = ("x", "y", "z")


def rooted_table(rooted):
    return data_frame("rooted", rooted_blocks(rooted))


def vector(row, prefix: str) -> np.ndarray:
    return np.array([row[f"{prefix}{axis}"] for axis in XYZ])


def recomposed(row, tree) -> dict[str, naive.Moving]:
    """Return every body at its current origin, from one row and the rows of its phase's tree."""
    placed = {}
    todo = tree.to_dict("records")
    while todo:
        joint = todo.pop(0)
        body, parent = joint["body"], joint["parent"]
        if parent and parent not in placed:
            todo.append(joint)
            continue
        R = naive.matrix(np.array([row[f"{body}_q{c}"] for c in "wxyz"]))
        w, al = vector(row, f"{body}_w"), vector(row, f"{body}_al")
        if not parent:
            point = [vector(row, f"root_{c}") for c in "pva"]
            placed[body] = naive.Moving(R, point[0], R @ w, point[1], R @ al, point[2])
            continue
        base = placed[parent]
        slides = f"{body}_jx" in row and np.isfinite(row[f"{body}_jx"])
        u, du, ddu = ([vector(row, f"{body}_{k}") for k in ("j", "jv", "ja")]) if slides else np.zeros((3, 3))  # fmt: skip  # noqa: E501
        stand = base.at(vector(joint, "offset_") + u)
        turned = base.R @ R
        placed[body] = naive.Moving(
            turned,
            stand.p,
            base.w + turned @ w,
            stand.v + base.R @ du,
            base.al + turned @ al + np.cross(base.w, turned @ w),
            stand.a + base.R @ ddu + 2 * np.cross(base.w, base.R @ du),
        )
    return placed


@pytest.mark.parametrize("seed", range(3))
def test_rows_and_trees_recompose_the_world(seed):
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, 8)
    motion = random_motion(rng, skeleton, frames=30).cut(3, 30)
    body = random_body(rng, skeleton)
    rooted = reroot(motion, random_phases(rng, motion, left_out=(2,)))
    table = rooted_table(rooted)
    trees = data_frame("rooted_tree", rooted_trees(rooted, body))
    assert table.frame.tolist() == list(range(3, 30))
    assert np.allclose(table.time, table.frame / motion.fps)
    for f, row in enumerate(table.to_dict("records")):
        tree = trees[trees.phase == row["phase"]]
        if row["phase"] < 0:
            assert len(tree) == 0
            values = [v for k, v in row.items() if k not in ("frame", "time", "phase", "root")]
            assert np.isnan(values).all()
            continue
        assert tree[tree.parent == ""].body.tolist() == [row["root"]]
        found = recomposed(row, tree)
        for i, captured in enumerate(naive.capture_world(motion, f)):
            here = found[skeleton.names[i]]
            com = vector(tree.iloc[i], "com_")
            want = captured.at(body.com[i])
            for key in ("R", "p", "w", "v", "al", "a"):
                got, expected = getattr(here.at(com), key), getattr(want, key)
                assert np.abs(got - expected).max() < 1e-9 * max(1, np.abs(expected).max())


def test_only_translating_joints_have_slides():
    rng = np.random.default_rng(5)
    skeleton = random_skeleton(rng, 6, kinds=(JointType.SPHERICAL,))
    motion = random_motion(rng, skeleton, frames=20)
    rooted = reroot(motion, random_phases(rng, motion))
    table = rooted_table(rooted)
    assert not [name for name in table.columns if name.endswith("_jx")]
    assert table.shape == (20, 4 + 6 * 10 + 9)
    poses = Motion(skeleton, motion.fps, motion.up, motion.rotation, motion.displacement)
    still = rooted_table(reroot(poses, rooted.contacts))
    assert still.shape == (20, 4 + 6 * 4 + 3)
    assert np.array_equal(still[["root_px", "body3_qw"]], table[["root_px", "body3_qw"]])


def test_blocks_of_rows_are_the_whole_table():
    rng = np.random.default_rng(8)
    motion = random_motion(rng, random_skeleton(rng, 7), frames=41)
    rooted = reroot(motion, random_phases(rng, motion, left_out=(1,)))
    table = rooted_blocks(rooted)
    assert table.n_columns == len(columns_of("rooted", table))
    for size in (1, 7, 40, 41, 100):
        blocks = [data_frame("rooted", block) for block in table.make(size)]
        assert [len(block) for block in blocks[:-1]] == [size] * (len(blocks) - 1)
        joined = pd.concat(blocks, ignore_index=True)
        pd.testing.assert_frame_equal(joined, rooted_table(rooted), check_exact=True)
