"""Undoing the spline that markers were smoothed with before they were stored."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import signal

from mocap_reroot.importers.c3d import read_c3d
from mocap_reroot.signals.smoothing import smooth
from mocap_reroot.skeletons.from_markers import markers_motion
from mocap_reroot.skeletons.unsmoothing import (
    VARIANCE,
    agreement,
    find_spline,
    removed_by,
    spline_loss,
)
from mocap_reroot.skeletons.vectors import bridged_points

FPS, FRAMES = 100.0, 250
PARTS = {
    "pelvis": [0, 1, 2], "trunk": [3, 4, 5], "others": [6], "legs": [7, 8], "foot": [9, 10, 11, 12],
}  # fmt: skip
UPPER = slice(0, 7)
TRIALS = ("HC030A/HC030A05", "HC032A/HC032A18", "HC038A/HC038A27", "HC044A/HC044A15")


def walker(noise: float = 3e-5) -> np.ndarray:
    """Return ``(13, 3, F)`` m: feet stand and swing, and every strike shakes the upper body."""
    rng = np.random.default_rng(5)
    time = np.arange(FRAMES) / FPS
    feet = []
    for phase in (0.0, 0.5):
        part = (time + phase) % 1.0
        swing = np.clip((part - 0.6) / 0.4, 0, 1)
        gone = np.sin(0.45 * np.pi * swing) ** 2 / np.sin(0.45 * np.pi) ** 2  # stops by a blow
        ahead = 1.2 * ((time + phase) // 1.0 + gone)
        high = 0.06 * np.sin(np.pi * swing) ** 2 + 0.02 * swing * (1 - swing)
        feet.append(np.stack([ahead, np.full(FRAMES, 0.1 * (1 - 4 * phase)), high]))
    strikes = [t for t in np.arange(0.0, 3.0, 0.5) if t < time[-1]]
    since = np.stack([np.maximum(time - t, 0) for t in strikes])
    shock = (np.sin(2 * np.pi * 6 * since) * np.exp(-since / 0.08) * 2e-3).sum(axis=0)
    body = np.stack(
        [1.2 * time, 0.02 * np.sin(2 * np.pi * time), 0.9 + 0.02 * np.cos(4 * np.pi * time) + shock]
    )
    knees = [0.5 * (foot + body) for foot in feet]
    sites = rng.uniform(-0.1, 0.1, (13, 3))
    bodies = [body] * 7 + knees + [feet[0], feet[0], feet[1], feet[1]]
    markers = np.stack([at[:, None] + path for at, path in zip(sites, bodies, strict=True)])
    return markers + noise * rng.standard_normal(markers.shape)


def splined(markers: np.ndarray, variance: float = VARIANCE, cutoff: float = 0.0) -> np.ndarray:
    """Return markers smoothed by the spline of least expected error, or of one cut-off for all."""
    frames = markers.shape[2]
    third = np.diff(np.eye(frames), n=3, axis=0)
    s, modes = np.linalg.eigh(third.T @ third)
    s = np.maximum(s, 0)
    result = np.empty_like(markers)
    for m, marker in enumerate(markers):
        wave = modes.T @ marker.T
        weights = np.geomspace(1e-2, 1e8, 400)
        if cutoff:
            weights = np.array([(2 * np.sin(np.pi * cutoff / FPS)) ** -6])
        passed = 1 / (1 + weights[:, None] * s)
        risk = (((1 - passed)[:, :, None] * wave) ** 2).sum(axis=(1, 2))
        best = passed[np.argmin(risk + 6 * variance * passed.sum(axis=1))]
        result[m] = (modes @ (best[:, None] * wave)).T
    return np.asarray(result.astype(np.float32), float)  # as files store them


def undone(stored: np.ndarray) -> tuple[np.ndarray, float] | None:
    """Return markers with what they lost together, and the cut-off, Hz; None if nothing was."""
    lost = spline_loss(stored, FPS, **PARTS)
    if lost is None:
        return None
    result = stored.copy()
    result[list(lost.rows)] += bridged_points(lost.path, np.isfinite(lost.path).all(axis=0))
    return result, lost.cutoff


def accelerations(markers: np.ndarray) -> np.ndarray:
    """Return m/s² below 8 Hz, away from the ends."""
    sections = signal.butter(2, 8 / 0.802, fs=FPS, output="sos")
    smooth = signal.sosfiltfilt(sections, markers, axis=-1)
    return np.gradient(np.gradient(smooth, axis=-1), axis=-1)[..., 30:-30] * FPS**2


@pytest.mark.parametrize("times", [0.5, 1.0, 2.0])
def test_what_the_spline_took_comes_back(times: float) -> None:
    raw = walker()
    stored = splined(raw, times * VARIANCE)
    found = undone(stored)
    assert found is not None
    restored, cutoff = found
    assert 2.5 < cutoff < 6
    error = [
        np.sqrt(np.mean((accelerations(m) - accelerations(raw))[UPPER, 2] ** 2))
        for m in (stored, restored)
    ]
    assert error[1] < (0.5 if times == 1 else 0.7) * error[0], error
    np.testing.assert_array_equal(restored[7:], stored[7:])  # legs stay


def test_clips_that_were_smoothed_after_they_were_cut_fade_at_their_ends() -> None:
    whole = splined(walker()[:1])[0]
    spline = find_spline(whole, FPS)
    assert spline is not None
    lost = removed_by(spline, whole, FPS)
    np.testing.assert_array_equal(lost[:, -3:], 0)  # it ends in the midst of a blow
    cut = removed_by(spline, whole[:, 40:-40], FPS)
    assert np.abs(cut[:, [0, -1]]).max() > 1e-6
    inside = slice(20, -20)
    size = np.abs(lost).max()
    np.testing.assert_allclose(cut[:, inside], lost[:, 40:-40][:, inside], atol=0.05 * size)


def test_somebody_on_one_leg_is_read(shared_data) -> None:
    recording = read_c3d(shared_data / "c3d/plug_in_gait/HC038A/HC038A11.c3d")
    markers = recording.markers
    gone = ("LTHI", "LKNE", "LTIB", "LANK", "LHEE", "LTOE", "LD5M", "LHLX")
    rows = [row for row, label in enumerate(markers.labels) if label not in gone]
    fewer = replace(
        markers, labels=tuple(markers.labels[row] for row in rows), position=markers.position[rows]
    )
    one_leg = replace(recording, markers=fewer)

    motion = markers_motion(one_leg)
    assert "left_shank" not in motion.skeleton.names and "right_shank" in motion.skeleton.names


def test_the_cut_off_is_the_one_that_was_chosen() -> None:
    stored = splined(walker()[[0, 9]])
    third = np.diff(np.eye(FRAMES), n=3, axis=0)
    for marker, raw in zip(stored, walker()[[0, 9]], strict=True):
        spline = find_spline(marker, FPS)
        assert spline is not None
        back = marker.T + spline.weight * (third.T @ third @ marker.T)
        low = [signal.sosfiltfilt(signal.butter(2, 6, fs=FPS, output="sos"), x, axis=0)[20:-20]
               for x in (back, raw.T, marker.T)]  # fmt: skip
        assert np.sqrt(np.mean((low[0] - low[1]) ** 2)) < 0.35 * np.sqrt(
            np.mean((low[2] - low[1]) ** 2)
        )


@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("cutoff", [4.0, 6.0, 10.0])
def test_other_filters_are_left_alone(order: int, cutoff: float) -> None:
    sections = signal.butter(order, cutoff, fs=FPS, output="sos")
    stored = signal.sosfiltfilt(sections, walker(), axis=-1).astype(np.float32).astype(float)
    assert spline_loss(stored, FPS, **PARTS) is None


@pytest.mark.parametrize("noise", [0.0, 1e-5, 1e-4, 5e-4])
def test_markers_as_measured_are_left_alone(noise: float) -> None:
    assert spline_loss(walker(noise), FPS, **PARTS) is None


@pytest.mark.parametrize("cutoff", [6.0, 8.0, 12.0])
def test_a_spline_of_one_cut_off_for_all_is_left_alone(cutoff: float) -> None:
    assert spline_loss(splined(walker(), cutoff=cutoff), FPS, **PARTS) is None


def test_gaps_do_not_make_it_jump() -> None:
    stored = splined(walker())
    whole = undone(stored)
    broken = stored.copy()
    broken[1, :, 100:120] = broken[4, :, 30:34] = np.nan
    found = undone(broken)
    assert whole is not None and found is not None
    known = np.isfinite(found[0])
    assert np.array_equal(known, np.isfinite(broken))
    assert np.nanmax(np.abs(found[0] - whole[0])) < 2e-3
    added = (found[0] - broken)[0]
    assert np.abs(np.diff(added, axis=1)).max() < 1e-3


def test_short_or_partial_recordings_are_left_alone() -> None:
    stored = splined(walker())
    assert spline_loss(stored[:, :, :60], FPS, **PARTS) is None
    assert spline_loss(stored, FPS, **{**PARTS, "trunk": []}) is None
    assert spline_loss(stored, 50.0, **PARTS) is None
    assert spline_loss(np.full_like(stored, np.nan), FPS, **PARTS) is None
    assert spline_loss(np.repeat(stored[:, :, :1], FRAMES, axis=2), FPS, **PARTS) is None


def test_agreement_is_one_where_both_move_alike_and_none_where_not() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.standard_normal((2, 3, 20000))
    turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    other[0] = one[0]
    gain = agreement(turn @ one, turn @ other)
    np.testing.assert_allclose(gain, turn @ np.diag([1.0, 0, 0]) @ turn.T, atol=0.05)


def test_chance_is_no_agreement() -> None:
    """Of signals as slow as these, two seconds often agree by 0.3 without having to do anything."""
    rng = np.random.default_rng(2)
    sections = signal.butter(2, [3, 8], "bandpass", fs=FPS, output="sos")
    gains = []
    for _ in range(40):
        one, other = signal.sosfiltfilt(sections, rng.standard_normal((2, 3, FRAMES)), axis=-1)
        gains.append(np.trace(agreement(one, other)) / 3)
        np.testing.assert_allclose(agreement(one, one), np.eye(3), atol=1e-6)
    assert np.mean(gains) < 0.1


@pytest.mark.parametrize("trial", TRIALS)
def test_recorded_walks_say_that_they_were_smoothed(trial, shared_data) -> None:
    recording = read_c3d(shared_data / f"c3d/plug_in_gait/{trial}.c3d")
    motions = {way: markers_motion(recording, fitting=way) for way in ("auto", "stored")}
    said = {
        way: [i.value for i in m.source.inferred if i.what == "stored_smoothing_hz"]
        for way, m in motions.items()
    }
    assert len(said["auto"]) == 1 and 2.5 < said["auto"][0] < 4.5
    assert not said["stored"]
    moved = motions["auto"].displacement - motions["stored"].displacement
    assert 1e-5 < np.sqrt(np.mean(moved**2)) < 1.5e-3
    cutoff = {
        way: next(i.value for i in smooth(m).source.inferred if i.what == "cutoff")
        for way, m in motions.items()
    }
    assert min(cutoff.values()) > 12  # noise is gone: little need be smoothed


@pytest.mark.parametrize("name", ["plug_in_gait/HC030A/HC030A01", "btk/Gait", "opensim/walking2"])
def test_other_recordings_do_not(name, shared_data) -> None:
    motion = markers_motion(read_c3d(shared_data / f"c3d/{name}.c3d"))
    assert "stored_smoothing_hz" not in {i.what for i in motion.source.inferred}
