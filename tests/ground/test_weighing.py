"""How heavy a person is, by the plates: standing still, and on recordings that state the mass."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import mocap_reroot as mr
from mocap_reroot.signals.cleaning import clean
from tests.contact.truth import PLUG_IN_GAIT
from tests.ground.shared import weighed_mass
from tests.ground.test_plates import FRAMES, LEFT, RIGHT, person_on
from tests.ground.walker import MASSES, body_of


def standing(share: float, fps: float):
    """Return a person at rest on two plates that carry a share of the weight each."""
    rooted, _ = person_on([(LEFT[0], share), (RIGHT[0], share)], [(0.03, -0.1), (0.03, 0.1)])
    return replace(rooted.captured, fps=fps), replace(rooted.contacts, fps=fps)


def test_plates_weigh_whom_they_carry() -> None:
    motion, contacts = standing(0.6, FRAMES / 0.5)
    found = weighed_mass(motion, body_of(motion.skeleton), contacts)
    assert found is not None
    assert found.value == pytest.approx(1.2 * MASSES.sum(), abs=0.01)


def test_half_a_step_is_too_short_to_weigh() -> None:
    motion, contacts = standing(0.5, FRAMES / 0.3)
    assert weighed_mass(motion, body_of(motion.skeleton), contacts) is None


def test_plates_that_carry_something_else_are_not_believed() -> None:
    motion, contacts = standing(3.0, FRAMES / 0.5)
    assert weighed_mass(motion, body_of(motion.skeleton), contacts) is None


def test_without_plates_nobody_is_weighed() -> None:
    motion, contacts = standing(0.5, FRAMES / 0.5)
    assert weighed_mass(replace(motion, plates=None), body_of(motion.skeleton), contacts) is None


@pytest.mark.parametrize("name", PLUG_IN_GAIT[::2])
def test_children_weigh_what_their_files_say(shared_data, name) -> None:
    """Estimated from stature they would be up to 29 % off."""
    captured = clean(mr.read(shared_data / "c3d" / "plug_in_gait" / f"{name}.c3d"))
    motion = mr.smooth(captured)
    found = weighed_mass(motion, mr.body_model(motion.skeleton), mr.detect_contacts(captured))
    assert found is not None
    assert found.value == pytest.approx(captured.source.mass, rel=0.015)


def test_a_file_without_a_mass_is_weighed(shared_data) -> None:
    path = shared_data / "c3d" / "btk" / "Gait.c3d"
    analysis = mr.analyze(path)
    found = [i for i in analysis.motion.source.inferred if i.what == "mass"]
    assert len(found) == 1
    assert analysis.body.total_mass == pytest.approx(found[0].value)
    assert not any("Mass is not known" in warning for warning in analysis.summary["warnings"])
    assert mr.analyze(path, mass=50.0).body.total_mass == pytest.approx(50.0)


@pytest.mark.parametrize("trial", ["run200", "run300", "run500"])
def test_runners_are_weighed_over_whole_strides(shared_data, trial) -> None:
    """Flights count: in stances alone, where accelerations are spread, they are up to 6 % off."""
    for info in sorted((shared_data / "atlas" / "hamner").glob("*/subject.json")):
        folder = next(info.parent.glob(f"{trial}*"))
        static = info.parent / "static.trc"
        analysis = mr.analyze(
            folder / "markers.trc", plates=str(folder / "grf.mot"), compare_plates=False,
            **({"static": str(static)} if static.exists() else {}),
        )  # fmt: skip
        known = json.loads(info.read_text())["plateMassKg"]
        assert analysis.body.total_mass == pytest.approx(known, rel=0.02)


@pytest.mark.parametrize(("given", "said"), [(64.0, False), (60.12, True)])
def test_a_mass_that_the_plates_contradict_is_named(shared_data, given, said) -> None:
    """This person's walks weigh 63.9 kg, her squats 59.9: what is given stays, and is named."""
    folder = shared_data / "atlas" / "opencap" / "subject4" / "walking1"
    found = mr.analyze(
        folder / "markers.trc", plates=str(folder / "grf.mot"), mass=given, height=1.68,
        forces="measured", compare_plates=False,
    )  # fmt: skip
    assert found.body.total_mass == pytest.approx(given)
    sentences = [w for w in found.summary["warnings"] if w.startswith("The mass is given as")]
    assert bool(sentences) == said
    if said:
        assert "63.9 kg" in sentences[0] and "--mass 63.9" in sentences[0]
