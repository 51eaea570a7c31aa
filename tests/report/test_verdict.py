"""The verdict follows the worst figure, and says why."""

import pytest

from mocap_reroot.report.verdict import judge

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
        ({"joint_moment_nm_kg": {"ankle": 7.0}}, "B", "an ankle bears 7.0"),  # a peak
        ({"joint_moment_nm_kg": {"ankle": 4.0}}, "B", "an ankle bears 4.0"),
        ({"joint_moment_nm_kg": {"knee": 40.0}}, "C", "a knee bears 40.0"),
        ({"unexplained": 0.6}, "D", "60% of the frames need"),
        ({"size_beyond": 2.0}, "D", "2 times beyond"),
        ({"residual_force_n": {"rms": 70.0}}, "B", "10% of body weight"),
        ({"analysed_fraction": 0.1}, "B", "90% of the frames"),
    ],
)
def test_the_worst_figure_decides(quality, letter, words):
    verdict = judge(summary(**quality))
    reasons = verdict.reasons
    assert verdict.grade == letter
    assert words in "; ".join(reasons)
    assert len(reasons) == (1 if words else 0)


def test_two_doubtful_figures_are_not_physics():
    verdict = judge(summary(foot_skate_mm_s=300.0, cop_outside_foot_mm=200.0))
    assert verdict.grade == "D"
    assert len(verdict.reasons) == 2


def test_what_cannot_be_judged_is_not_called_good():
    unknown = dict.fromkeys(("cop_outside_foot_mm", "flight_gravity_error", "foot_skate_mm_s"))
    verdict = judge(summary(**unknown))
    assert verdict.grade == "–" and verdict.light == "unknown"
    assert "no contacts" in verdict.reasons[0]


def test_flight_is_judged_once():
    verdict = judge(summary(flight_gravity_error=0.1, residual_force_n={"rms": 200.0}))
    assert verdict.grade == "A"


@pytest.mark.parametrize(
    ("skate", "light"), [(10.0, "good"), (100.0, "fair"), (400.1, "poor"), (None, "unknown")]
)
def test_lights_have_the_limits_of_the_grade(skate, light):
    found = judge(summary(foot_skate_mm_s=skate)).lights
    mine = next(f for f in found if f.key == "foot_skate_mm_s")
    assert mine.light == light
    assert bool(mine.todo) == (light != "good")


def test_the_sentence_names_what_is_wrong():
    verdict = judge(summary(foot_skate_mm_s=500.0))
    assert verdict.sentence == "D, not physics: stance feet skate at 500 mm/s."
    assert judge(summary()).sentence == "A, plausible."


def test_plates_are_shown_and_not_graded():
    plates = {"all": {"vertical": {"rrmse_percent": 90.0}}}
    verdict = judge(summary(plates=plates))
    assert verdict.grade == "A"
    assert any(f.key.startswith("plates.") and f.light == "poor" for f in verdict.lights)
