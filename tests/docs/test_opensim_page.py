"""From OpenSim to here and back, as docs/coming-from.md does it: the numbers survive."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mocap_reroot as mr
from mocap_reroot.importers.mot import read_storage
from tests.docs.test_pages import ROOT, blocks

INTO, BACK = (b for b in blocks(ROOT / "docs" / "coming-from.md", "python") if "_opensim" in b)


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_markers_and_forces_of_opensim_give_the_moments_of_the_c3d(workplace) -> None:
    there: dict = {"__name__": "page"}
    exec(compile(INTO, "coming-from.md", "exec"), there)
    direct = mr.analyze("sample_data/walk.c3d").anatomy
    for joint in ("hip", "knee"):
        ours = direct[f"right_{joint}_flexion_moment"].to_numpy()[10:-10]
        found = there["moments"][f"right_{joint}_flexion_moment"].to_numpy()[10:-10]
        assert np.corrcoef(ours, found)[0, 1] > 0.99, joint
        assert np.abs(ours - found).max() < 0.2 * np.ptp(ours), joint  # one frame at a strike


def test_opensim_finds_the_moments_of_a_bvh(workplace) -> None:
    exec(compile(BACK, "coming-from.md", "exec"), {"__name__": "page"})
    found = read_storage(workplace / "inverse_dynamics.sto")
    ours = pd.read_parquet("to_opensim/torques.parquet")
    knee = ours["LeftLeg_mx"].to_numpy()  # a hinge in this walk: about x alone
    apart = found["leftleg_rx_moment"].to_numpy() - knee
    assert len(found) == len(ours) and np.abs(apart[10:-10]).max() < 0.02 * np.ptp(knee)
