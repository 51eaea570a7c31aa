"""Time base: falls, jumps, strides and speeds against the frame time."""

from dataclasses import replace

import pytest

import mocap_reroot as mr
from mocap_reroot.inference.inference import infer_hierarchy

from .people import fall, walk


def doubts(clip):
    return [w for w in infer_hierarchy(clip).warnings if "frame time" in w]


def frame_time(clip):
    return next(i for i in infer_hierarchy(clip).inferred if i.what == "frame_time")


@pytest.mark.parametrize("rise", [0.35, 0.15, 0.0], ids=["jump", "hop", "drop of 2 m"])
@pytest.mark.parametrize("fps", [30, 60, 120, 240])
def test_free_fall_confirms_the_right_frame_time(rise, fps):
    clip = fall(fps, rise)
    assert not doubts(clip)
    assert frame_time(clip).confidence == 0.95
    assert "falls at 9.8 m/s²" in frame_time(clip).evidence


@pytest.mark.parametrize("rise", [0.35, 0.15, 0.0], ids=["jump", "hop", "drop of 2 m"])
@pytest.mark.parametrize("factor", [0.25, 0.5, 2, 4])
def test_a_wrong_frame_time_is_noticed_and_the_right_one_named(rise, factor):
    clip = replace(fall(60.0, rise), fps=60.0 * factor)
    (doubt,) = doubts(clip)
    assert "About 60 frames per second would fit better; it was not changed." in doubt
    assert frame_time(clip).value == 1 / (60 * factor)
    assert infer_hierarchy(clip).unit == "m"  # the stature outweighs the clock


@pytest.mark.parametrize("factor", [0.25, 4])
def test_strides_are_a_clock_too(factor):
    assert not doubts(walk(5.0))
    assert "a stride takes 1.10 s" in frame_time(walk(5.0)).evidence
    (doubt,) = doubts(replace(walk(5.0), fps=120.0 * factor))
    assert "a stride takes" in doubt


def test_hands_and_feet_have_a_top_speed():
    (doubt,) = doubts(replace(walk(1.0), fps=1200.0))
    assert "m/s in 2 % of the frames" in doubt


def test_a_rate_that_no_camera_has():
    (doubt,) = doubts(replace(walk(1.0), fps=2.0))
    assert "unusual" in doubt


def test_somebody_who_stands_on_the_hands_does_not_fall(shared_data):
    """In cartwheels only the jump tells the time: three times as fast as bodies fall."""
    cartwheels = shared_data / "bvh/cmu_dynamic/87_05.bvh"
    (doubt,) = (w for w in mr.read(cartwheels).source.warnings if "frame time" in w)
    assert "in 1 flights" in doubt
    assert not [w for w in mr.read(cartwheels, rate=60).source.warnings if "frame time" in w]
