"""The generated movements obey Newton and lie within published ranges."""

import numpy as np
import pytest

import mocap_reroot as mr
from sample_data import drop_jump, generate
from sample_data import gait_model as model
from sample_data.balance import needs, truth, whole
from sample_data.fit import SAMPLES, curves
from sample_data.gait import SIDES, stance_place, stored
from sample_data.norms import RANGES, peak

WEIGHT = 70 * 9.80665
MASSES = generate.person()
PHASE = np.arange(SAMPLES) / SAMPLES


@pytest.mark.parametrize("name", RANGES)
def test_peaks_lie_within_published_ranges(name):
    gait = stored(name)
    found = curves(gait, MASSES, PHASE * gait.period).values
    outside = {
        (r.curve, r.extreme, r.between): peak(r, PHASE, found[r.curve])
        for r in RANGES[name]
        if not r.low <= peak(r, PHASE, found[r.curve]) <= r.high
    }
    assert outside == {}


@pytest.mark.parametrize("name", ["run"])
def test_nothing_pushes_in_flight(name):
    gait = stored(name)
    time = PHASE * gait.period
    need = needs(gait, MASSES, time)
    force, moment = whole(need)
    com = np.einsum("n,nfi->fi", MASSES.mass, need.centre) / MASSES.mass.sum()
    flight = np.all([stance_place(gait, time, sign)[0] > gait.duty for _, sign in SIDES], axis=0)
    assert flight.sum() > 40
    assert np.abs(force[flight]).max() < 1e-3 * WEIGHT
    assert np.abs((moment - np.cross(com, force))[flight]).max() < 0.5  # N m


@pytest.mark.parametrize("name", ["walk", "run", "squat"])
def test_feet_stand_still_and_press_on_the_ground_under_them(name):
    gait = stored(name)
    time = PHASE * gait.period
    true = truth(gait, MASSES, time)
    for k, (side, sign) in enumerate(SIDES):
        phase, base, _ = stance_place(gait, time, sign)
        foot, toes = (model.NAMES.index(f"{side}{part}") for part in ("Foot", "ToeBase"))
        heel = true.position[foot] + model.apply(true.rotation[foot], model.HEEL)
        flat = (phase > gait.flat[0]) & (phase < gait.flat[1])
        ball_down = (phase > gait.flat[0]) & (phase < gait.leaving)
        assert np.abs(heel[flat, 1]).max() < 1e-9
        still = true.position[toes] - base
        assert np.ptp(still[ball_down], axis=0).max() < 1e-9
        for body, low in ((foot, model.HEEL), (toes, (0, -0.015, 0.07))):
            tip = true.position[body] + model.apply(true.rotation[body], np.array(low))
            assert tip[:, 1].min() > -2e-3  # m
        firm = true.force[k, :, 1] > 0.1 * WEIGHT
        ahead = (true.pressure[k] - base)[firm]
        assert ahead[:, 2].min() > model.HEEL[2] - 0.01
        assert ahead[:, 2].max() < model.TOE_JOINT[2] + 0.07
        assert np.abs(ahead[:, 0]).max() < 0.045


@pytest.mark.parametrize("name", ["squat", "drop_jump"])
def test_movements_on_both_feet_are_estimated_as_what_they_are(name, tmp_path):
    """The whole force and, from side to side alike, sagittal moments and where feet press."""
    path = tmp_path / f"{name}.bvh"
    true = generate.make(name, path, 120.0)
    found = mr.analyze(path, mass=70.0, height=1.75, cutoff=25.0, ground="filtered", report=False)
    inner = slice(24, -24)
    sums = [
        sum(
            table[[f"{foot}_f{a}" for a in "xyz"]].fillna(0).to_numpy()
            for foot in ("LeftFoot", "RightFoot")
        )
        for table in (found.grf, true)
    ]
    assert np.sqrt(((sums[0] - sums[1])[inner] ** 2).mean()) < 0.02 * WEIGHT
    firm = np.array(true["LeftFoot_fy"] > 0.2 * WEIGHT)
    firm[:24] = firm[-24:] = False
    assert firm.sum() > 30
    for foot in ("LeftFoot", "RightFoot"):
        gap = (found.grf[f"{foot}_pz"] - true[f"{foot}_pz"])[firm]
        assert np.nanmax(np.abs(gap)) < 0.01  # m
        for joint in ("UpLeg", "Leg", "Foot"):
            column = f"{foot[:-4]}{joint}_mx"
            off = (found.torques[column] - true[column])[firm].to_numpy()
            assert np.sqrt((off**2).mean()) < 0.05 * true[column].abs().max()


@pytest.fixture(scope="module")
def jump():
    return drop_jump.moving_under(drop_jump.push(), MASSES)


def test_a_drop_jump_needs_the_forces_that_were_chosen(jump):
    """Sums over bodies find the pulses that the jump was made from, and no turning."""
    time = np.arange(0, drop_jump.SECONDS, 0.01)
    need = needs(jump, MASSES, time)
    force, moment = whole(need)
    com = np.einsum("n,nfi->fi", MASSES.mass, need.centre) / 70
    assert np.abs(force[:, 1:] - 70 * drop_jump.push().force(time)).max() < 0.01  # N
    assert np.abs(moment - np.cross(com, force)).max() < 2.0  # N m
    assert 3 < force[:, 1].max() / WEIGHT < 5
    assert np.abs(force[~drop_jump.standing(time)]).max() < 0.01


def test_feet_of_a_drop_jump_stand_still_and_bear_on_their_soles(jump):
    time = np.arange(0, drop_jump.SECONDS, 0.01)
    true = truth(jump, MASSES, time, drop_jump.DropJump.feet)
    stances = (time > 0.31) & (time < 0.59), time > drop_jump.AGAIN + 0.01
    for side in ("Left", "Right"):
        foot, toes = (model.NAMES.index(f"{side}{part}") for part in ("Foot", "ToeBase"))
        for body, low in ((foot, model.HEEL), (toes, (0, -0.015, 0)), (toes, (0, -0.015, 0.07))):
            tip = true.position[body] + model.apply(true.rotation[body], np.array(low))
            assert tip[:, 1].min() > -1e-9
        for stance in stances:
            assert np.ptp(true.position[toes][stance], axis=0).max() < 1e-9
            ahead = (true.pressure[0] - true.position[toes])[stance, 2]
            firm = true.force[0, stance, 1] > 0.05 * WEIGHT
            assert ahead[firm].min() > model.HEEL[2] - model.TOE_JOINT[2]
            assert ahead[firm].max() < 0.07


def test_a_drop_jump_is_estimated_within_what_smoothing_costs(tmp_path):
    """As users run it, whole force and landings; smoothing spreads the impact."""
    path = tmp_path / "jump.bvh"
    true = generate.make("drop_jump", path, 120.0)
    found = mr.analyze(path, mass=70.0, height=1.75, report=False)
    up = [
        table[["LeftFoot_fy", "RightFoot_fy"]].fillna(0).sum(axis=1).to_numpy()
        for table in (found.grf, true)
    ]
    assert np.sqrt(((up[0] - up[1])[24:-24] ** 2).mean()) < 0.15 * WEIGHT
    changes = [np.flatnonzero(np.diff((f > 20).astype(int))) for f in up]
    assert len(changes[0]) == len(changes[1]) == 3
    assert np.abs(changes[0] - changes[1]).max() <= 4  # frames, 33 ms
