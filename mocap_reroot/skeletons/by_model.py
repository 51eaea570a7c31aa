"""An OpenSim model in motion: by stored coordinates, or by inverse kinematics from markers."""

from __future__ import annotations

import numpy as np

from mocap_reroot.errors import FileError
from mocap_reroot.mechanics.model import following
from mocap_reroot.mechanics.world_axes import turn_between
from mocap_reroot.numerics.vectors import axis_vector, axis_word, matrices
from mocap_reroot.skeletons.from_model import model_motion, model_segments
from mocap_reroot.skeletons.labels import plain, subject_labels
from mocap_reroot.skeletons.landmarks import length_unit
from mocap_reroot.skeletons.model_fitting import ModelFit, fit_model, placed
from mocap_reroot.types import (
    Generalised,
    Inference,
    Model,
    Motion,
    Recording,
    Source,
    flag_code,
)

_FEWEST = 4  # markers that can place a person
_ESSENTIAL = ("pelvis", "thigh", "shank", "talus", "foot")
_FIRM = 0.05  # of its usual firmness, below which a coordinate of pelvis and legs is not seen
_NOTHING = 10 * 1e-5  # m², as good as none: little more than the prior
_UPRIGHT = 20  # frames asked which way is up


def coordinates_motion(recording: Recording, model: Model) -> Motion:
    """Return the motion that stored coordinates make.

    Coordinates that the file lacks follow their couplings, or keep the model's default.

    Raises:
        FileError: No coordinate of the file is one of the model's.
    """
    stored = recording.coordinates
    assert stored is not None
    rows = {plain_name(name): k for k, name in enumerate(stored.names)}
    value = np.repeat(model.default[:, None], recording.n_frames, axis=1)
    given = np.zeros(len(model.coordinates), bool)
    for c, coordinate in enumerate(model.coordinates):
        row = rows.pop(plain_name(coordinate.name), None)
        if row is not None:
            in_degrees = stored.degrees and coordinate.turns
            value[c] = np.deg2rad(stored.value[row]) if in_degrees else stored.value[row]
            given[c] = True
    if not given.any():
        raise FileError(
            recording.path,
            f"none of its columns ({', '.join(stored.names[:4])} …) is a coordinate of "
            f"{model.name} ({', '.join(model.names[:4])} …).",
            todo="Give the model that the coordinates are of.",
        )
    warnings = list(model.warnings)
    if rows:
        listed = ", ".join(list(rows)[:6])
        warnings.append(f"Columns that are no coordinates of the model: {listed}; not used.")
    coupled = {coupling.dependent for coupling in model.couplings}
    absent = [n for c, n in enumerate(model.names) if not given[c] and c not in coupled]
    if absent:
        warnings.append(
            f"Coordinates that the file lacks keep the model's default: {', '.join(absent[:8])}."
        )
    coordinates = following(Generalised(model, np.eye(3), value, given))
    evidence = f"{given.sum()} of {len(given)} coordinates are in the file"
    found = Inference("model", model.name, 1.0, evidence)
    source = Source.of(recording, "m", 1.0, (found,), warnings)
    return model_motion(coordinates, recording.fps, source=source)


def plain_name(name: str) -> str:
    """Return the name of a coordinate as it is compared."""
    return name.strip().lower()


def markers_motion(
    recording: Recording,
    model: Model,
    *,
    static: Recording | None = None,
    scale: bool = False,
    up: np.ndarray | None = None,
    unit: str | float = "auto",
) -> Motion:
    """Return a model fitted to the markers that it knows.

    Args:
        recording: With markers.
        model: The model.
        static: A static trial that scales the model.
        scale: Whether the model is scaled to the person.
        up: ``(3)`` unit vector; by default as the file says, or as the model fits upright.
        unit: As in :func:`mocap_reroot.read`.

    Raises:
        FileError: The model knows too few of the markers.
    """
    word, metres = length_unit(recording, unit)
    rows, position = known_markers(recording, model, metres)
    world, why = _world(recording, model, rows, position, up)
    inferred, warnings = [why], list(model.warnings)
    if scale:
        from mocap_reroot.skeletons.model_scaling import scaled

        trial = recording if static is None else static
        size = metres if static is None else length_unit(static, unit)[1]
        model, how = scaled(model, *_in_ground(trial, model, size, up), static is not None)
        inferred.append(how)
    fit = fit_model(model, rows, np.einsum("ij,mif->mjf", world, position))
    given = np.zeros(len(model.coordinates), bool)
    given[fit.unknowns] = True
    coupled = {coupling.dependent for coupling in model.couplings}
    given |= [c not in coupled for c in range(len(given))]
    coordinates = following(Generalised(model, world, fit.value, given))
    inferred.append(_how_well(model, rows, fit))
    if fit.swapped:
        names = ", ".join(model.labels[k] for k in fit.swapped)
        warnings.append(f"Markers whose labels are swapped: {names}; swapped back.")
    if fit.strangers:
        names = ", ".join(model.labels[k] for k in fit.strangers)
        warnings.append(
            f"Markers that are elsewhere than the model has them: {names}; they count little."
        )
    if fit.dropped:
        warnings.append(
            f"{fit.dropped} positions of markers are far from where the model has them: not used."
        )
    assert recording.markers is not None
    worn = {name: None for labels in subject_labels(recording.markers).values() for name in labels}
    if lost := [name for name in worn if name not in map(plain, model.labels)]:
        warnings.append(f"Markers that the model does not know: {', '.join(lost[:8])}; not used.")
    source = Source.of(recording, word, metres, inferred, warnings)
    return model_motion(
        coordinates, recording.fps, flags=_flags(model, fit, position), source=source
    )


