"""Inverse kinematics of an OpenSim model: weighted least squares of markers, frame by frame."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product as combinations

import numpy as np

from mocap_reroot.types import Function, Model, read_only

Arrays = tuple[np.ndarray, ...]

PRIOR = 1e-5
"""m²: a coordinate 1 rad from its default costs as much as one marker 3 mm off; decides what
markers leave open."""
LANDMARK = 3.0
"""Weight of markers that the model fixes on landmarks, against those placed where they were worn.
Of 1, 3 and 10 the angles of 8 people came nearest to published ones with 3 and 10, at 1.5 and 7 %
more distance of all markers."""
_STEPS, _DONE = 30, 1e-6  # steps a frame at most; rad and m, less than which is no step
_SEED_STEPS = 15
_TURNS = (0.0, np.pi / 2, np.pi, -np.pi / 2)  # rad, of the root, from which the first frame starts
_STRANGE, _OFTEN = 0.05, 3.0  # m and median markers: so far off throughout, it sits elsewhere
_DOUBTED = 0.1  # weight of such a marker
_OUTLIER, _USUAL = 0.1, 6.0  # m and RMS: a marker farther off is none of the model's in that frame


@dataclass(frozen=True, eq=False)
class ModelFit:
    """A model fitted to markers.

    Attributes:
        value: ``(c, F)`` coordinates, rad and m.
        residual: ``(m, F)`` m, distance of markers from their places; NaN where missing.
        firm: ``(k, F)`` m², how firmly markers hold each unknown.
        unknowns: ``(k)`` coordinates that were fitted.
        dropped: Positions of markers left out, as too far off in a frame.
        strangers: Markers that count little, as they are elsewhere than the model says.
        swapped: Markers that had each other's labels, which were put right.
    """

    value: np.ndarray
    residual: np.ndarray
    firm: np.ndarray
    unknowns: np.ndarray
    dropped: int = 0
    strangers: tuple[int, ...] = ()
    swapped: tuple[int, ...] = ()

    @property
    def errors(self) -> np.ndarray:
        """``(m)`` m, RMS of every marker over frames; nothing for one that was never used."""
        count = np.isfinite(self.residual).sum(axis=1)
        return np.sqrt(np.nansum(self.residual**2, axis=1) / np.maximum(count, 1))

    @property
    def rms(self) -> float:
        """m, over all markers and frames."""
        return float(np.sqrt(np.nanmean(self.residual**2)))


def tree_arrays(model: Model) -> tuple[Arrays, np.ndarray, Arrays]:
    """Return a model as the kernel takes it: tree, coordinates of each joint, functions."""
    n = len(model.bodies)
    origin = np.array([joint.child_place for joint in model.joints])
    place = [
        joint.parent_place - (origin[p] if p >= 0 else 0.0)
        for joint, p in zip(model.joints, model.parents.tolist(), strict=True)
    ]
    functions = [f for joint in model.joints for f in joint.functions]
    functions += [coupling.function for coupling in model.couplings]
    floats = (
        [joint.parent_turn for joint in model.joints], place,
        [joint.child_turn for joint in model.joints], [joint.axes for joint in model.joints],
    )  # fmt: skip
    tree = (
        read_only(model.parents, np.int64),
        *(read_only(np.array(part)) for part in floats),
        read_only([joint.coordinates for joint in model.joints], np.int64),
        read_only(np.arange(6 * n).reshape(n, 6), np.int64),
    )
    spans = [(joint.own[0], joint.own[-1] + 1) if joint.own else (0, 0) for joint in model.joints]
    return tree, read_only(np.array(spans).T.reshape(-1), np.int64), _packed(functions)


def _packed(functions: list[Function]) -> Arrays:
    """Return all pieces of all functions in one array each."""
    width = max(f.coefficients.shape[1] for f in functions)
    first = np.cumsum([0, *(len(f.left) for f in functions)])
    coefficients = [
        np.pad(f.coefficients, ((0, 0), (0, width - f.coefficients.shape[1]))) for f in functions
    ]
    return (
        read_only(first, np.int64),
        read_only(np.concatenate([f.left for f in functions])),
        read_only(np.concatenate([f.centre for f in functions])),
        read_only(np.concatenate(coefficients)),
    )


def unknown_arrays(model: Model, seen: np.ndarray) -> Arrays:
    """Return of every coordinate its unknown, whom it follows, and the function it does so by.

    Args:
        model: The model.
        seen: ``(n)`` bodies with markers; what moves no marker is no unknown.
    """
    count = len(model.coordinates)
    of, via = np.arange(count), np.full(count, -1)
    for k, coupling in enumerate(model.couplings):
        of[coupling.dependent] = coupling.independent
        via[coupling.dependent] = 6 * len(model.bodies) + k
    moving = np.array(seen)
    for body in range(len(model.bodies) - 1, 0, -1):  # who bears a body with markers moves them
        moving[model.parents[body]] |= moving[body]
    moved = {of[c] for b, joint in enumerate(model.joints) if moving[b] for c in joint.own}
    unknown = np.full(count, -1)
    free = [
        c
        for c, coordinate in enumerate(model.coordinates)
        if c in moved and via[c] < 0 and not coordinate.locked
    ]
    unknown[free] = np.arange(len(free))
    return tuple(read_only(part, np.int64) for part in (unknown, of, via))


def fit_model(
    model: Model, rows: np.ndarray, position: np.ndarray, start: np.ndarray | None = None
) -> ModelFit:
    """Fit a model to markers.

    Args:
        model: The model.
        rows: ``(m)`` which of its markers they are.
        position: ``(m, 3, F)`` m, in the axes of its ground; NaN where missing.
        start: ``(c)`` where to begin; None: from the default, turned whichever way fits.
    """
    weight = np.ones(len(rows))
    fit = _fit(model, rows, position, start, weight)
    order = _labelled(model, rows, position, fit, strangers := _strange(fit))
    if (moved := order != np.arange(len(rows))).any():
        position = position[order]
        fit = _fit(model, rows, position, fit.value[:, 0], weight)
        strangers = _strange(fit)
    if strangers.any():  # they would bend the model all the time
        weight = np.where(strangers, _DOUBTED, 1.0)
        fit = _fit(model, rows, position, fit.value[:, 0], weight)
    fit = replace(fit, swapped=tuple(rows[moved]), strangers=tuple(rows[strangers]))
    limit = max(_OUTLIER, _USUAL * fit.rms)
    wrong = np.nan_to_num(fit.residual) > limit
    wrong[strangers] = False
    if not wrong.any():
        return fit
    position = np.where(wrong[:, None], np.nan, position)
    best = int(np.argmin(np.where(wrong.any(axis=0), np.inf, np.nan_to_num(fit.residual).sum(0))))
    again = _fit(model, rows, position, fit.value[:, best], weight)
    return replace(again, dropped=int(wrong.sum()), swapped=fit.swapped, strangers=fit.strangers)


def _strange(fit: ModelFit) -> np.ndarray:
    """Return ``(m)`` whether a marker is elsewhere than the model has it, throughout."""
    return fit.errors > max(_STRANGE, _OFTEN * float(np.median(fit.errors)))


def _labelled(
    model: Model, rows: np.ndarray, position: np.ndarray, fit: ModelFit, strangers: np.ndarray
) -> np.ndarray:
    """Return ``(m)`` whose positions each marker should have: strangers may bear others' labels."""
    from scipy.optimize import linear_sum_assignment

    order, who = np.arange(len(rows)), np.flatnonzero(strangers)
    places = placed(model, rows[who], np.ascontiguousarray(fit.value.T))[0]
    apart = np.array(
        [np.sqrt(np.nanmean(((position[k].T[:, None] - places) ** 2).sum(axis=2), 0)) for k in who]
    ).reshape(len(who), len(who))
    of = linear_sum_assignment(apart.T**2)[1]
    if (apart[of, np.arange(len(who))] < _STRANGE).all():
        order[who] = who[of]
    return order


