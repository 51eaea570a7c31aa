"""Write ``walk.c3d``: the sample walk as a laboratory would have recorded it.

``python -m sample_data.make_c3d`` puts Plug-in Gait markers on the walking person, two force plates
under two of the steps, and the gait events; millimetres, x forward, y left, z up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import ezc3d
import numpy as np

from sample_data import gait_model as model
from sample_data.balance import Truth, truth
from sample_data.gait import stored
from sample_data.generate import FPS, HERE, MASS, person

SECONDS = 2.4
ANALOG_RATE = 500.0
MARKER_RADIUS, KNEE_WIDTH, ANKLE_WIDTH, LEG_LENGTH = 0.007, 0.100, 0.070, 0.900
TO_LAB = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
"""Rows: forward, left, up in the model's axes (x left, y up, z forward)."""


def worn_markers() -> dict[str, tuple[str, tuple[float, float, float]]]:
    """Return ``{label: (body, place in its frame)}``, metres, model axes, T-pose."""
    worn: dict[str, tuple[str, tuple[float, float, float]]] = {
        "C7": ("Spine1", (0, 0.23, -0.06)),
        "T10": ("Spine1", (0, -0.02, -0.10)),
        "CLAV": ("Spine1", (0, 0.19, 0.07)),
        "STRN": ("Spine1", (0, 0.02, 0.11)),
    }
    knee, ankle = KNEE_WIDTH / 2 + MARKER_RADIUS, ANKLE_WIDTH / 2 + MARKER_RADIUS
    sole = -model.ANKLE_HEIGHT
    for side, s, mark in (("Left", 1.0, "L"), ("Right", -1.0, "R")):
        worn |= {
            f"{mark}ASI": ("Hips", (s * 0.1273, 0.0366, 0.0468)),
            f"{mark}PSI": ("Hips", (s * 0.045, 0.0366, -0.095)),
            f"{mark}THI": (f"{side}UpLeg", (s * 0.09, -0.5 * model.THIGH, 0)),
            f"{mark}KNE": (f"{side}UpLeg", (s * knee, -model.THIGH, 0)),
            f"{mark}TIB": (f"{side}Leg", (s * 0.06, -0.5 * model.SHANK, 0)),
            f"{mark}ANK": (f"{side}Leg", (s * ankle, -model.SHANK, 0)),
            f"{mark}HEE": (f"{side}Foot", (0, sole + 0.035, -0.062)),
            f"{mark}TOE": (f"{side}Foot", (0, sole + 0.045, 0.130)),
            f"{mark}HLX": (f"{side}ToeBase", (0, 0.005, 0.055)),
            f"{mark}SHO": (f"{side}Shoulder", (s * 0.155, 0.045, 0)),
            f"{mark}ELB": (f"{side}Arm", (s * 0.30, 0.045, 0)),
            f"{mark}WRA": (f"{side}ForeArm", (s * 0.25, 0, 0.03)),
            f"{mark}WRB": (f"{side}ForeArm", (s * 0.25, 0, -0.03)),
            f"{mark}FIN": (f"{side}Hand", (s * 0.09, 0, 0)),
            f"{mark}FHD": ("Head", (s * 0.07, 0.12, 0.09)),
            f"{mark}BHD": ("Head", (s * 0.07, 0.12, -0.09)),
        }
    return worn


@dataclass(frozen=True)
class Plate:
    """A force plate: ``(4, 3)`` corners, and on the body ``(3, S)`` force and moment, SI.

    The moment is about the centre of the surface; corners in the order of the C3D convention, with
    the plate's z into the ground.
    """

    corners: np.ndarray
    force: np.ndarray
    moment: np.ndarray
    depth: float = 0.04


def write_c3d(
    path: Path,
    labels: Sequence[str],
    points: np.ndarray,
    fps: float,
    plates: Sequence[Plate] = (),
    rate: float = 0.0,
    events: Sequence[tuple[str, str, float]] = (),
    subject: dict[str, float] | None = None,
) -> None:
    """Write a C3D with ezc3d.

    Args:
        path: Where to.
        labels: ``(m)``.
        points: ``(m, 3, F)`` m.
        fps: Frames per second.
        plates: Force plates, of type 2.
        rate: Hz, of the plates; a multiple of ``fps``.
        events: ``(label, context, seconds)``.
        subject: Parameters of the PROCESSING group.
    """
    c3d = ezc3d.c3d()
    p = c3d["parameters"]
    p["POINT"]["RATE"]["value"] = [fps]
    p["POINT"]["LABELS"]["value"] = list(labels)
    p["POINT"]["UNITS"]["value"] = ["mm"]
    c3d.add_parameter("POINT", "X_SCREEN", ["+X"])
    c3d.add_parameter("POINT", "Y_SCREEN", ["+Z"])
    c3d["data"]["points"] = 1000 * points.transpose(1, 0, 2)
    if plates:
        _add_plates(c3d, plates, rate)
    if events:
        c3d.add_parameter("EVENT", "USED", [len(events)])
        c3d.add_parameter("EVENT", "LABELS", [label for label, _, _ in events])
        c3d.add_parameter("EVENT", "CONTEXTS", [context for _, context, _ in events])
        times = np.array([[0.0] * len(events), [time for _, _, time in events]])
        c3d.add_parameter("EVENT", "TIMES", times)
    for name, value in (subject or {}).items():
        c3d.add_parameter("PROCESSING", name, [float(value)])
    c3d.write(str(path))


