"""What the player draws beside the body: steps of stairs, and marks of repairs."""

from dataclasses import replace

import numpy as np
import pandas as pd

from mocap_reroot.report.clip_tables import read_clip
from mocap_reroot.report.payload import _planes, _repairs
from tests.report import folders


def stood_on(heights):
    """A clip whose left foot presses on steps of these heights, 0.3 m apart along x, y up."""
    clip = read_clip(folders.walk())
    grf = clip["grf"].copy()
    step = np.minimum(np.arange(len(grf)) * len(heights) // len(grf), len(heights) - 1)
    for foot in clip.feet:
        for axis in "xyz":
            grf[f"{foot}_p{axis}"] = np.nan
    grf["LeftFoot_px"], grf["LeftFoot_pz"] = 0.3 * step, 0.0
    grf["LeftFoot_py"] = np.array(heights)[step]
    ground = [{"point": [0.0, h, 0.0], "normal": [0.0, 1.0, 0.0]} for h in heights]
    return replace(
        clip, tables={**clip.tables, "grf": grf}, summary={**clip.summary, "ground": ground}
    )


def test_every_step_is_drawn_around_where_it_is_stood_on():
    heights = [0.0, 0.17, 0.34, 0.51]
    first, *steps = _planes(stood_on(heights))
    assert "corners" not in first
    found = {
        round(corners[0][1], 6): np.array(corners) for corners in (s["corners"] for s in steps)
    }
    assert sorted([round(first["point"][1], 6), *found]) == heights
    for height, corners in found.items():
        assert np.allclose(corners[:, 1], height)
        middle = corners.mean(axis=0)
        assert np.allclose(middle[[0, 2]], [0.3 * heights.index(height), 0.0], atol=1e-9)
        assert np.allclose(np.linalg.norm(np.diff(corners, axis=0), axis=1), 0.4)


def test_level_ground_is_one_plane():
    assert len(_planes(read_clip(folders.walk()))) == 1


def test_repairs_that_name_frames_are_marked():
    clip = read_clip(folders.walk())
    words = ["A gap at frames 10–19, 30 was filled.", "Frame 7: lost.", "Nothing said about when."]
    found = _repairs(replace(clip, summary={**clip.summary, "repairs": words}))
    spans = [(round(r["start"] * clip.fps), round(r["stop"] * clip.fps)) for r in found]
    assert spans == [(10, 20), (30, 31), (7, 8)]
    assert pd.Series([r["words"] for r in found]).isin(words).all()
