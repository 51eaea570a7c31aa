"""A model that was given: its coordinates come back, as fitted and as made to obey physics."""

from xml.etree import ElementTree

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.export.osim import write_model
from mocap_reroot.importers.osim import read_osim
from mocap_reroot.rerooting.reroot import reroot


@pytest.fixture(scope="module")
def walk(shared_data) -> mr.Motion:
    folder = shared_data / "atlas" / "opencap" / "subject3"
    return mr.read(folder / "walking1" / "markers.trc", model=folder / "model.osim")


def test_the_model_comes_back_without_what_acts_in_it(walk, tmp_path) -> None:
    """Bodies, joints and markers as they are; read with it, the coordinates are those fitted."""
    files = write_model(walk, body_model(walk), tmp_path / "walk.osim", None)
    given, back = walk.coordinates.model, read_osim(files[0])
    assert back.names == given.names and back.labels == given.labels
    assert back.mass == pytest.approx(given.mass)
    acting = ElementTree.parse(files[0]).find(".//ForceSet")
    assert acting is not None and len(acting) == 0
    again = mr.read(files[1], model=files[0])
    assert again.coordinates.value == pytest.approx(walk.coordinates.value, abs=1e-8)


def test_another_root_is_no_model_of_opensims(walk, tmp_path) -> None:
    """Rooted at a foot, the joints are others: three rotations each, in a model made of them."""
    rooted = reroot(walk, root="calcn_r")
    _, table = write_model(rooted, body_model(walk), tmp_path / "walk.osim", None)
    assert "calcn_r_tx" in table.read_text()


def test_a_model_made_to_obey_keeps_its_joints(walk) -> None:
    """The root moves by millimetres; its coordinates say where, all others are as fitted."""
    after = mr.make_consistent(walk)
    slot = walk.skeleton.slot[walk.skeleton.root]
    moved = np.linalg.norm(after.displacement[slot] - walk.displacement[slot], axis=0)
    assert 1e-4 < moved.max() < 0.01
    names, pelvis = walk.coordinates.model.names, after.displacement[slot]
    legs = [k for k, name in enumerate(names) if not name.startswith("pelvis")]
    assert (after.coordinates.value[legs] == walk.coordinates.value[legs]).all()
    found = [after.coordinates.value[names.index(f"pelvis_t{a}")] for a in "xyz"]
    assert np.array(found) == pytest.approx(pelvis, abs=1e-6)


def test_feet_of_a_model_are_not_pinned(walk) -> None:
    held = mr.pin_feet(walk, mr.detect_contacts(walk))
    assert held.rotation is walk.rotation
    assert "by its coordinates alone" in held.source.warnings[-1]
