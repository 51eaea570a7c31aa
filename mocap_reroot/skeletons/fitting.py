"""Fit a skeleton of constant segment lengths to its markers, by displacement constraints.

Every marker asks its point on the skeleton to come to where it was measured; together they
contradict each other (skin slides over bone), so each step takes the least-squares displacement of
the whole tree in relative coordinates, in which lengths cannot change. Frames start from the first
form of the skeleton and are swept forwards and backwards; a little stiffness in time carries
poses over gaps and quiets what is faster than people move. Where the markers sit on the bodies is
calibrated in turn.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from mocap_reroot.mechanics.displacement import TRUNCATION
from mocap_reroot.numerics.vectors import product
from mocap_reroot.skeletons.calibration import AttachedMarkers
from mocap_reroot.types import Inference, Motion, Skeleton, flag_code, read_only

Arrays = tuple[np.ndarray, ...]

SIGMA = 0.005
"""m, what a marker of weight 1 is usually off: noise and skin."""

_OUTLIER = 0.04  # m, errors beyond count less and less
_FAR = 0.5  # m, the same in the first sweeps
_ALONE = 3  # sweeps in which frames do not see their neighbours
_ANCHOR = 2e-5  # m², weight per rad² of the first form, which decides what markers leave open
_KNEE = 0.08  # rad, how far knees usually turn about other axes than that of flexion
_CUTOFF = 20.0  # Hz, at which the stiffness in time halves an oscillation
_ESSENTIAL = ("pelvis", "thigh", "shank", "foot")
# Below this share of its usual firmness, and below that of one marker 3 cm away, a body is not
# placed by markers; for the root, below that of one marker.
_FIRM, _LEVER, _ONE = 0.05, 0.03**2, 1.0
_NOTHING = 1e-9  # m², as good as none


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted skeleton.

    Attributes:
        motion: It in motion.
        attached: Its markers, as calibrated and weighted.
        residual: ``(F, m)`` m, distance of each marker from its place on the skeleton; NaN in gaps.
        before: The same in the motion it started from, markers placed and weighted alike.
        history: m, weighted RMS of the markers' errors before each sweep.
    """

    motion: Motion
    attached: AttachedMarkers
    residual: np.ndarray
    before: np.ndarray
    history: tuple[float, ...] = field(repr=False)

    @property
    def rms(self) -> float:
        """m, over all markers and analysed frames."""
        return self._rms(self.residual)

    @property
    def rms_before(self) -> float:
        """m, the same of the motion it started from."""
        return self._rms(self.before)

    def _rms(self, error: np.ndarray) -> float:
        chosen = error[np.ix_(self.motion.analysed, ~self.attached.joint)]
        return float(np.sqrt(np.nanmean(chosen**2)))

    def __repr__(self) -> str:
        return f"<Fit: {len(self.attached)} markers, RMS {1000 * self.rms:.1f} mm>"


def tree_arrays(order: np.ndarray, parents: np.ndarray, offset: np.ndarray) -> Arrays:
    """Return a tree as :mod:`mocap_reroot.kernels.fitting` takes it.

    Args:
        order: ``(n)`` parents first.
        parents: ``(n)``, −1 at the root.
        offset: ``(n, 3)`` m, constant, or ``(F, n, 3)``.
    """
    n = len(order)
    first, above = np.empty(n, np.int64), np.empty(3 + 3 * n, np.int64)
    above[:3] = -1, 0, 1
    for k, body in enumerate(order):
        first[body] = row = 3 + 3 * k
        parent = parents[body]
        above[row : row + 3] = (2 if parent < 0 else first[parent] + 2), row, row + 1
    whole = [read_only(array, np.int64) for array in (order, parents, first, above)]
    return (*whole[:2], read_only(np.reshape(offset, (-1, n, 3))), *whole[2:])


