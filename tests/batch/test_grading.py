"""Grades follow the worst figure, and say why."""

import pytest

from mocap_reroot.batch.grading import grade

GOOD = {
    "cop_outside_foot_mm": 5.0,
    "flight_gravity_error": None,
    "foot_skate_mm_s": 20.0,
    "peak_vertical_force_bw": 1.2,
    "residual_force_n": {"peak": 10.0, "rms": 3.0},
    "joint_moment_nm_kg": {"ankle": 1.6, "knee": 0.9, "hip": 1.0},
    "analysed_fraction": 0.98,
    "root_invariance_nm": 1e-11,
}


def summary(**quality):
    return {"mass": 70.0, "quality": GOOD | quality}


@pytest.mark.parametrize(
    ("quality", "letter", "words"),
    [
        ({}, "A", ""),
        ({"cop_outside_foot_mm": 60.0}, "B", "60 mm"),
        ({"foot_skate_mm_s": 300.0}, "C", "300 mm/s"),
        ({"foot_skate_mm_s": 900.0}, "D", "900 mm/s"),
        ({"flight_gravity_error": 1.0}, "D", "free fall by 100%"),
        ({"joint_moment_nm_kg": {"ankle": 7.0}}, "C", "an ankle bears 7.0"),
        ({"residual_force_n": {"rms": 70.0}}, "B", "10% of body weight"),
        ({"analysed_fraction": 0.1}, "C", "90% of the frames"),
    ],
)
def test_the_worst_figure_decides(quality, letter, words):
    found, reasons = grade(summary(**quality))
    assert found == letter
    assert words in "; ".join(reasons)
    assert len(reasons) == (1 if words else 0)


def test_two_doubtful_figures_are_not_physics():
    found, reasons = grade(summary(foot_skate_mm_s=300.0, cop_outside_foot_mm=200.0))
    assert found == "D"
    assert len(reasons) == 2


def test_what_cannot_be_judged_is_not_called_good():
    unknown = dict.fromkeys(("cop_outside_foot_mm", "flight_gravity_error", "foot_skate_mm_s"))
    found, reasons = grade(summary(**unknown))
    assert found == "D"
    assert "no contacts" in reasons[0]


def test_flight_is_judged_once():
    found, _ = grade(summary(flight_gravity_error=0.1, residual_force_n={"rms": 200.0}))
    assert found == "A"
