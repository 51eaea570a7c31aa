"""Runs of frames, and where states change."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mocap_reroot.numerics.frames import changes, runs


def test_runs_by_hand():
    mask = np.array([1, 1, 0, 1, 0, 0, 1], bool)
    assert runs(mask) == [(0, 2), (3, 4), (6, 7)]
    assert runs(~mask) == [(2, 3), (4, 6)]
    assert runs(np.zeros(0, bool)) == []


@given(st.lists(st.booleans(), max_size=30))
def test_runs_and_their_complement_tile_the_frames(values):
    mask = np.array(values, bool)
    tiles = sorted(runs(mask) + runs(~mask))
    assert [frame for start, stop in tiles for frame in range(start, stop)] == [*range(len(mask))]
    assert all(mask[start:stop].all() for start, stop in runs(mask))


def test_changes_are_those_of_any_row():
    states = np.array([[1, 1, 2, 2, 2], [0, 0, 0, 0, 5]])
    assert changes(states) == [0, 2, 4, 5]
    assert changes(states[:, :0]) == [0]