def fit(
    motion: Motion,
    attached: AttachedMarkers,
    *,
    sweeps: int = 4,
    calibrations: int = 2,
    cutoff: float = _CUTOFF,
) -> Fit:
    """Fit a skeleton in motion to markers.

    Args:
        motion: Where to start: constant lengths, the root free, all other joints spherical.
        attached: Markers and where they sit.
        sweeps: Displacement steps per frame between calibrations.
        calibrations: How often markers are placed anew; with 0 they stay where they are.
        cutoff: Hz, see above; 0: every frame for itself.

    Returns:
        Fit: Same skeleton, new poses.
    """
    from mocap_reroot.kernels import fitting as kernels
    from mocap_reroot.kernels.rotations import make_continuous

    skeleton = motion.skeleton
    tree = tree_arrays(skeleton.order, skeleton.parents, skeleton.offset)
    rotation = motion.rotation.transpose(2, 0, 1).copy(order="C")
    root = motion.displacement[motion.skeleton.slot[motion.skeleton.root]].T.copy(order="C")
    before, _ = _compared(tree, attached, rotation, root)
    first, residual = rotation.copy(), before
    history = []
    for turn in range(calibrations + 1):
        markers = _marker_arrays(attached)
        # What is expected of people counts as far as the markers are unsure.
        doubt = min(1.0, float(np.nanmean(residual[:, ~attached.joint] ** 2)) / SIGMA**2)
        anchors = _anchors(motion.skeleton, first, doubt)
        firmness = doubt * np.median(_firmness(tree, markers, rotation, root), axis=0)
        stiffness = _stiffness(firmness, motion.fps, cutoff)
        for k in range(sweeps):
            # Where the start was bridged it may be far off: first every frame comes near by itself.
            near = turn > 0 or k >= _ALONE
            limits = (stiffness, _OUTLIER) if near else (np.zeros_like(stiffness), _FAR)
            args = tree, markers, anchors, read_only(limits[0]), limits[1]
            history.append(
                float(np.sqrt(kernels.sweep(*args, TRUNCATION, bool(k % 2), rotation, root)))
            )
        if turn < calibrations:
            _, points = _compared(tree, attached, rotation, root)
            attached = _placed(attached, points[motion.analysed])
        residual, _ = _compared(tree, attached, rotation, root)
    flags = _flags(motion, tree, attached, rotation, root)
    turned = np.ascontiguousarray(rotation.transpose(1, 2, 0))
    make_continuous(turned)
    fitted = replace(
        motion,
        rotation=turned,
        displacement=root.T[None],
        flags=flags,
    )
    return Fit(fitted, attached, residual, before, tuple(history))


def fitted_motion(motion: Motion, attached: AttachedMarkers, *, calibrations: int = 2) -> Motion:
    """Return a motion fitted to its markers, with a word on how well it follows them.

    The motion itself is returned, with a warning, if the fit follows the markers no better.
    """
    result = fit(motion, attached, calibrations=calibrations)
    now, before = 1000 * result.rms, 1000 * result.rms_before
    if not now < before:
        warning = (
            f"Fitting all markers did not bring the skeleton closer to them ({now:.1f} against "
            f"{before:.1f} mm); every bone is aimed at its far joint instead."
        )
        return replace(motion, source=motion.source.adding(warnings=[warning]))
    markers = ~attached.joint
    good = result.residual[np.ix_(result.motion.analysed, markers)]
    error = np.sqrt(np.mean(np.nan_to_num(good) ** 2, axis=0))
    worst = int(np.argmax(error))
    label = np.asarray(attached.labels)[markers][worst]
    evidence = (
        f"{markers.sum()} markers fitted with constant lengths: {now:.1f} mm RMS "
        f"({before:.1f} mm before fitting), most at {label}, {1000 * error[worst]:.1f} mm"
    )
    found = Inference("marker_fit", round(now, 2), 1.0, evidence)
    return replace(result.motion, source=motion.source.adding(inferred=[found]))


def _marker_arrays(attached: AttachedMarkers) -> Arrays:
    floats = attached.local, attached.weight[None], attached.position
    return (read_only(attached.body, np.int64), *map(read_only, floats))


