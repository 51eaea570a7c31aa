"""Model, coordinates and plates: forces along coordinates are those of OpenSim, clip by clip."""

import numpy as np
import pandas as pd
import pytest

import mocap_reroot as mr
from mocap_reroot.contact.poses import contact_poses
from mocap_reroot.dynamics.rooted import loads_on_bodies
from mocap_reroot.export.opensim import write_opensim
from mocap_reroot.importers.mot import read_storage
from tests.peers.opensim_solver import Peer, opensim

CLIPS = {
    "gold/arnold_subject01_walk": ("subject01.osim", "coordinates.sto", "grf.mot"),
    "gold/opensim_subject01_walk": (
        "subject01_simbody.osim", "subject01_walk1_ik.mot", "subject01_walk1_grf.mot",
    ),
    "atlas/opencap/subject3/walking1": ("../model.osim", "ik.mot", "grf.mot"),
    "atlas/hamner/subject02/run400": ("../model.osim", "ik.mot", "grf.mot"),
}  # fmt: skip


@pytest.fixture(params=CLIPS)
def clip(request, shared_data):
    model, coordinates, plates = (
        shared_data / request.param / name for name in CLIPS[request.param]
    )
    analysis = mr.analyze(coordinates, model=model, plates=plates, forces="measured")
    return analysis, analysis.table("coordinates"), model


def write_loads(analysis, path) -> list[str]:
    """Write the wrench on every body that carries, at its origin; return their names."""
    motion, ground = analysis.motion, analysis.ground
    placed = contact_poses(motion, analysis.body, ground.contacts)
    loads = loads_on_bodies(placed, ground, ground.total.about)
    world, names = mr.forward(motion), motion.skeleton.names
    columns = {"time": motion.time}
    for body in np.unique(loads.bodies):
        rows = loads.bodies == body
        parts = {
            "f": loads.force[rows].sum(axis=0),
            "t": loads.moment[rows].sum(axis=0),
            "p": world.position[body],
        }
        for part, values in parts.items():
            if part != "p":  # in the body's axes there
                values = np.einsum("fij,jf->if", world.matrix[body], values)
            for axis, row in zip("xyz", values, strict=True):
                columns[f"{names[body]}_{part}_{axis}"] = row
    write_storage(path, pd.DataFrame(columns))
    return [names[body] for body in np.unique(loads.bodies)]


def write_storage(path, table: pd.DataFrame) -> None:
    head = f"{path.stem}\nversion=1\nnRows={len(table)}\nnColumns={table.shape[1]}\ninDegrees=no\n"
    rows = "\n".join("\t".join(f"{x:.17g}" for x in row) for row in table.to_numpy())
    path.write_text(head + "endheader\n" + "\t".join(table.columns) + "\n" + rows + "\n")


def test_forces_are_those_of_opensims_solver(clip, tmp_path) -> None:
    """The same values, speeds, accelerations and wrenches: within 0.1 % of every force's range."""
    analysis, table, model = clip
    names = analysis.motion.coordinates.model.names
    peer = Peer(model, tmp_path / "loads.sto", write_loads(analysis, tmp_path / "loads.sto"))
    value, speed, acceleration, ours = (
        table[[f"{name}_{part}" for name in names]].to_numpy()
        for part in ("value", "speed", "acceleration", "force")
    )
    frames = np.arange(5, len(table) - 5, 7)
    time = table["time"].to_numpy()
    theirs = [peer.forces(names, value[f], speed[f], acceleration[f], time[f]) for f in frames]
    apart, span = np.abs(ours[frames] - theirs).max(axis=0), np.ptp(theirs, axis=0)
    for k, name in enumerate(names):
        assert apart[k] <= 1e-3 * span[k] + 1e-9, name


@pytest.mark.parametrize("name", ["gold/opensim_subject01_walk", "atlas/opencap/subject3/walking1"])
def test_opensims_own_tool_agrees_within_the_clip(shared_data, tmp_path, name) -> None:
    """On the files as written: the model given, its own coordinates, no muscles.

    It puts splines through the coordinates again: within 2 % of every force's range, but for the
    forward residual at 60 Hz: its range is 13 N, and 0.005 m/s² between the second derivative of
    a spline through the pelvis and the acceleration here are 0.36 N of it.
    """
    model, coordinates, plates = (shared_data / name / file for file in CLIPS[name])
    analysis = mr.analyze(coordinates, model=model, plates=plates, forces="measured")
    write_opensim(analysis, "walk", tmp_path)
    tool = opensim.InverseDynamicsTool()
    tool.setModelFileName(str(tmp_path / "walk.osim"))
    tool.setCoordinatesFileName(str(tmp_path / "walk_ik.mot"))
    tool.setExternalLoadsFileName(str(tmp_path / "walk_external_loads.xml"))
    tool.setLowpassCutoffFrequency(-1)
    tool.setStartTime(float(analysis.motion.time[0]))
    tool.setEndTime(float(analysis.motion.time[-1]))
    tool.setResultsDir(str(tmp_path))
    tool.setOutputGenForceFileName("tool.sto")
    assert tool.run()
    theirs, ours = (read_storage(tmp_path / file) for file in ("tool.sto", "walk_id.sto"))
    table = analysis.table("coordinates")
    inside = slice(len(ours) // 10, -(len(ours) // 10))
    for coordinate in analysis.motion.coordinates.model.coordinates:
        column = f"{coordinate.name}_{'moment' if coordinate.turns else 'force'}".lower()
        there, here = theirs[column], ours[column].to_numpy()
        assert here == pytest.approx(table[f"{coordinate.name}_force"].to_numpy(), abs=1e-6)
        share = 0.03 if column == "pelvis_tx_force" and analysis.motion.fps < 61 else 0.02
        apart = np.abs(here - there.to_numpy())[inside].max()
        assert apart < share * np.ptp(here[inside]), column
