"""Families of skeletons: who is who, in what unit, which way up, and who carries whom."""

import numpy as np
import pytest

from mocap_reroot import analyze
from mocap_reroot.inference.inference import infer_hierarchy
from mocap_reroot.numerics.units import METRES
from mocap_reroot.reading import read_recording

from .marching import FPS
from .people import renamed
from .skeletons_avatars import AVATARS
from .skeletons_captured import CAPTURED
from .skeletons_drawn import DRAWN
from .skeletons_named import NAMED
from .skeletons_newcomers import NEWCOMERS

ALL = [*CAPTURED, *DRAWN, *AVATARS, *NEWCOMERS]
SECONDS = 4.0


@pytest.mark.parametrize("skeleton", [*ALL, *NAMED], ids=lambda s: s.name)
def test_who_is_who(skeleton, tmp_path):
    recording = read_recording(skeleton.write(tmp_path))
    found = infer_hierarchy(recording)
    truth = {joint.name: joint.segment for joint in skeleton.joints}
    told = dict(zip(recording.hierarchy.names, found.anatomy.segments, strict=True))
    assert told == truth
    assert found.anatomy.human
    assert (found.unit if found.unit in METRES else "") == skeleton.unit
    np.testing.assert_array_equal(found.up, skeleton.axes[:, 1])
    if skeleton.convention:
        assert found.anatomy.convention == skeleton.convention


@pytest.mark.parametrize("skeleton", ALL, ids=lambda s: s.name)
def test_nameless_they_stand_on_the_same_feet(skeleton, tmp_path):
    """By shape alone, thighs and shanks, upper arms and forearms are found, and the right side."""
    recording = read_recording(skeleton.write(tmp_path))
    names = recording.hierarchy.names
    nameless = renamed(recording, [f"b{k}" for k in range(len(names))])
    found = infer_hierarchy(nameless)
    assert found.anatomy.human
    told = dict(zip(names, found.anatomy.segments, strict=True))
    first: dict[str, str] = {}
    for joint in skeleton.joints:
        first.setdefault(joint.segment, joint.name)
    for part in ("thigh", "shank", "upper_arm", "forearm"):
        for side in ("left", "right"):
            assert told[first[f"{side}_{part}"]] == f"{side}_{part}"


@pytest.mark.parametrize("skeleton", ALL, ids=lambda s: s.name)
def test_the_feet_carry_it(skeleton, tmp_path):
    analysis = analyze(skeleton.write(tmp_path, SECONDS), mass=70.0)
    assert analysis.bodies.mass.sum() == pytest.approx(70.0)
    assert 1.3 < analysis.summary["height"] < 2.1
    supports = np.full(round(SECONDS * FPS), "", object)
    for phase in analysis.phases.itertuples():
        supports[phase.start_frame : phase.stop_frame] = phase.support
    sides = {joint.name: joint.side for joint in skeleton.joints}
    carries = [sum({sides[b] for b in support.split("+")}) for support in supports]
    assert [carries[round(f * len(carries))] for f in (0.02, 0.45, 0.62, 0.8)] == [0, -1, 0, 1]
