"""Time inverse dynamics against Pinocchio's ``rnea``, called per frame, on the same tree.

    python benchmarks/newton_euler.py [--frames 20000] [--bodies 22]

One process, the median of five rounds in which all take turns. Prints µs a frame and the ratio to
Pinocchio for: Newton-Euler alone; with two threads; re-rooting with derivatives, Newton-Euler and
the ground reaction (force, centre of pressure, free moment) in capture convention.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

from mocap_reroot.contact.support import pressure
from mocap_reroot.dynamics.rooted import Clip, Trees, support_rooted
from mocap_reroot.mechanics.newton_euler import newton_euler
from mocap_reroot.rerooting.state import switch_root
from mocap_reroot.types import BodyModel, Motion, Skeleton, read_only


def person_like(bodies: int) -> Skeleton:
    """Return a tree of five limbs, the first body in the middle; spherical joints."""
    parents = [-1] + [0 if i <= 5 else i - 5 for i in range(1, bodies)]
    offset = np.random.default_rng(bodies).normal(scale=0.3, size=(bodies, 3))
    return Skeleton(tuple(f"body{i}" for i in range(bodies)), np.array(parents), offset)


def random_motion(skeleton: Skeleton, frames: int) -> Motion:
    """Return random states, which a kernel cannot tell from a recording's."""
    rng = np.random.default_rng(frames)
    n = skeleton.n_bodies
    rotation = rng.normal(size=(n, 4, frames))
    rotation /= np.linalg.norm(rotation, axis=1, keepdims=True)
    turns, slides = rng.normal(size=(2, n, 3, frames)), rng.normal(size=(3, 1, 3, frames))
    up = np.array([0.0, 1.0, 0.0])
    return Motion(skeleton, 100.0, up, rotation, slides[0], *turns, *slides[1:])


def pinocchio_run(motion: Motion, body: BodyModel, frames: int) -> Callable[[], None]:
    """Return a run of ``rnea`` over random states, one call a frame from Python."""
    import pinocchio as pin

    model, joints = pin.Model(), []
    for i, parent in enumerate(motion.skeleton.parents):
        kind = pin.JointModelFreeFlyer() if parent < 0 else pin.JointModelSpherical()
        stand = pin.SE3(np.eye(3), motion.skeleton.offset[i].copy())
        joints.append(model.addJoint(joints[parent] if parent >= 0 else 0, kind, stand, str(i)))
        inertia = pin.Inertia(float(body.mass[i]), body.com[i].copy(), body.inertia[i].copy())
        model.appendBodyToJoint(joints[i], inertia, pin.SE3.Identity())
    data = model.createData()
    low, high = -np.ones(model.nq), np.ones(model.nq)
    q = [pin.randomConfiguration(model, low, high) for _ in range(frames)]
    v, a = np.random.default_rng(0).normal(size=(2, frames, model.nv))

    def run() -> None:
        for f in range(frames):
            pin.rnea(model, data, q[f], v[f], a[f])

    return run


def whole(motion: Motion, body: BodyModel) -> Callable[[], None]:
    """Return a run of re-rooting with derivatives, Newton-Euler and the ground reaction."""
    skeleton, frames = motion.skeleton, motion.n_frames
    switch = switch_root(skeleton, skeleton.n_bodies - 1, np.array([0.1, 0.0, 0.0]))
    phases = np.array([[0, frames, 0]])
    clip = Clip(motion, body, Trees(skeleton, [switch.after], body), read_only(phases, np.int64))
    point, normal = np.zeros((3, frames)), np.repeat(motion.up[:, None], frames, axis=1)

    def run() -> None:
        _, total = support_rooted(clip)
        pressure(total.force, total.moment, total.about, motion.up, point, normal)

    return run


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=20_000)
    parser.add_argument("--bodies", type=int, default=22)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    skeleton = person_like(options.bodies)
    motion = random_motion(skeleton, options.frames)
    n = skeleton.n_bodies
    com, inertia = np.full((n, 3), 0.1), np.tile(0.01 * np.eye(3), (n, 1, 1))
    body = BodyModel(skeleton, np.ones(n), com, inertia)
    out = np.empty((n, 3, options.frames)), np.empty((n, 3, options.frames))
    runs: dict[str, Callable[[], object]] = {
        "Pinocchio rnea": pinocchio_run(motion, body, options.frames),
        "Newton-Euler": lambda: newton_euler(motion, body, out=out),
        "Newton-Euler, 2 threads": lambda: newton_euler(motion, body, out=out, threads=2),
        "re-root, Newton-Euler, ground": whole(motion, body),
    }
    times: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        run()  # compile
    for _ in range(options.rounds):
        for name, run in runs.items():
            begin = time.perf_counter()
            run()
            times[name].append((time.perf_counter() - begin) / options.frames)
    peer = statistics.median(times["Pinocchio rnea"])
    print(f"{n} bodies, {options.frames} frames, median of {options.rounds} rounds")
    for name, values in times.items():
        middle = statistics.median(values)
        print(f"{name:32s} {1e6 * middle:8.3f} µs a frame   {middle / peer:6.3f} of Pinocchio")


if __name__ == "__main__":
    main()
