"""Where the root changes, both trees describe the same instant."""

import numpy as np
import pytest

from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.types import JointType
from tests.random_trees import random_motion, random_skeleton
from tests.rerooting.phases import random_phases
from tests.rerooting.seams import JUMPS, seams


@pytest.mark.parametrize("root", list(JointType))
def test_jumps_are_rounding(root):
    rng = np.random.default_rng(int(root))
    motion = random_motion(rng, random_skeleton(rng, 9, root=root), frames=60).cut(5, 60)
    rooted = reroot(motion, random_phases(rng, motion))
    table = seams(rooted)
    assert len(table) == 6
    assert table.frame.tolist() == [phase.start for phase, _ in rooted.pieces[1:]]
    names = motion.skeleton.names
    assert table.root_before.tolist() == [names[p.root] for p, _ in rooted.pieces[:-1]]
    assert table.root_after.tolist() == [names[p.root] for p, _ in rooted.pieces[1:]]
    assert table[list(JUMPS)].to_numpy().max() < 1e-9


def test_seams_beside_frames_left_out_are_not_listed():
    rng = np.random.default_rng(7)
    motion = random_motion(rng, random_skeleton(rng, 5), frames=60)
    table = seams(reroot(motion, random_phases(rng, motion, left_out=(0, 3))))
    assert table.phase.tolist() == [2, 5, 6]


@pytest.mark.parametrize("joint", ["spherical", "revolute", "fixed"])
def test_joints_that_discard_motion_show_at_the_seams(joint):
    rng = np.random.default_rng(8)
    motion = random_motion(rng, random_skeleton(rng, 5), frames=60)
    rooted = reroot(motion, random_phases(rng, motion), joint=joint)
    table = seams(rooted)
    assert (table.position > 1e-3).all()
    assert (table.velocity > 1e-3).all()