def _fit(
    model: Model,
    rows: np.ndarray,
    position: np.ndarray,
    start: np.ndarray | None,
    weight: np.ndarray,
) -> ModelFit:
    from mocap_reroot.kernels.model_fitting import fit_frames

    frames = position.shape[-1]
    tree, bearer, functions = tree_arrays(model)
    markers = marker_arrays(model, rows)
    markers = (*markers[:2], read_only(markers[2] * weight))
    seen = np.isin(np.arange(len(model.bodies)), markers[0])
    unknowns = unknown_arrays(model, seen)
    bounds = read_only([coordinate.bounds for coordinate in model.coordinates])
    targets = read_only(position.transpose(2, 0, 1))
    prior = read_only(model.default), PRIOR
    value = np.repeat(model.default[None], frames, axis=0)
    firm = np.empty((frames, int(unknowns[0].max()) + 1))
    visible = np.isfinite(position).all(axis=1).sum(axis=0)
    best = int(np.argmax(visible))
    whole = tree, bearer, functions

    def run(
        order: np.ndarray, held: Arrays, steps: float, values: np.ndarray, holding: np.ndarray
    ) -> float:
        limits = read_only([steps, _DONE])
        args = bounds, markers, prior, targets, read_only(order, np.int64), limits
        return float(fit_frames(*whole, held, *args, values, holding))

    value[best] = _seed(model, unknowns, value, best, run) if start is None else start
    run(np.arange(best, frames), unknowns, _STEPS, value, firm)
    if best:
        run(np.arange(best, -1, -1), unknowns, _STEPS, value, firm)
    value = np.ascontiguousarray(value)
    points = placed(model, rows, value)[0]
    residual = np.linalg.norm(points - targets, axis=2).T
    return ModelFit(value.T.copy(), residual, firm.T, np.flatnonzero(unknowns[0] >= 0))


