"""Joints that a solver lost: found by their leaps, turned back or rebuilt, and nobody else's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.signals.cleaning import clean
from mocap_reroot.types import Motion
from tests.contact.walkers import regular_steps, walk
from tests.signals.waves import multiply


@pytest.fixture(scope="module")
def sound() -> Motion:
    return walk(regular_steps(4.0), 120.0, 4.0)


def rolled(motion: Motion, body: str, frames: slice) -> Motion:
    """Return a motion in which a body lies on its back: half a turn about its own length."""
    k, q = motion.skeleton.index(body), np.array(motion.rotation)
    child = motion.skeleton.children[k][0]
    axis = motion.skeleton.offset[child] / np.linalg.norm(motion.skeleton.offset[child])
    half = np.broadcast_to(np.array([0.0, *axis])[:, None], q[k][:, frames].shape)
    q[k][:, frames] = multiply(q[k][None, :, frames], half[None])[0]
    return replace(motion, rotation=q)


def apart(a: Motion, b: Motion, body: str) -> np.ndarray:
    """Return ``(F)`` degrees between the rotations of a body in two motions."""
    k = a.skeleton.index(body)
    dot = np.abs((a.rotation[k] * b.rotation[k]).sum(axis=0))
    return np.degrees(2 * np.arccos(np.clip(dot, 0, 1)))


@pytest.mark.parametrize("lost", [slice(60, 480), slice(0, 300), slice(0, 480), slice(200, 260)])
def test_a_foot_on_its_back_is_turned_back(sound: Motion, lost: slice) -> None:
    """For most of the clip, or all of it: then the other foot tells."""
    cleaned = clean(rolled(sound, "left_foot", lost))
    off = apart(cleaned, sound, "left_foot")
    assert np.quantile(off, 0.9) < 1.5 and off.max() < 10  # by as much as the foot turns in a frame
    assert off[: lost.start].max(initial=0.0) < 1e-5
    assert (apart(cleaned, sound, "right_foot") < 1e-5).all()
    rebuilt = cleaned.flag_words == "rebuilt"
    assert rebuilt[lost].all() and rebuilt.sum() == lost.stop - lost.start
    (repair,) = (text for text in cleaned.source.repairs if text.startswith("left_foot"))
    assert f"in {lost.stop - lost.start} of 480 frames" in repair and "turned back" in repair


def test_what_no_half_turn_brings_back_is_bridged(sound: Motion) -> None:
    k, q = sound.skeleton.index("right_foot"), np.array(sound.rotation)
    rng = np.random.default_rng(3)
    q[k, :, 150:162] = rng.standard_normal((4, 12))
    q[k] /= np.linalg.norm(q[k], axis=0)
    cleaned = clean(replace(sound, rotation=q))
    off = apart(cleaned, sound, "right_foot")
    assert off[:150].max() < 1e-5 and off[162:].max() < 1e-5
    assert off.max() < 15
    assert set(np.flatnonzero(cleaned.flag_words == "rebuilt")) == set(range(150, 162))


def test_a_lost_foot_that_stands_is_laid_on_the_ground(sound: Motion) -> None:
    """Lost for a whole stance, by a turn that no half turn undoes."""
    k, q = sound.skeleton.index("left_foot"), np.array(sound.rotation)
    skew = np.tile(np.array([0.5, 0.5, 0.5, 0.5])[:, None], (1, 100))
    q[k, :, 130:230] = multiply(q[k][None, :, 130:230], skew[None])[0]
    cleaned = clean(replace(sound, rotation=q))
    world, truth = mr.forward(cleaned), mr.forward(sound)
    standing = truth.position[k][2] < 0.0805  # m, of the ankle: flat
    standing[:130], standing[230:] = False, False
    ups = [np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)])
           for w, x, y, z in (world.orientation[k], truth.orientation[k])]  # fmt: skip
    tilt = np.degrees(np.arccos(np.clip((ups[0] * ups[1]).sum(axis=0), -1, 1)))
    assert standing.sum() > 20 and tilt[standing].max() < 5


def test_sound_motion_is_left_alone(sound: Motion) -> None:
    assert clean(sound) is sound


CARTWHEELS = "bvh/cmu_dynamic/87_05.bvh"


def test_the_feet_of_the_cartwheels_are_rebuilt(shared_data) -> None:
    analysis = mr.analyze(shared_data / CARTWHEELS)
    assert any(r.startswith("LeftFoot is turned") for r in analysis.summary["repairs"])
    for side in ("left", "right"):
        angle = analysis.anatomy[f"{side}_ankle_dorsiflexion_deg"].dropna()
        assert angle.abs().max() < 60
    stances = analysis.events.query("foot == 'LeftFoot' and event == 'strike'")
    assert len(stances) >= 5  # one a cartwheel


def test_as_the_file_has_it(shared_data) -> None:
    motion = mr.read(shared_data / CARTWHEELS, clean=False)
    assert not motion.source.repairs and not motion.flags.any()


REPAIRED = {"49_02", "139_19", "38_03", "49_05", "85_07", "85_15", "87_05"}
"""Clips of the CMU library whose thumbs, fingers, toes or feet leap by half a turn."""


def test_no_sound_clip_is_repaired(shared_data) -> None:
    found = set()
    for path in sorted((shared_data / "bvh").rglob("*.bvh")):
        try:
            motion = mr.read(path)
        except mr.MocapRerootError:
            continue
        if any("joint's reach" in repair for repair in motion.source.repairs):
            found.add(path.stem)
    assert found == REPAIRED