def known_markers(
    recording: Recording, model: Model, metres: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(m)`` which markers of the model the file has, and ``(m, 3, F)`` m, where they are.

    Raises:
        FileError: There are too few.
    """
    assert recording.markers is not None
    subjects = subject_labels(recording.markers)
    known = [plain(label) for label in model.labels]
    best = max(subjects.values(), key=lambda labels: sum(label in labels for label in known))
    rows = [k for k, label in enumerate(known) if label in best]
    rows = [
        k for k in rows if np.isfinite(recording.markers.position[best[known[k]]]).all(axis=0).any()
    ]
    if len(rows) < _FEWEST:
        raise FileError(
            recording.path,
            f"the model {model.name} knows {len(rows)} of its markers "
            f"({', '.join(recording.markers.labels[:6])} …); {_FEWEST} at least were expected. The "
            f"model has {', '.join(model.labels[:6])} ….",
            todo="Rename the markers of the model, or give another one.",
        )
    at = [best[known[k]] for k in rows]
    return np.array(rows), recording.markers.position[at] * metres


def _in_ground(
    recording: Recording, model: Model, metres: float, up: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return known markers, and where they are in the axes of the model's ground."""
    rows, position = known_markers(recording, model, metres)
    world, _ = _world(recording, model, rows, position, up)
    return rows, np.einsum("ij,mif->mjf", world, position)


def _world(
    recording: Recording,
    model: Model,
    rows: np.ndarray,
    position: np.ndarray,
    up: np.ndarray | None,
) -> tuple[np.ndarray, Inference]:
    """Return ``(3, 3)`` the turn of the model's ground into the file's axes, and why.

    The model stands upright; laid onto the markers as a stiff body, it tells which axis is up.
    """
    local = placed(model, rows, model.default[None])[0][0]
    whole = np.isfinite(position).all(axis=1)
    frames = np.argsort(-whole.sum(axis=0), kind="stable")[:_UPRIGHT]
    leaning = np.zeros(3)
    for f in frames:
        if (seen := whole[:, f]).sum() >= _FEWEST:
            a, b = local[seen], position[seen, :, f]
            u, _, v = np.linalg.svd((b - b.mean(axis=0)).T @ (a - a.mean(axis=0)))
            turn = u @ np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ v))]) @ v
            leaning += turn @ model.up
    word = axis_word(leaning)
    evidence = f"the model stands upright along {word}"
    stated = axis_vector(recording.up) if recording.up else None
    if up is not None:
        found = np.asarray(up, dtype=float)
        evidence, word = "given", axis_word(found)
    elif stated is not None and stated @ leaning > 0:
        found = stated
        evidence, word = f"the file says {recording.up}, and the model stands so", recording.up
    else:
        found = axis_vector(word)
    sure = float(np.abs(leaning).max() / max(np.linalg.norm(leaning), 1e-9))
    return matrices(turn_between(model.up, found)), Inference("up", word, sure, evidence)


def _how_well(model: Model, rows: np.ndarray, fit: ModelFit) -> Inference:
    """Return how well the model follows its markers, in words."""
    error = fit.errors
    worst, now = int(np.argmax(error)), 1000 * fit.rms
    evidence = (
        f"{len(rows)} markers of the model {model.name} fitted in {len(fit.unknowns)} "
        f"coordinates: {now:.1f} mm RMS, most at {model.labels[rows[worst]]}, "
        f"{1000 * error[worst]:.1f} mm"
    )
    return Inference("marker_fit", round(now, 2), 1.0, evidence)


def _flags(model: Model, fit: ModelFit, position: np.ndarray) -> np.ndarray:
    """Return ``(F)`` flags: a frame is a gap where markers do not place pelvis and legs."""
    segments = model_segments(model.bodies)
    essential = {
        c
        for joint, segment in zip(model.joints, segments, strict=True)
        if segment.split("_", 1)[-1] in _ESSENTIAL
        for c in joint.own
    }
    usual = np.median(fit.firm, axis=1)
    asked = np.array([c in essential for c in fit.unknowns]) & (usual > _NOTHING)
    held = (fit.firm[asked] > _FIRM * usual[asked, None]).all(axis=0)
    flags = np.zeros(position.shape[-1], np.uint8)
    flags[np.isnan(position).any(axis=(0, 1))] = flag_code("filled")
    flags[~held] = flag_code("gap")
    return flags
