"""Up: standing, lying, upside down, and animals."""

from dataclasses import replace

import numpy as np
import pytest

from mocap_reroot.inference.inference import infer_hierarchy

from .people import fall, recording, tree, turn_to, turned, walk


@pytest.mark.filterwarnings("ignore:Gimbal lock")
@pytest.mark.parametrize("rest_too", [True, False])
@pytest.mark.parametrize("up", ["x", "y", "z", "-x", "-y", "-z"])
def test_a_walk_along_every_axis(up, rest_too):
    found = infer_hierarchy(turned(walk(3.0), up, rest_too))
    np.testing.assert_array_equal(found.up, turn_to(up)[:, 1])


def posed(tilt, height, frames=120):
    """A person whose root is tilted about x by so many degrees, at some height."""
    root = np.array([np.zeros(frames), np.full(frames, height), np.full(frames, 2.0)])
    clip = recording(*tree(), root, {"Hips": np.broadcast_to(tilt, frames) * 1.0}, 60.0)
    return clip


def test_one_who_lies_on_the_floor_does_not_turn_the_world():
    found = infer_hierarchy(posed(-90.0, 0.12))
    np.testing.assert_array_equal(found.up, [0, 1, 0])


def test_a_handstand_does_not_turn_the_world():
    found = infer_hierarchy(posed(180.0, 1.0))
    np.testing.assert_array_equal(found.up, [0, 1, 0])


def test_a_cartwheel_does_not_turn_the_world():
    found = infer_hierarchy(posed(np.concatenate([np.zeros(60), np.linspace(0, 360, 60)]), 0.95))
    np.testing.assert_array_equal(found.up, [0, 1, 0])


def test_up_without_legs_is_where_the_head_is():
    rows, sites = tree(legs=False)
    root = np.tile([[0.0], [0.9], [0.0]], 60)
    clip = turned(recording(rows, sites, root, {}, 60.0), "z")
    np.testing.assert_array_equal(infer_hierarchy(clip).up, [0, 0, 1])


def test_what_the_user_states_holds():
    np.testing.assert_array_equal(infer_hierarchy(walk(1.0), up="-x").up, [-1, 0, 0])


def test_a_jump_is_up():
    found = infer_hierarchy(turned(fall(), "-z"))
    np.testing.assert_array_equal(found.up, [0, 0, -1])


def test_where_the_root_stands_still_or_only_something_below_travels():
    clip = walk(2.0)
    still = clip.hierarchy.values.copy()
    still[:3] = still[:3, :1]
    fixed = infer_hierarchy(replace(clip, hierarchy=replace(clip.hierarchy, values=still)))
    assert next(i for i in fixed.inferred if i.what == "root").value == "fixed"
    assert any("never moves" in w for w in fixed.warnings)

    rows, sites = tree()
    rows = [("Reference", "", (0, 0, 0)), ("Hips", "Reference", (0, 0, 0)), *rows[1:]]
    under = recording(rows, sites, np.zeros((3, clip.n_frames)), {}, 120.0)
    h = under.hierarchy
    channels = (
        h.channels[0],
        ("Xposition", "Yposition", "Zposition", *h.channels[1]),
        *h.channels[2:],
    )
    values = np.concatenate([np.zeros((6, clip.n_frames)), clip.hierarchy.values])
    found = infer_hierarchy(replace(under, hierarchy=replace(h, channels=channels, values=values)))
    assert next(i for i in found.inferred if i.what == "root").value == "static above Hips"
    assert found.anatomy.segments[:2] == ("", "pelvis")
    assert found.anatomy.human