def _seed(model: Model, unknowns: Arrays, value: np.ndarray, best: int, run) -> np.ndarray:
    """Return ``(c)`` the pose of a frame: the root first, from many turns of it."""
    own = list(model.joints[0].own)
    turning = [c for c in own if model.coordinates[c].turns and unknowns[0][c] >= 0]
    sliding = [c for c in own if not model.coordinates[c].turns and unknowns[0][c] >= 0]
    alone = np.full(len(value[0]), -1)
    alone[turning + sliding] = np.arange(len(turning) + len(sliding))
    held = (read_only(alone, np.int64), *unknowns[1:])
    found: list[tuple[float, np.ndarray]] = []
    if not turning + sliding:
        return value[best].copy()
    for turns in combinations(_TURNS, repeat=len(turning)):
        tried = value.copy()
        tried[best, turning] = turns
        holding = np.empty((len(value), len(turning) + len(sliding)))
        cost = run(np.array([best]), held, _SEED_STEPS, tried, holding)
        found.append((cost, tried[best]))
    found.sort(key=lambda pair: pair[0])
    tried = value.copy()
    finished = []
    holding = np.empty((len(value), int(unknowns[0].max()) + 1))
    for _, pose in found[:2]:  # the way round that fits as a stiff body may not be the best
        tried[best] = pose
        cost = run(np.array([best]), unknowns, 4 * _STEPS, tried, holding)
        finished.append((cost, tried[best].copy()))
    return min(finished, key=lambda pair: pair[0])[1]


def marker_arrays(model: Model, rows: np.ndarray) -> Arrays:
    """Return bodies, places in the frames here, and weights of some of a model's markers."""
    body = model.marker_body[rows]
    origin = np.array([joint.child_place for joint in model.joints])
    place = model.marker_place[rows] - origin[body]
    weight = np.where(model.marker_fixed[rows], LANDMARK, 1.0)
    return read_only(body, np.int64), read_only(place), read_only(weight)


def placed(
    model: Model, rows: np.ndarray, value: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return markers ``(F, m, 3)``, and axes ``(F, n, 3, 3)`` and origins ``(F, n, 3)`` of bodies.

    Args:
        model: The model.
        rows: ``(m)`` which of its markers.
        value: ``(F, c)`` coordinates.
    """
    from mocap_reroot.kernels.model_fitting import place_markers

    tree, _, functions = tree_arrays(model)
    frames, n = len(value), len(model.bodies)
    out = np.empty((frames, len(rows), 3)), np.empty((frames, n, 3, 3)), np.empty((frames, n, 3))
    place_markers(tree, functions, marker_arrays(model, rows), read_only(value), *out)
    return out
