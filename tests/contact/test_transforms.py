"""Who stands when does not depend on mirrors, directions, sizes, rates or where a clip is cut."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.reading import read
from mocap_reroot.signals.cleaning import clean
from mocap_reroot.types import Contacts, Motion
from tests.contact.transforms import backwards, mirrored, resampled, resized, turned

CLIPS = {
    "walk": "bvh/cmu/02_01.bvh",
    "run": "bvh/cmu/09_01.bvh",
    "hops": "bvh/cmu/49_02.bvh",
    "turn": "c3d/plug_in_gait/HC030A/HC030A22.c3d",
    "zombie": "bvh/animateddrawings/zombie.bvh",
}
_SAME, _ENDS = 0.15, 0.1
"""s, edges farther apart than this are not the same event; so near a clip's ends few are sure."""


@pytest.fixture(scope="module", params=CLIPS)
def clip(request, shared_data) -> tuple[str, Motion, np.ndarray]:
    """A clip without the frames left out at its ends, and ``(l, F)`` which foot is on."""
    motion = replace(clean(read(shared_data / CLIPS[request.param])), plates=None)
    used = np.flatnonzero(motion.analysed)
    motion = motion.cut(int(used[0]), int(used[-1]) + 1)
    return request.param, motion, feet_on(detect_contacts(motion))


def feet_on(contacts: Contacts) -> np.ndarray:
    feet = [foot for foot in contacts.feet if foot not in contacts.others]
    return np.array([contacts.foot_touching(foot) for foot in feet])


def shifts(here: np.ndarray, there: np.ndarray, fps: float) -> tuple[int, np.ndarray]:
    """Return how many events have no fellow, and how far the others are from theirs, s."""
    missed, found = 0, []
    for a, b in zip(here, there, strict=True):
        for sign in (1, -1):
            mine, theirs = (np.flatnonzero(np.diff(x.astype(int)) == sign) for x in (a, b))
            for x, y in ((mine, theirs), (theirs, mine)):
                inner = x[(x > _ENDS * fps) & (x < len(a) - _ENDS * fps)]
                near = [np.abs(y - e).min(initial=10**6) / fps for e in inner]
                missed += sum(d > _SAME for d in near)
                found += [d for d in near if d <= _SAME]
    return missed, np.array(found)


def test_mirrors(clip):
    _, motion, on = clip
    assert (feet_on(detect_contacts(mirrored(motion))) == on).all()


def test_directions_and_floors(clip):
    _, motion, on = clip
    there = feet_on(detect_contacts(turned(motion, 1.0, np.array([3.0, -2.0, 5.0]))))
    assert (there == on).mean() > 0.99
    assert shifts(on, there, motion.fps)[0] == 0


def test_sizes(clip):
    _, motion, on = clip
    there = feet_on(detect_contacts(resized(motion, 0.7)))
    assert (there == on).mean() > 0.99
    assert shifts(on, there, motion.fps)[0] == 0


def test_time_reversed(clip):
    """A strike seen backwards is an off: the two are placed by different signs."""
    _, motion, on = clip
    there = feet_on(detect_contacts(backwards(motion)))[:, ::-1]
    missed, off_by = shifts(on, there, motion.fps)
    assert missed == 0
    assert np.median(off_by) <= max(0.025, 1 / motion.fps) + 1e-9
    assert (there == on).mean() > 0.93


@pytest.mark.parametrize("fps", [30.0, 60.0])
def test_rates(clip, fps):
    _, motion, on = clip
    if motion.fps < 1.3 * fps:
        pytest.skip("the clip has that rate already")
    there = feet_on(detect_contacts(resampled(motion, fps)))
    rows = np.round(np.arange(there.shape[1]) * motion.fps / fps).astype(int)
    here = on[:, np.minimum(rows, on.shape[1] - 1)]
    missed, off_by = shifts(here, there, fps)
    assert missed == 0
    assert np.median(off_by) <= 1 / fps + 1e-9
    assert (there == here).mean() > 0.95


def test_cuts(clip):
    name, motion, on = clip
    if motion.n_frames < 2 * motion.fps:
        pytest.skip("too short to cut")
    half = motion.n_frames // 2
    pieces = [motion.cut(0, half), motion.cut(half, motion.n_frames)]
    there = np.concatenate([feet_on(detect_contacts(piece)) for piece in pieces], axis=1)
    assert (there == on).mean() > 0.99, name
