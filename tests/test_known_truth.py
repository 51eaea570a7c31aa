"""Clips of which everything is known: forces, pressure, torques; mirrors, units, axes, rates."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mocap_reroot as mr
from benchmarks.known_truth import FEET, at_rate, generated, judged, spoiled, told
from mocap_reroot.parameters import GroundParameters

SAMPLES = Path(__file__).resolve().parents[1] / "sample_data"
WEIGHT = 70 * 9.80665


@pytest.fixture(scope="module")
def walk():
    return generated("walk", 120.0)


@pytest.fixture(scope="module")
def run():
    return generated("run", 240.0)


@pytest.mark.parametrize("rate", [120.0, 240.0])
def test_a_run_without_noise_is_estimated_as_what_it_is(run, rate):
    found = judged(at_rate(run, rate), told(0.0, rate))
    # %: the problem's forces are straight lines between nodes, a foot's at landing is not.
    assert found["whole"] < 1.7 and found["single"] < 1.7
    assert found["torques"] < 0.01 * found["largest"]
    assert found["pressure"] < 3


def test_a_walk_without_noise_is_estimated_as_what_it_is(walk):
    found = judged(walk, told(0.0, 120.0))
    assert found["whole"] < 1
    assert found["single"] < 1.1  # frames beside double support, whose sharing is nobody's to know
    assert found["torques"] < 0.03 * found["largest"]
    assert found["pressure"] < 3


def test_noise_costs_little(walk, run):
    """Of 1 mm a tenth of what a second derivative makes of it (100 % of weight at 120 Hz)."""
    for clip in (walk, at_rate(run, 120.0)):
        assert judged(spoiled(clip, 1e-3), told(1e-3, 120.0))["whole"] < 4


def _forces(motion, **options):
    body = mr.body_model(motion, mass=70.0, height=1.75)
    contacts = mr.detect_contacts(motion, body)
    grf = mr.estimate_ground(motion, body, contacts, GroundParameters(), **options)
    names = [motion.skeleton.names[foot] for foot in grf.contacts.feet]
    return {n: grf.loads.force[k] for k, n in enumerate(names)}


def test_a_mirrored_clip_gives_mirrored_forces(walk):
    motion = walk.motion
    names = list(motion.skeleton.names)
    other = [
        names.index(n.replace("Left", "?").replace("Right", "Left").replace("?", "Right"))
        for n in names
    ]
    turned = np.array(motion.rotation)[other] * np.array([1, 1, -1, -1])[:, None]
    moved = np.array(motion.displacement) * np.array([-1, 1, 1])[:, None]
    mirrored = _forces(replace(motion, rotation=turned, displacement=moved))
    as_it_is = _forces(motion)
    for foot, opposite in (FEET, FEET[::-1]):
        back = mirrored[foot] * np.array([[-1.0], [1.0], [1.0]])
        assert np.abs(back - as_it_is[opposite]).max() < 1e-3 * WEIGHT


def test_units_do_not_matter(tmp_path):
    text = (SAMPLES / "walk.bvh").read_text()
    path = tmp_path / "walk.bvh"
    path.write_text(text)
    found = _forces(mr.read(path))
    same = _forces(mr.read(_in_metres(text, tmp_path / "metres.bvh"), unit="m"))
    for foot in FEET:
        assert np.abs(found[foot] - same[foot]).max() < 1e-3 * WEIGHT


def _in_metres(text, path):
    lines, moving = [], False
    for line in text.splitlines():
        words = line.split()
        if words and words[0] == "OFFSET":
            line = "OFFSET " + " ".join(f"{float(w) / 100:.10f}" for w in words[1:])
        elif moving and words:
            line = " ".join([*(f"{float(w) / 100:.10f}" for w in words[:3]), *words[3:]])
        moving |= line.startswith("Frame Time")
        lines.append(line)
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("clip", ["walk", "run"])
def test_rates_from_60_hz_tell_the_same(clip, walk, run):
    fast = generated("walk", 240.0) if clip == "walk" else run
    whole = {r: _forces(at_rate(fast, r).motion) for r in (60.0, 120.0, 240.0)}
    for rate in (60.0, 120.0):
        step = round(240 / rate)
        for foot in FEET:
            off = whole[rate][foot] - whole[240.0][foot][:, ::step]
            assert 100 * np.sqrt(np.mean(off**2)) / WEIGHT < 5
