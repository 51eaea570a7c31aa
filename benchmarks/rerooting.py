"""Time re-rooting against Pinocchio's forward kinematics, called per frame, on the same tree.

    python benchmarks/rerooting.py [--frames 20000]

Prints a table, 8 to 256 bodies: µs a frame with velocities and accelerations, µs to build the new
tree (once a phase) and µs for a single state (a simulation's). The tree is shaped like a person
(five limbs on a trunk) and re-rooted at the end of a limb. Smaller trees get more frames and larger
ones fewer, so that all rows move the same amount of memory: where results start to exceed what the
allocator keeps at hand, time would jump for reasons of its own.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from mocap_reroot.rerooting.state import switch_root
from mocap_reroot.types import Motion, Skeleton


def person_like(bodies: int) -> Skeleton:
    """Return a tree of five limbs, the first body in the middle; spherical joints."""
    parents = [-1] + [0 if i <= 5 else i - 5 for i in range(1, bodies)]
    offset = np.random.default_rng(bodies).normal(scale=0.3, size=(bodies, 3))
    return Skeleton(tuple(f"body{i}" for i in range(bodies)), np.array(parents), offset)


def smooth_motion(skeleton: Skeleton, frames: int) -> Motion:
    """Return random states that a kernel cannot tell from a recording's."""
    rng = np.random.default_rng(frames)
    n = skeleton.n_bodies
    rotation = rng.normal(size=(n, 4, frames))
    rotation /= np.linalg.norm(rotation, axis=1, keepdims=True)
    turns = rng.normal(size=(2, n, 3, frames))
    slides = rng.normal(size=(3, 1, 3, frames))
    up = np.array([0.0, 1.0, 0.0])
    return Motion(skeleton, 100.0, up, rotation, slides[0], *turns, *slides[1:])


def best(run: Callable[[], object], repeat: int = 15) -> float:
    """Return the shortest time of several runs, s."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return min(times)


def pinocchio_time(motion: Motion, frames: int) -> float:
    """Return s a frame of ``forwardKinematics(q, v, a)`` called from Python."""
    import pinocchio as pin

    model = pin.Model()
    joints: list[int] = []
    for body, parent in enumerate(motion.skeleton.parents):
        kind = pin.JointModelFreeFlyer() if parent < 0 else pin.JointModelSpherical()
        stand = pin.SE3(np.eye(3), motion.skeleton.offset[body].copy())
        joints.append(model.addJoint(joints[parent] if parent >= 0 else 0, kind, stand, str(body)))
    data = model.createData()
    q = [pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq)) for _ in range(50)]
    v, a = np.random.default_rng(0).normal(size=(2, 50, model.nv))

    def run() -> None:
        for f in range(frames):
            k = f % 50
            pin.forwardKinematics(model, data, q[k], v[k], a[k])

    return best(run, 3) / frames


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--frames", type=int, default=20000, help="of the row with 22 bodies")
    most = parser.parse_args().frames
    print("re-rooting with velocities and accelerations, one thread\n")
    print("bodies  chain  frames  µs/frame  Pinocchio FK  ratio  vs half  tree µs  1 state µs")
    before = float("nan")
    for bodies in (8, 16, 22, 32, 64, 128, 256):
        skeleton, frames = person_like(bodies), most * 22 // bodies
        motion, top = smooth_motion(skeleton, frames), bodies - 1
        switch, one = switch_root(skeleton, top), motion.cut(0, 1)
        switch.apply(motion)  # compile
        ours = best(lambda s=switch, m=motion: s.apply(m)) / frames
        tree = best(lambda s=skeleton, t=top: switch_root(s, t), 50)
        single = best(lambda s=switch, m=one: s.apply(m), 50)
        # Pinocchio's workspace grows with the cube of the degrees of freedom
        theirs = pinocchio_time(motion, min(frames, 5000)) if bodies <= 128 else float("nan")
        growth = "" if bodies in (8, 22) else f"{ours / before:.2f}"
        before = before if bodies == 22 else ours
        print(
            f"{bodies:6d} {len(switch.chain):6d} {frames:7d} {ours * 1e6:9.3f} "
            f"{theirs * 1e6:13.2f} {ours / theirs:6.2f} {growth:>8s} "
            f"{tree * 1e6:8.0f} {single * 1e6:11.1f}"
        )


if __name__ == "__main__":
    main()
