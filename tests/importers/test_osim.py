"""Models of OpenSim: what both versions say, and what is refused."""

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.errors import FileError
from mocap_reroot.importers.osim import read_osim
from tests.importers.osim_texts import LINES, SPLINE, model_3x, write_coordinates


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old.osim"
    path.write_text(model_3x())
    return path


def test_a_model_of_version_3(old) -> None:
    model = read_osim(old)
    assert model.bodies == ("pelvis", "shank", "cap")
    assert model.parents.tolist() == [-1, 0, 1]
    assert model.mass.tolist() == [3.0] * 3
    assert model.inertia[1, 0, 2] == 0.002
    assert model.labels == ("M1",) and model.marker_place.tolist() == [[0.1, 0.2, 0.3]]
    angles = [coordinate.name for coordinate in model.coordinates if coordinate.turns]
    assert angles == ["root1", "root2", "root3", "knee", "cap"]
    assert model.coordinates[-1].locked and model.default.tolist() == [0.1] * 8
    (coupling,) = model.couplings
    assert (model.names[coupling.dependent], model.names[coupling.independent]) == ("cap", "knee")
    assert coupling.function(0.4)[0] == pytest.approx(0.2)
    assert any("box" in said for said in model.warnings)
    assert any("WeldConstraint" in said for said in model.warnings)


def test_functions_are_opensims(old) -> None:
    """Values and slopes, within the points and beyond them."""
    opensim = pytest.importorskip("opensim")
    knee = read_osim(old).joints[1]
    theirs = opensim.SimmSpline()
    for x, y in zip(
        (-2, -1, -0.2, 0.5, 1.1, 2), (0.01, -0.02, 0.03, 0.01, 0.04, 0.02), strict=True
    ):
        theirs.addPoint(x, y)
    at = np.linspace(-2.5, 2.5, 41)
    value, slope, bend = knee.functions[3](at)
    for k, x in enumerate(at):
        here = opensim.Vector(1, float(x))
        assert value[k] == pytest.approx(1.3 * theirs.calcValue(here), abs=1e-14)
        assert slope[k] == pytest.approx(1.3 * theirs.calcDerivative([0], here), abs=1e-13)
    assert bend[0] == bend[-1] == 0
    assert knee.functions[1]([-3.0, 0.0, 1.0])[0] == pytest.approx([-0.05, 0.1, 0.075])


@pytest.mark.parametrize(
    ("what", "by", "said"),
    [
        ("PinJoint", "ScapulothoracicJoint", "'cap_r' is a ScapulothoracicJoint"),
        (SPLINE, "<Sine><amplitude>1</amplitude></Sine>", "function Sine is not understood"),
        (LINES, LINES.replace("-2 0 2", "-2 0 0"), "x ascending"),
        ("<mass>3</mass>", "<mass>heavy</mass>", "'heavy'; a number"),
        ("<mass>3</mass>", "<mass>nan</mass>", "'nan'"),
        ("<parent_body>shank", "<parent_body>nobody", "'nobody', which is no body"),
        ("</Model>", "", "no XML (mismatched tag)"),
    ],
)
def test_what_is_not_understood_is_named(tmp_path, what, by, said) -> None:
    path = tmp_path / "odd.osim"
    text = model_3x()
    assert what in text
    path.write_text(text.replace(what, by))
    with pytest.raises(FileError) as error:
        read_osim(path)
    assert said in str(error.value)


def test_entities_are_not_resolved(tmp_path) -> None:
    path = tmp_path / "bomb.osim"
    text = model_3x().replace(
        "<OpenSimDocument", '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><OpenSimDocument'
    )
    path.write_text(text.replace("<mass>3</mass>", "<mass>&a;</mass>"))
    with pytest.raises(FileError, match="declares entities"):
        read_osim(path)
    path.write_text("<a>" * 5000)
    with pytest.raises(FileError, match="inside each other"):
        read_osim(path)


@pytest.mark.parametrize(("degrees", "paths"), [(False, False), (True, False), (False, True)])
def test_coordinates_move_the_model(old, tmp_path, degrees, paths) -> None:
    """Radians, degrees and paths are the same motion, on the file's own clock."""
    write_coordinates(tmp_path / "swing.sto", degrees=degrees, paths=paths)
    motion = mr.read(tmp_path / "swing.sto", model=old)
    found = motion.coordinates
    assert found is not None
    knee, cap = (found.value[found.model.names.index(name)] for name in ("knee", "cap"))
    time = np.arange(100) / 50
    assert knee == pytest.approx(0.1 * np.sin(2 * np.pi * time + 6), abs=1e-10)
    assert cap == pytest.approx(knee / 2)  # by its coupling
    assert motion.fps == pytest.approx(50) and motion.time[0] == pytest.approx(3.0)
    turned = 2 * np.arccos(np.abs(motion.rotation[2, 0]))
    assert turned == pytest.approx(np.abs(cap), abs=1e-7)


def test_coordinates_need_their_model(old, tmp_path) -> None:
    path = tmp_path / "swing.mot"
    write_coordinates(path)
    with pytest.raises(FileError, match="Give the model with --model"):
        mr.read(path)
    path.write_text(path.read_text().replace("root", "other").replace("knee", "ground_force_vx"))
    with pytest.raises(FileError, match="holds ground forces"):
        mr.read(path, model=old)
    path.write_text(path.read_text().replace("ground_force_vx", "elbow"))
    with pytest.raises(FileError, match="is a coordinate of old"):
        mr.read(path, model=old)
