"""How fast a skeleton is fitted to markers, and by which solver.

    python benchmarks/fitting.py FILE.c3d

One table: a trial fitted as ``read`` does it, and the linear systems of its displacement steps by
four solvers: factorised along the branches of the tree (the one in use), dense and sparse direct
(SciPy) on the same systems in relative coordinates, and conjugate gradients in absolute
coordinates, where joints are constraints among the others.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg

from mocap_reroot.kernels import fitting as kernels
from mocap_reroot.mechanics.constraints import joint, pinned
from mocap_reroot.mechanics.displacement import Linearised, Solids, assemble
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.reading import read_recording
from mocap_reroot.skeletons import fitting
from mocap_reroot.skeletons.calibration import AttachedMarkers, attached_markers
from mocap_reroot.skeletons.from_markers import markers_motion
from mocap_reroot.skeletons.landmarks import find_landmarks
from mocap_reroot.types import Motion, read_only


def best(work: Callable[[], object], repeats: int = 5) -> float:
    """Return s, the fastest of some runs."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def normal_system(motion: Motion, attached: AttachedMarkers, frame: int) -> tuple[np.ndarray, ...]:
    """Return the normal matrix, its gradient and the branches of one frame's displacement."""
    s = motion.skeleton
    tree = fitting.tree_arrays(s.order, s.parents, s.offset)
    rotation = motion.rotation.transpose(2, 0, 1).copy(order="C")
    root = motion.displacement[0].T.copy(order="C")
    orientation, position, load, pull, columns, matrix, x = kernels.workspace(s.n_bodies)
    floats = attached.local, attached.weight[None], attached.position
    markers = (read_only(attached.body, np.int64), *map(read_only, floats))
    kernels.place(tree, frame, rotation[frame], root[frame], orientation, position)
    centre = position[s.root]
    kernels.load(markers, frame, 0.04, orientation, position, centre, load, pull)
    kernels.columns(tree, orientation, position, centre, columns)
    kernels.normal(tree, columns, load, pull, matrix, x)
    matrix[np.diag_indices(len(x))] += 2e-5  # what markers leave open
    return matrix, x, tree[4]


def in_absolute_coordinates(motion: Motion, attached: AttachedMarkers, frame: int) -> Solids:
    """Return the same frame as free solids, joints and markers being constraints."""
    s = motion.skeleton
    joints = [
        joint("spherical", int(s.parents[i]), i, s.offset[i], np.zeros(3))
        for i in range(s.n_bodies)
        if s.parents[i] >= 0
    ]
    for body, at, seen in zip(attached.body, attached.local, attached.position[frame], strict=True):
        if np.isfinite(seen).all():
            joints.append(pinned(int(body), at, seen))
    mass, inertia = np.ones(s.n_bodies), np.tile(0.01 * np.eye(3), (s.n_bodies, 1, 1))
    return Solids(mass, inertia, tuple(joints))


def main(path: Path) -> None:
    """Print the table."""
    recording = read_recording(path)
    motion = markers_motion(recording, fitting="first")
    marks, marker_set = find_landmarks(recording)
    attached = attached_markers(motion, recording, marks, marker_set)
    result = fitting.fit(motion, attached)
    seconds = best(lambda: fitting.fit(motion, attached))
    print(f"{path.name}: {motion.n_frames} frames, {len(attached)} markers, "
          f"{motion.skeleton.n_bodies} bodies")  # fmt: skip
    print(f"  whole fit, 3 calibrations of 4 sweeps: {1000 * seconds:.0f} ms "
          f"({1e6 * seconds / motion.n_frames / 12:.0f} us a frame and sweep), "
          f"RMS {1000 * result.rms:.1f} mm")  # fmt: skip
    frame = motion.n_frames // 2
    branches, gradient, above = normal_system(motion, attached, frame)
    lower = np.tril(branches)
    whole = lower + np.tril(lower, -1).T
    sparse = scipy.sparse.csc_matrix(whole)
    exact = scipy.linalg.solve(whole, gradient, assume_a="pos")
    along = gradient.copy()
    kernels.solve(above, branches.copy(), along)
    print(f"  one step, {len(gradient)} unknowns, {sparse.nnz} of {whole.size} entries not zero; "
          f"solvers differ by {np.abs(along - exact).max():.1e}")  # fmt: skip

    def repeat(work: Callable[[], object], count: int = 200) -> float:
        return best(lambda: [work() for _ in range(count)]) / count

    world = forward(motion)
    start = world.position[..., frame].copy(), world.orientation[..., frame].copy()
    solids = in_absolute_coordinates(motion, attached, frame)
    linear = Linearised.of(solids, *start)
    error = solids.errors(*start)
    table = {
        "along the branches": repeat(
            lambda: kernels.solve(above, branches.copy(), gradient.copy())
        ),
        "dense Cholesky (SciPy)": repeat(
            lambda: scipy.linalg.cho_solve(scipy.linalg.cho_factor(whole), gradient)
        ),
        "sparse direct (SciPy)": repeat(lambda: scipy.sparse.linalg.splu(sparse).solve(gradient)),
        f"absolute, gradients ({len(error)} constraints)": repeat(
            lambda: linear.gradients(-error, 1e-5, scaled=False), 20
        ),
    }
    for name, cost in table.items():
        print(f"  {name:44s} {1e6 * cost:9.1f} us")
    whole_frame = best(lambda: assemble(solids, *start, iterations=5, precision=1e-5), 3)
    print(f"  a whole frame in absolute coordinates, 5 steps: {1000 * whole_frame:.1f} ms")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
