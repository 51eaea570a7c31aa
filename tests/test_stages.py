"""The public stages, called in the order of the corridor, give bit for bit what analyze gives."""

from __future__ import annotations

import pytest
from pandas.testing import assert_frame_equal

import mocap_reroot as mr

CLIPS = (
    ("bvh/cmu/02_01.bvh", {}),
    ("bvh/cmu/16_01.bvh", {}),
    ("c3d/plug_in_gait/HC038A/HC038A11.c3d", {}),
    ("c3d/plug_in_gait/HC038A/HC038A11.c3d", {"forces": "measured"}),
    ("c3d/btk/Gait.c3d", {"forces": "measured"}),
)


@pytest.mark.parametrize(("file", "options"), CLIPS)
def test_stages_are_the_analysis(shared_data, file, options):
    path = shared_data / file
    motion = mr.read(path)
    body = mr.body_model(motion)
    contacts = mr.detect_contacts(motion, body)
    ground = mr.estimate_ground(motion, body, contacts, **options)
    rooted = mr.reroot(ground.motion, ground.contacts)
    result = mr.inverse_dynamics(rooted, ground.body, ground)
    analysis = mr.analyze(path, **options)
    for name in ("torques", "grf", "reactions"):
        assert_frame_equal(getattr(result, name), getattr(analysis, name), check_exact=True)
    assert_frame_equal(ground.contacts.phases, analysis.phases, check_exact=True)
    assert_frame_equal(ground.body.bodies, analysis.bodies, check_exact=True)
    assert result.quality.keys() == analysis.dynamics.quality.keys()


def test_reading_cleans_once(shared_data):
    """A rest pose at the start is left out; without cleaning it is there as the file has it."""
    path = shared_data / "bvh" / "cmu" / "02_01.bvh"
    cleaned, as_is = mr.read(path), mr.read(path, clean=False)
    assert not cleaned.analysed[0] and as_is.analysed.all()
    assert cleaned.n_frames == as_is.n_frames


def test_a_ground_of_another_motion_is_refused(shared_data):
    path = shared_data / "bvh" / "cmu" / "16_01.bvh"
    analysis = mr.analyze(path)
    other = mr.reroot(analysis.motion.cut(0, 100), root="Hips")
    with pytest.raises(mr.MocapRerootError, match="100"):
        mr.inverse_dynamics(other, analysis.body, analysis.ground)


def test_what_is_predicted_beside_plates_is_what_motion_alone_tells(shared_data):
    """Nothing that plates measured enters it: neither wrenches nor strikes and offs nor masses."""
    path = shared_data / "c3d" / "plug_in_gait" / "HC038A" / "HC038A11.c3d"
    beside = mr.analyze(path, mass=30.0, forces="measured").predicted
    alone = mr.analyze(path, mass=30.0, forces="predicted").grf
    assert beside is not None
    feet = [c[:-3] for c in alone if c.endswith("_on")]
    columns = [f"{foot}_{part}" for foot in feet for part in ("fx", "fy", "fz", "px", "py", "pz")]
    assert_frame_equal(beside[columns], alone[columns], check_exact=True)
