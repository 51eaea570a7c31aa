"""Scale a generic OpenSim model to a subject, segment by segment, by its markers.

Every body gets one factor for all its lengths: markers, centre of mass, the joints that it bears
and the slides of those joints. Factors and poses are fitted together (poses are projected out, so
that each step is the best one for both); neighbours and the two sides have similar factors as far
as markers do not say otherwise. Then markers that are not on landmarks are put where they were
worn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mocap_reroot.skeletons.from_model import model_segments
from mocap_reroot.skeletons.model_fitting import ModelFit, fit_model, marker_arrays, placed
from mocap_reroot.types import Inference, Model


@dataclass(frozen=True)
class ScalePrior:
    """How much the scale factors of a subject's segments differ: standard deviations.

    Attributes:
        marker: m, what a marker is usually off the place that a model gives it (marker placement).
        neighbour: How much the factors of neighbouring bodies differ; standard deviation.
        side: The same of left and right.
        unmarked: The same of a body without markers and the one that bears it.
        extreme: Factors beyond ``1 / extreme`` and ``extreme`` are no person's.
    """

    marker: float = 0.005
    neighbour: float = 0.1
    side: float = 0.01
    unmarked: float = 0.01
    extreme: float = 2.0


_FRAMES = 20  # that are looked at
_ROUNDS, _SETTLED = 12, 1e-4  # steps at most; change of factors that is none
_STEP = 1e-6  # rad and m, for differences


def scaled(
    model: Model,
    rows: np.ndarray,
    position: np.ndarray,
    standing: bool,
    prior: ScalePrior | None = None,
) -> tuple[Model, Inference]:
    """Return a model of a person's size, and how it was scaled.

    Args:
        model: Generic.
        rows: ``(m)`` which of its markers were seen.
        position: ``(m, 3, F)`` m, in the axes of its ground.
        standing: Whether they are of a static trial; else of the clip itself.
        prior: How much factors differ.
    """
    prior = prior or ScalePrior()
    whole = np.isfinite(position).all(axis=1).sum(axis=0)
    best = np.flatnonzero(whole >= np.quantile(whole, 0.5))
    frames = best[np.linspace(0, len(best) - 1, min(_FRAMES, len(best))).astype(int)]
    position = position[..., frames]
    factors = np.ones(len(model.bodies))
    every, seen = rows, position
    fixed, bearer = model.marker_fixed[rows], model.marker_body[rows]
    told = fixed | ~np.isin(bearer, bearer[fixed])  # clusters are anywhere on a segment
    rows, position = rows[told], position[told]
    now, fit = model, fit_model(model, rows, position)
    before = fit.rms
    for _ in range(_ROUNDS):
        step = _better(now, rows, position, fit, factors, prior)
        factors = np.clip(factors * step, 1 / prior.extreme, prior.extreme)
        now = resized(model, factors)
        fit = fit_model(now, rows, position, fit.value[:, 0])
        if np.abs(step - 1).max() < _SETTLED:
            break
    after = fit.rms
    now = _worn(now, every, seen, fit)
    # without a stated mass, as people of one build weigh: by the square of their size
    size = float((factors * model.mass).sum() / model.mass.sum())
    now = replace(now, mass=now.mass * size**2, inertia=now.inertia * size**2, scaled=True)
    said = {name: round(float(s), 4) for name, s in zip(model.bodies, factors, strict=True)}
    evidence = (
        f"{len(rows)} markers of {'the static trial' if standing else 'the clip'} in "
        f"{len(frames)} frames: {1000 * before:.1f} to {1000 * after:.1f} mm RMS; "
        + ", ".join(f"{name} {factor:.3f}" for name, factor in said.items())
    )
    return now, Inference("model_scale", said, 1.0, evidence)


def resized(model: Model, factors: np.ndarray) -> Model:
    """Return a model whose bodies are so many times as long, ``(n)``; masses stay as they are."""
    joints = []
    for body, joint in enumerate(model.joints):
        parent = int(model.parents[body])
        above = factors[parent] if parent >= 0 else 1.0
        slides = tuple(f.times(float(above)) for f in joint.functions[3:])
        joints.append(
            replace(
                joint,
                parent_place=joint.parent_place * above,
                child_place=joint.child_place * factors[body],
                functions=joint.functions[:3] + (slides if parent >= 0 else joint.functions[3:]),
            )
        )
    return replace(
        model,
        joints=tuple(joints),
        com=model.com * factors[:, None],
        inertia=model.inertia * (factors**2)[:, None, None],
        marker_place=model.marker_place * factors[model.marker_body][:, None],
    )


def _better(
    model: Model,
    rows: np.ndarray,
    position: np.ndarray,
    fit: ModelFit,
    factors: np.ndarray,
    prior: ScalePrior,
) -> np.ndarray:
    """Return ``(n)`` by what the lengths of bodies should be multiplied; poses follow."""
    value = np.ascontiguousarray(fit.value.T)
    points = placed(model, rows, value)[0]
    frames, count, n = len(value), len(rows), len(model.bodies)
    error = position.transpose(2, 0, 1) - points
    seen = np.isfinite(error)
    by_size = np.stack(
        [
            (placed(resized(model, 1 + _STEP * one), rows, value)[0] - points) / _STEP
            for one in np.eye(n)
        ],
        axis=-1,
    )  # (F, m, 3, n)
    by_pose = np.stack(
        [(placed(model, rows, _moved(model, value, c))[0] - points) / _STEP for c in fit.unknowns],
        axis=-1,
    )
    weight = np.sqrt(marker_arrays(model, rows)[2])[None, :, None] / (
        prior.marker * np.sqrt(frames)
    )
    error = np.where(seen, error * weight, 0.0).reshape(frames, 3 * count)
    weight = (weight * seen)[..., None]
    by_size = (by_size * weight).reshape(frames, 3 * count, n)
    q, _ = np.linalg.qr((by_pose * weight).reshape(frames, 3 * count, -1))
    back = q.transpose(0, 2, 1)
    error = error - (q @ (back @ error[..., None]))[..., 0]
    by_size = by_size - q @ (back @ by_size)
    marked = np.isin(np.arange(n), model.marker_body[rows])
    rows_, right = _similarity(model, factors, marked, prior)
    matrix = np.concatenate([by_size.reshape(-1, n), rows_])
    found = np.linalg.lstsq(matrix, np.concatenate([error.reshape(-1), right]), rcond=None)[0]
    return np.clip(1 + found, 0.7, 1.4)


def _moved(model: Model, value: np.ndarray, c: int) -> np.ndarray:
    """Return ``(F, c)`` coordinates of which one, and those that follow it, are a little larger."""
    moved = value.copy()
    moved[:, c] += _STEP
    for coupling in model.couplings:
        if coupling.independent == c:
            moved[:, coupling.dependent] = coupling.function(moved[:, c])[0]
    return moved


def _similarity(
    model: Model, factors: np.ndarray, marked: np.ndarray, prior: ScalePrior
) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and right sides that keep neighbours and the two sides similar."""
    segments, n = model_segments(model.bodies), len(model.bodies)
    pairs = [
        (b, int(p), prior.neighbour if marked[b] else prior.unmarked)
        for b, p in enumerate(model.parents)
        if p >= 0
    ]
    for body, segment in enumerate(segments):
        other = segment.replace("left_", "right_")
        if segment.startswith("left_") and other in segments:
            pairs.append((body, segments.index(other), prior.side))
    rows, right = np.zeros((len(pairs), n)), np.empty(len(pairs))
    for k, (a, b, deviation) in enumerate(pairs):
        rows[k, a], rows[k, b] = factors[a] / deviation, -factors[b] / deviation
        right[k] = (factors[b] - factors[a]) / deviation
    return rows, right


def _worn(model: Model, rows: np.ndarray, position: np.ndarray, fit: ModelFit) -> Model:
    """Return a model whose markers that are on no landmark sit where they were seen to be."""
    _, turns, origins = placed(model, rows, np.ascontiguousarray(fit.value.T))
    place = model.marker_place.copy()
    for k, row in enumerate(rows):
        if model.marker_fixed[row]:
            continue
        body = model.marker_body[row]
        local = np.einsum("fji,fj->fi", turns[:, body], position[k].T - origins[:, body])
        if np.isfinite(local).all(axis=1).any():
            place[row] = np.nanmedian(local, axis=0) + model.joints[body].child_place
    return replace(model, marker_place=place)
