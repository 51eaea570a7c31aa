"""Scaling a model: factors that markers were made with are found again."""

import numpy as np
import pytest

from mocap_reroot.importers.osim import read_osim
from mocap_reroot.skeletons.from_model import model_segments
from mocap_reroot.skeletons.model_fitting import fit_model, placed
from mocap_reroot.skeletons.model_scaling import resized, scaled


@pytest.fixture
def model(shared_data):
    return read_osim(shared_data / "atlas" / "opencap" / "subject3" / "model.osim")


def swinging(model, frames: int) -> np.ndarray:
    """Return ``(F, c)`` coordinates of somebody who moves all his joints a little."""
    rng = np.random.default_rng(5)
    phase = rng.uniform(0, 6, len(model.coordinates))
    time = np.linspace(0, 2, frames)[:, None]
    low, high = ([getattr(c, end) for c in model.coordinates] for end in ("lowest", "highest"))
    value = np.clip(model.default + 0.3 * np.sin(3 * time + phase), low, high)
    for coupling in model.couplings:
        value[:, coupling.dependent] = coupling.function(value[:, coupling.independent])[0]
    return value


def test_coordinates_that_made_markers_are_found(model) -> None:
    rows, value = np.arange(len(model.labels)), swinging(model, 30)
    points = placed(model, rows, value)[0]
    fit = fit_model(model, rows, points.transpose(1, 2, 0))
    assert fit.rms < 1e-4
    legs = [k for k, n in enumerate(model.names) if n.startswith(("hip", "knee", "pelvis"))]
    assert np.abs(fit.value[legs] - value.T[legs]).max() < 2e-3  # the prior draws that little


def test_labels_that_were_swapped_are_put_right(model) -> None:
    """Two markers of a foot, and three of a thigh in a circle."""
    rows, value = np.arange(len(model.labels)), swinging(model, 30)
    points = placed(model, rows, value)[0].transpose(1, 2, 0)
    named = [
        model.labels.index(n) for n in ("L_toe", "L_5meta", "r_thigh1", "r_thigh3", "r_thigh4")
    ]
    mixed = points.copy()
    mixed[named] = points[[named[k] for k in (1, 0, 3, 4, 2)]]
    fit = fit_model(model, rows, mixed)
    assert sorted(fit.swapped) == sorted(named) and not fit.strangers and not fit.dropped
    assert fit.rms < 1e-4


def test_a_marker_that_is_elsewhere_bends_nothing(model) -> None:
    """It lies 8 cm off and fits nobody's place: it counts little, and the others are followed."""
    rows, value = np.arange(len(model.labels)), swinging(model, 30)
    points = placed(model, rows, value)[0].transpose(1, 2, 0)
    stray = model.labels.index("L_calc")
    points[stray] += np.array([0.0, 0.08, 0.0])[:, None]
    fit = fit_model(model, rows, points)
    assert fit.strangers == (stray,) and not fit.swapped
    assert np.delete(fit.errors, stray).max() < 0.01


def test_an_angle_goes_on_beyond_180_degrees(model) -> None:
    """An arm swings round, and its coordinate is clamped to −180° … 180°: a turn is no bound."""
    rows, value = np.arange(len(model.labels)), swinging(model, 60)
    arm = model.names.index("arm_flex_r")
    assert model.coordinates[arm].clamped and model.coordinates[arm].highest < 3.15
    value[:, arm] = np.linspace(0, 4.5, 60)
    fit = fit_model(model, rows, placed(model, rows, value)[0].transpose(1, 2, 0))
    assert fit.rms < 1e-4
    assert fit.value[arm] == pytest.approx(value[:, arm], abs=0.01)


def test_sizes_that_made_markers_are_found(model) -> None:
    """A child of 0.8 with long thighs and a short trunk."""
    segments = model_segments(model.bodies)
    factors = np.full(len(segments), 0.8)
    factors[[k for k, s in enumerate(segments) if s.endswith("thigh")]] = 0.88
    factors[segments.index("trunk")] = 0.75
    child, rows = resized(model, factors), np.arange(len(model.labels))
    points = placed(child, rows, swinging(model, 40))[0].transpose(1, 2, 0)
    found, why = scaled(model, rows, points, standing=False)
    known = {s: why.value[name] for s, name in zip(segments, model.bodies, strict=True) if s}
    assert known["left_thigh"] == pytest.approx(0.88, abs=0.005)
    assert known["right_shank"] == pytest.approx(0.8, abs=0.005)
    assert known["trunk"] == pytest.approx(0.75, abs=0.01)
    assert fit_model(found, rows, points).rms < 1e-3
    assert found.mass.sum() == pytest.approx(model.mass.sum() * 0.8**2, rel=0.05)
    assert found.scaled and "the clip" in why.evidence