def _anchors(
    skeleton: Skeleton, rotation: np.ndarray, doubt: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return rotations that joints are drawn to and how strongly: the first form; knees bend."""
    target = rotation.copy()
    weight = np.full((skeleton.n_bodies, 3), _ANCHOR)
    for name in ("left_shank", "right_shank"):
        if name in skeleton.names:
            i = skeleton.names.index(name)
            target[:, i] = _as_hinge(rotation[:, i])
            weight[i, :2] += doubt * (SIGMA / _KNEE) ** 2
    return read_only(target), read_only(weight)


def _as_hinge(q: np.ndarray) -> np.ndarray:
    """Return rotations ``(F, 4)`` that differ only about z: their usual swing, their own twist."""
    w, zero, z = q[:, 0], np.zeros(len(q)), q[:, 3]
    twist = np.array([w, zero, zero, z]) / np.hypot(w, z)
    swing = product(q.T, twist * np.array([[1], [-1], [-1], [-1]]))
    usual = np.median(swing * np.where(swing[:1] < 0, -1.0, 1.0), axis=1)
    return product((usual / np.linalg.norm(usual))[:, None], twist).T


def _stiffness(firmness: np.ndarray, fps: float, cutoff: float) -> np.ndarray:
    """Return ``(N)`` weights of second differences that halve an oscillation at the cut-off."""
    if cutoff <= 0:
        return read_only(np.zeros(len(firmness)))
    nyquist = fps / 2
    gain = (2 * np.sin(np.pi * min(cutoff, nyquist) / fps)) ** 4 * max(1, cutoff / nyquist) ** 4
    return read_only((firmness + _ANCHOR) / gain)


def _firmness(
    tree: Arrays,
    markers: Arrays,
    rotation: np.ndarray,
    root: np.ndarray,
) -> np.ndarray:
    """Return ``(F, N)``: how firmly markers hold each coordinate when those above it are fixed."""
    from mocap_reroot.kernels import fitting as kernels

    firmness = np.empty((len(root), len(tree[4])))
    kernels.determined(tree, markers, _OUTLIER, rotation, root, firmness)
    return firmness


def _compared(
    tree: Arrays, attached: AttachedMarkers, rotation: np.ndarray, root: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(F, m)`` m errors, and ``(F, m, 3)`` the markers in their bodies' axes."""
    from mocap_reroot.kernels import fitting as kernels

    shape = attached.position.shape
    error, points = np.empty(shape[:2]), np.empty(shape)
    kernels.compare(tree, _marker_arrays(attached), rotation, root, error, points)
    return error, points


def _placed(attached: AttachedMarkers, points: np.ndarray) -> AttachedMarkers:
    """Return markers where they sit in the median over frames; joints stay."""
    seen = np.isfinite(points).all(axis=2).any(axis=0) & ~attached.joint
    local = attached.local.copy()
    local[seen] = np.nanmedian(points[:, seen], axis=0)
    return replace(attached, local=local)


def _flags(
    motion: Motion,
    tree: Arrays,
    attached: AttachedMarkers,
    rotation: np.ndarray,
    root: np.ndarray,
) -> np.ndarray:
    """Return ``(F)`` flags: a frame is a gap where too few markers place pelvis, legs or feet."""
    firmness = _firmness(tree, _marker_arrays(attached), rotation, root)
    usual = np.median(firmness, axis=0)
    names = motion.skeleton.names
    rows = [
        row
        for i, name in enumerate(names)
        if name.split("_", 1)[-1] in _ESSENTIAL
        for row in range(tree[3][i], tree[3][i] + 3)
    ]
    least = np.minimum(_FIRM * usual, _LEVER)
    least[:3] = np.minimum(_FIRM * usual[:3], _ONE)
    # What no marker ever holds (feet that nobody marked) is not missed in single frames.
    rows = [0, 1, 2, *(row for row in rows if usual[row] > _NOTHING)]
    placed = (firmness[:, rows] > least[rows]).all(axis=1)
    flags = motion.flags.copy()
    gap, filled = flag_code("gap"), flag_code("filled")
    lost = np.isnan(attached.position[:, ~attached.joint]).any(axis=(1, 2))
    flags[(flags == 0) & lost] = filled
    flags[(flags == gap) & placed] = filled
    flags[~placed & ((flags == 0) | (flags == filled))] = gap
    return flags
