"""The user's OpenSim model, with its computed coordinates and forces, without muscles.

OpenSim's inverse dynamics of these files are the forces of ``coordinates``: muscles, springs and
contacts of the model, which would act there, are left out of its copy.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from mocap_reroot.dynamics.coordinates import coordinate_columns
from mocap_reroot.export.folders import complete_file
from mocap_reroot.export.storage import to_y_up
from mocap_reroot.mechanics.model import model_states
from mocap_reroot.types import BodyModel, Generalised, Motion

if TYPE_CHECKING:
    from mocap_reroot.analysis import Analysis

VALUES = ("Coordinates of the model that was given, rad and m.",)
FORCES = (
    "Names that the model's own coordinates have are their generalised forces, N m and N, as "
    "OpenSim's inverse dynamics counts them."
)
_ACTING = ("ForceSet", "ControllerSet", "ProbeSet")


def own_model(motion: Motion, body: BodyModel) -> Generalised | None:
    """Return the coordinates of a model that was used as its file has it, in OpenSim's world."""
    given = motion.coordinates
    if given is None or given.model.scaled or motion.skeleton.names != given.model.bodies:
        return None
    same = np.allclose(to_y_up(motion.up) @ given.world, np.eye(3))
    return given if same and np.allclose(body.mass, given.model.mass) else None


def captured(motion: Motion, given: Generalised) -> pd.DataFrame | None:
    """Return values of coordinates with times; None where the motion has been moved since."""
    if given.value.shape[1] != motion.n_frames:
        return None
    states = model_states(given, motion.skeleton)
    if not np.allclose(states["displacement"], motion.displacement, equal_nan=True):
        return None
    return pd.DataFrame(
        {"time": motion.time, **dict(zip(given.model.names, given.value, strict=True))}
    )


def coordinate_tables(analysis: Analysis, given: Generalised) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return values of coordinates by name, and their forces as OpenSim names them, with times."""
    columns = coordinate_columns(analysis.dynamics, analysis.motion)
    values, forces = {"time": columns["time"]}, {}
    for coordinate in given.model.coordinates:
        name, kind = coordinate.name, "moment" if coordinate.turns else "force"
        values[name], forces[f"{name}_{kind}"] = columns[f"{name}_value"], columns[f"{name}_force"]
    return pd.DataFrame(values), pd.DataFrame(forces)


def write_without_forces(given: Generalised, path: Path) -> Path:
    """Write a copy of a model's file in which nothing acts."""
    document = ElementTree.parse(given.model.path)  # which reading has found free of entities
    for acting in [e for e in document.iter() if e.tag in _ACTING]:
        for part in list(acting):
            acting.remove(part)
    with complete_file(path) as file:
        document.write(file, encoding="utf-8", xml_declaration=True)
    return path