def _add_plates(c3d: ezc3d.c3d, plates: Sequence[Plate], rate: float) -> None:
    channels = []
    for plate in plates:
        x = plate.corners[0] - plate.corners[1]
        y = plate.corners[0] - plate.corners[3]
        axes = np.stack([x / np.linalg.norm(x), y / np.linalg.norm(y)], axis=1)
        axes = np.column_stack([axes, np.cross(axes[:, 0], axes[:, 1])])
        force = axes.T @ plate.force
        origin = np.array([[0.0], [0.0], [-plate.depth]])
        moment = axes.T @ plate.moment - np.cross(force, origin, axis=0)
        channels += [force, 1000 * moment]
    n = len(plates)
    analog = np.concatenate(channels)
    p = c3d["parameters"]
    p["ANALOG"]["RATE"]["value"] = [rate]
    p["ANALOG"]["LABELS"]["value"] = [
        f"{kind}{axis}{k + 1}" for k in range(n) for kind in ("F", "M") for axis in "xyz"
    ]
    p["ANALOG"]["UNITS"]["value"] = ["N", "N", "N", "Nmm", "Nmm", "Nmm"] * n
    c3d["data"]["analogs"] = analog[None]
    corners = np.stack([1000 * plate.corners.T for plate in plates], axis=2)
    origins = np.tile([[0.0], [0.0], [-1000 * plates[0].depth]], (1, n))
    c3d.add_parameter("FORCE_PLATFORM", "USED", [n])
    c3d.add_parameter("FORCE_PLATFORM", "TYPE", [2] * n)
    c3d.add_parameter("FORCE_PLATFORM", "ZERO", [1, 0])
    c3d.add_parameter("FORCE_PLATFORM", "CORNERS", corners)
    c3d.add_parameter("FORCE_PLATFORM", "ORIGIN", origins)
    channel = np.arange(1.0, 6 * n + 1).reshape(n, 6).T  # ezc3d takes floats only
    c3d.add_parameter("FORCE_PLATFORM", "CHANNEL", channel)


def marker_paths(true: Truth) -> tuple[list[str], np.ndarray]:
    """Return labels and ``(m, 3, F)`` m, laboratory axes."""
    labels, paths = [], []
    for label, (body, at) in worn_markers().items():
        i = model.NAMES.index(body)
        labels.append(label)
        paths.append(TO_LAB @ (true.position[i] + true.rotation[i] @ np.array(at)).T)
    return labels, np.array(paths)


def stances(on: np.ndarray) -> list[tuple[int, int]]:
    """Return the runs of True that begin and end inside."""
    edges = np.flatnonzero(np.diff(on.astype(int))) + 1
    starts = [int(k) for k in edges if on[k]]
    stops = [int(k) for k in edges if not on[k]]
    return [(a, min(b for b in stops if b > a)) for a in starts if any(b > a for b in stops)]


def plate_under(true: Truth, foot: int, first: int, last: int) -> Plate:
    """Return a plate of 0.5 by 0.4 m under one stance, and what it measures of it."""
    force = np.zeros((3, true.on.shape[1]))
    force[:, first:last] = TO_LAB @ true.force[foot, first:last].T
    pressure = TO_LAB @ true.pressure[foot].T
    couple = np.zeros_like(force)
    couple[2, first:last] = true.couple[foot, first:last]
    middle = pressure[:, first:last].mean(axis=1) * [1, 1, 0]
    # x of the plate is backwards, y is to the left, so that z is into the ground.
    half = np.array([[-0.25, 0.2, 0], [0.25, 0.2, 0], [0.25, -0.2, 0], [-0.25, -0.2, 0]])
    arm = np.where(force[2] > 0, pressure - middle[:, None], 0.0)
    return Plate(middle + half, force, couple + np.cross(arm, force, axis=0))


def record(path: Path, seconds: float = SECONDS) -> Truth:
    """Write the walk as a C3D, and return what is true of it in every frame."""
    walk, masses = stored("walk"), person()
    frames = truth(walk, masses, np.arange(round(seconds * FPS)) / FPS)
    samples = truth(walk, masses, np.arange(round(seconds * ANALOG_RATE)) / ANALOG_RATE)
    plates, events = [], []
    for foot, side in enumerate(("Left", "Right")):
        runs = stances(samples.on[foot])
        plates.append(plate_under(samples, foot, *runs[0]))
        for first, last in runs:
            events.append(("Foot Strike", side, first / ANALOG_RATE))
            events.append(("Foot Off", side, last / ANALOG_RATE))
    labels, points = marker_paths(frames)
    measures = {"Bodymass": MASS, "Height": 1000 * model.STATURE}
    measures["MarkerDiameter"] = 2000 * MARKER_RADIUS
    for mark in "LR":
        measures |= {
            f"{mark}LegLength": 1000 * LEG_LENGTH,
            f"{mark}KneeWidth": 1000 * KNEE_WIDTH,
            f"{mark}AnkleWidth": 1000 * ANKLE_WIDTH,
        }
    write_c3d(path, labels, points, FPS, plates, ANALOG_RATE, events, measures)
    return frames


def main() -> None:
    """Write the file."""
    record(HERE / "walk.c3d")
    print(f"walk: {HERE / 'walk'}.c3d")


if __name__ == "__main__":
    main()
