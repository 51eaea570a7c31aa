"""Units: the candidates, the child, the giant, free fall, and what the user states."""

from dataclasses import replace

import numpy as np
import pytest

from mocap_reroot.inference.inference import infer_hierarchy
from mocap_reroot.inference.naming import conventions
from mocap_reroot.numerics.units import METRES

from .people import fall, recording, renamed, scaled, walk


@pytest.mark.parametrize("unit", METRES)
@pytest.mark.parametrize("stature", [1.5, 1.7, 1.95])
def test_adults_in_every_unit(unit, stature):
    found = infer_hierarchy(scaled(walk(1.0), stature / 1.7 / METRES[unit]))
    assert (found.unit, found.unit_scale) == (unit, METRES[unit])


@pytest.mark.parametrize("stature", [1.5, 1.7, 1.95])
def test_adults_in_decimetres_are_no_children_of_cmu(stature):
    found = infer_hierarchy(scaled(walk(1.0), stature / 1.7 / 0.1))
    assert found.unit_scale == 0.1
    assert not any("--unit" in w for w in found.warnings)


@pytest.mark.parametrize("unit", ["m", "cm", "mm"])
def test_a_child_of_one_metre(unit):
    found = infer_hierarchy(scaled(walk(1.0), 1.0 / 1.7 / METRES[unit]))
    assert found.unit == unit


def test_free_fall_tells_a_tall_adult_from_a_small_child():
    """2.33 m in CMU's unit or 1.05 m in inches: names speak for the one, legs for the other."""
    acclaim = next(c for c in conventions() if c.name == "Acclaim")
    known = infer_hierarchy(walk(1.0)).anatomy.segments
    taken = [list(acclaim.canonical[segment]) for segment in known]
    names = [choices[known[:k].count(known[k])] for k, choices in enumerate(taken)]
    larger = 2.33 / 1.7
    standing = infer_hierarchy(renamed(scaled(walk(1.0), larger / METRES["cmu"]), names))
    assert any("unit is uncertain" in w for w in standing.warnings)
    # lengths times 1.37 fall at 9.81 m/s² again if time runs slower by its root
    jump = replace(scaled(fall(), larger / METRES["cmu"]), fps=120 / np.sqrt(larger))
    found = infer_hierarchy(renamed(jump, names))
    assert found.unit == "cmu"
    assert not any("unit is uncertain" in w for w in found.warnings)
    assert "falls at 9.8 m/s²" in next(i for i in found.inferred if i.what == "unit").evidence


def test_an_odd_unit_is_scaled_to_a_person_and_said():
    found = infer_hierarchy(scaled(walk(1.0), 31.0 / 1.7 * 1000))
    assert found.unit_scale * 31000 == pytest.approx(1.7, rel=0.05)
    assert any("--unit" in w for w in found.warnings)


@pytest.mark.parametrize(("unit", "scale"), [("in", 0.0254), (0.037, 0.037)])
def test_what_the_user_states_holds(unit, scale):
    found = infer_hierarchy(walk(1.0), unit=unit)
    assert found.unit_scale == scale
    inference = next(i for i in found.inferred if i.what == "unit")
    assert (inference.confidence, inference.evidence) == (1.0, "stated by the user")


def test_what_the_file_states_holds():
    found = infer_hierarchy(replace(walk(1.0), unit="mm", up="+z"))
    assert found.unit == "mm"
    np.testing.assert_array_equal(found.up, [0, 0, 1])


def test_a_chain_is_read_with_a_guess():
    rows = [("a", "", (0, 0, 0)), ("b", "a", (0, 40, 0)), ("c", "b", (0, 30, 0))]
    found = infer_hierarchy(recording(rows, [], np.zeros((3, 10)), {}, 60.0))
    assert found.unit == "cm"
    assert not found.anatomy.human
    assert any("unit is a guess" in w for w in found.warnings)


def test_no_finite_frame_leaves_the_rest_pose_to_look_at():
    clip = walk(1.0)
    nothing = np.full_like(clip.hierarchy.values, np.nan)
    found = infer_hierarchy(replace(clip, hierarchy=replace(clip.hierarchy, values=nothing)))
    assert found.unit == "m"
    assert found.anatomy.human
