"""Force plates against OpenSim's reading, against ezc3d's, and against bathroom scales."""

from pathlib import Path

import ezc3d
import numpy as np
import pytest

from mocap_reroot.importers.c3d import read_c3d
from mocap_reroot.importers.mot import read_storage
from mocap_reroot.importers.plates import PlateSpec, plate_axes, to_raw_plates
from mocap_reroot.types import STANDARD_GRAVITY

CHILDREN = ("HC030A", "HC032A", "HC038A", "HC044A")
UP = np.array([0.0, 0, 1])
CORNERS = np.array([[0.4, 0.0, 0], [0.4, 0.6, 0], [0.0, 0.6, 0], [0.0, 0.0, 0]])


def test_walking2_equals_opensim(shared_data: Path) -> None:
    folder = shared_data / "c3d/opensim"
    plates = read_c3d(folder / "walking2.c3d").plates
    assert plates is not None
    table = read_storage(folder / "std_cop_walking2_grfs.sto")
    rows = np.round(table["time"].to_numpy() * plates.rate).astype(int)
    for p in range(2):
        stated = {k: table[[f"{k}{p + 1}_{i}" for i in (1, 2, 3)]].to_numpy().T for k in "fpm"}
        force, moment = plates.force[p][:, rows], plates.moment[p][:, rows]
        loaded = force[2] > 20
        assert loaded.sum() >= 10
        assert np.abs(force - stated["f"]).max() < 0.1  # N
        arm = np.stack([-moment[1], moment[0]]) / force[2]
        pressure = arm + plates.corners[p].mean(axis=0)[:2, None]
        assert np.abs(pressure - stated["p"][:2] / 1000)[:, loaded].max() < 1e-4  # m
        couple = moment[2] - (arm[0] * force[1] - arm[1] * force[0])
        assert np.abs(couple - stated["m"][2] / 1000)[loaded].max() < 1e-3  # N·m


@pytest.mark.parametrize("child", CHILDREN)
def test_static_trials_weigh_what_processing_says(shared_data: Path, child: str) -> None:
    recording = read_c3d(shared_data / f"c3d/plug_in_gait/{child}/{child}01.c3d")
    assert recording.plates is not None and recording.mass is not None
    weight = recording.plates.force.sum(axis=0)[2].mean()
    assert weight / STANDARD_GRAVITY == pytest.approx(recording.mass, rel=0.02)


def test_calibrated_plates_equal_ezc3d(shared_data: Path) -> None:
    path = shared_data / "c3d/btk/Gait.c3d"  # type 4, DEC: read by the other reader
    plates = read_c3d(path).plates
    theirs = ezc3d.c3d(str(path), extract_forceplat_data=True)["data"]["platform"]
    assert plates is not None
    for p, other in enumerate(theirs):
        np.testing.assert_allclose(plates.force[p], other["force"], atol=1e-6)
        np.testing.assert_allclose(plates.moment[p], other["moment"] / 1000, atol=1e-6)


def wrench(samples: int = 50) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a push on the body at a point 0.05, −0.1 m from the centre, world axes."""
    rng = np.random.default_rng(1)
    force = np.stack(
        [rng.normal(0, 50, samples), rng.normal(0, 50, samples), rng.uniform(300, 900, samples)]
    )
    point = np.array([0.05, -0.1, 0.0])
    couple = np.stack([0 * force[0], 0 * force[0], rng.normal(0, 5, samples)])
    return force, np.cross(point, force, axis=0) + couple, couple


def channels_of(kind: int, scale: float, depth: float = 0.04) -> PlateSpec:
    """Return the plate that would measure the push, lengths in units of ``scale`` m."""
    force, moment, couple = wrench()
    axes = plate_axes(CORNERS)
    f, m = axes.T @ force, axes.T @ moment
    origin = np.array([0.0, 0, -depth])
    units = ["N", "N", "N", *["Nmm" if scale == 1e-3 else "Nm"] * 3]
    if kind == 1:
        pressure = np.stack([-m[1] / f[2], m[0] / f[2]])
        rows = [*f, *(pressure / scale), (axes.T @ couple)[2] / scale]
        return PlateSpec(1, CORNERS / scale, np.zeros(3), np.array(rows), units)
    about = m - np.cross(f, origin[:, None], axis=0)
    rows = np.array([*f, *(about / scale)])
    if kind == 3:
        a, b = 0.12, 0.2
        # Four corner transducers share the load so that forces and moments about them come out.
        fz, across, along = f[2] / 4, about[0] / (4 * b), about[1] / (4 * a)
        twist = about[2] / (2 * b)
        rows = np.array(
            [
                f[0] / 2 - twist,
                f[0] / 2 + twist,
                f[1] / 2,
                f[1] / 2,
                fz + across - along,
                fz + across + along,
                fz - across + along,
                fz - across - along,
            ]
        )
        spec_origin = np.array([a, b, -depth]) / scale
        return PlateSpec(3, CORNERS / scale, spec_origin, rows, ["N"] * 8)
    if kind == 4:
        matrix = np.diag([2.0, 3, 4, 5, 6, 7]) + 0.01
        rows = np.linalg.solve(matrix, rows)
        return PlateSpec(4, CORNERS / scale, origin / scale, rows, units, matrix)
    return PlateSpec(2, CORNERS / scale, origin / scale, rows, units)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_every_type_gives_back_the_push(kind: int, scale: float) -> None:
    plates, repairs, warnings = to_raw_plates([channels_of(kind, scale)], 1000.0, scale, UP)
    force, moment, _ = wrench()
    assert plates is not None and not repairs and not warnings
    np.testing.assert_allclose(plates.force[0], force, atol=1e-9)
    np.testing.assert_allclose(plates.moment[0], moment, atol=1e-9)
    np.testing.assert_allclose(plates.corners[0], CORNERS, atol=1e-12)


def test_what_laboratories_get_wrong_is_mended() -> None:
    force, moment, _ = wrench()
    right = channels_of(2, 1e-3)
    towards_transducer = PlateSpec(2, right.corners, -right.origin, right.channels, right.units)
    on_the_plate = PlateSpec(2, right.corners, right.origin, -right.channels, right.units)
    in_metres = PlateSpec(2, CORNERS, right.origin / 1000, right.channels, right.units)
    wrong_unit = PlateSpec(2, right.corners, right.origin, right.channels, ["N"] * 3 + ["Nm"] * 3)
    for spec, words in (
        (towards_transducer, None),
        (on_the_plate, "reversed"),
        (in_metres, "units of 1 m"),
        (wrong_unit, "centre of pressure"),
    ):
        plates, repairs, _ = to_raw_plates([spec], 1000.0, 1e-3, UP)
        assert plates is not None
        np.testing.assert_allclose(plates.force[0], force, atol=1e-9)
        np.testing.assert_allclose(plates.corners[0], CORNERS, atol=1e-12)
        assert [words in repair for repair in repairs] == ([] if words is None else [True])
        if spec is not wrong_unit:  # there the lever arm of the transducer's depth differs
            np.testing.assert_allclose(plates.moment[0], moment, atol=1e-9)


def test_plates_that_cannot_be_read_are_left_out() -> None:
    good = channels_of(2, 1.0)
    strange = PlateSpec(21, good.corners, good.origin, good.channels, good.units)
    flat = PlateSpec(2, 0 * good.corners, good.origin, good.channels, good.units)
    plates, _, warnings = to_raw_plates([strange, flat, good], 1000.0, 1.0, UP)
    assert plates is not None and plates.names == ("plate_3",)
    assert "type 21" in warnings[0] and "no plate" in warnings[1]
