"""Faure's scenes have his sizes, are assembled, and tell what they cost."""

import numpy as np
import pandas as pd
import pytest

from mocap_reroot.mechanics.displacement import assemble
from mocap_reroot.papers import assembly_scenes, scenes


def test_scenes_have_the_papers_sizes():
    assert scenes.hand_in_hand().solids.n_constraints == 758
    hand = scenes.fingers().solids
    assert hand.n_solids - hand.led.sum() == 56
    assert hand.n_constraints - 3 == 261  # without what the tracker holds
    plate = scenes.plate().solids
    assert (plate.n_solids, plate.n_constraints) == (28, 108)


@pytest.mark.parametrize("build", [scenes.fingers, scenes.plate, scenes.chain_in_space])
def test_scenes_that_start_assembled_do(build):
    scene = build()
    assert np.abs(scene.solids.errors(scene.position, scene.orientation)).max() < 1e-12


def test_758_constraints_are_assembled():
    scene = scenes.hand_in_hand()
    start = np.abs(scene.solids.errors(scene.position, scene.orientation)).max()
    assert start > 0.3
    found = assemble(scene.solids, scene.position, scene.orientation, precision=1e-6)
    assert found.precise, found.message
    again = scene.solids.errors(found.position, found.orientation)
    assert np.abs(again).max() < 1e-6
    # hands that were bound are in one place, by the sticks that the picture draws
    lines = scene.lines(found.position, found.orientation)
    left, right = lines[5, 1], lines[15 + 11, 1]  # left hand of the first, right of the second
    assert np.abs(left - right).max() < 1e-6


def test_six_iterations_of_thirty_look_right():
    scene = scenes.hand_in_hand()
    limits = {"iterations": 6, "linear_iterations": 30}
    found = assemble(scene.solids, scene.position, scene.orientation, **limits)
    assert found.history["linear_iterations"].max() == 30
    assert found.history["error_m"].iloc[-1] < 2e-3


def test_accuracy_is_traded_for_speed():
    table, _ = assembly_scenes.tradeoff(scenes.fingers(), frames=20)
    error = table.set_index("iterations")["error_moving_m"]
    assert error["2 × 5"] < 0.03
    assert error["3 × 50"] < 1e-4
    assert error["1 × 5"] > error["2 × 5"] > error["2 × 15"] > error["3 × 50"]
    assert (table["error_at_rest_m"] < 1e-6).all()  # precision is recovered when the drag stops


def test_large_and_varying_steps_stay_together():
    path, _ = assembly_scenes.shaking(scenes.plate(), seconds=2.0)
    assert path["dt"].max() > 1.2 * path["dt"].min()
    assert path["error_m"].median() < 0.02
    assert -1.0 < path["lowest_z"].min() < -0.3  # it hangs below its plate


def test_particle_stays_on_the_circle():
    path = assembly_scenes.particle_on_circle()
    assert np.abs(path["x"] ** 2 + path["y"] ** 2 - 1).max() < 1e-14
    by = path.groupby("directions")["speed"]
    assert np.ptp(by.get_group("start")) < 1e-13
    assert (np.diff(by.get_group("end")) < 0).all()


def test_momentum_table():
    table = assembly_scenes.momentum(scenes.chain_in_space(), seconds=0.4)
    assert table["linear_momentum"].max() < 1e-12
    start = table[table["directions"] == "start"]
    assert start["angular_momentum"].max() < 1e-12
    orders = start["relative_energy"].to_numpy()
    assert orders[0] / orders[1] == pytest.approx(4, rel=0.2)


def test_files(tmp_path):
    result = assembly_scenes.run(tmp_path, figures=3, seconds=0.5)
    for name, table in result.tables.items():
        assert len(pd.read_csv(tmp_path / f"{name}.csv")) == len(table)
    for name in ("figure2", "figure3", "figure4", "figure5", "figure6", "convergence"):
        assert (tmp_path / f"{name}.svg").stat().st_size > 1000
    assert "<svg" in (tmp_path / "index.html").read_text(encoding="utf-8")
