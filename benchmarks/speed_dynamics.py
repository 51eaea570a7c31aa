"""Forward kinematics, re-rooting and Newton-Euler beside Pinocchio and MuJoCo, per frame."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.measuring import Row, race
from benchmarks.newton_euler import person_like, pinocchio_run, random_motion, whole
from benchmarks.rerooting import pinocchio_time
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.mechanics.newton_euler import newton_euler
from mocap_reroot.rerooting.state import switch_root
from mocap_reroot.types import BodyModel, Motion, Skeleton

FRAMES = 20_000
RNEA = "Pinocchio rnea, per frame"


def measure(rounds: int, large: bool) -> Iterator[Row]:
    """Yield the rows of this part."""
    yield from _beside_peers(22, rounds)
    yield from _bodies(rounds)
    yield from _frames(rounds, large)


def unit_model(skeleton: Skeleton) -> BodyModel:
    """Return bodies of 1 kg each."""
    n = skeleton.n_bodies
    return BodyModel(
        skeleton, np.ones(n), np.full((n, 3), 0.1), np.tile(0.01 * np.eye(3), (n, 1, 1))
    )


def _beside_peers(bodies: int, rounds: int) -> Iterator[Row]:
    skeleton = person_like(bodies)
    motion, body = random_motion(skeleton, FRAMES), unit_model(skeleton)
    out = tuple(np.empty((bodies, 3, FRAMES)) for _ in range(2))
    some = 2_000  # frames of the peers, whose time a frame does not depend on their number
    runs: dict[str, Callable[[], object]] = {
        RNEA: pinocchio_run(motion, body, some),
        "MuJoCo mj_inverse, per frame": mujoco_run(motion, body, some),
        "Newton-Euler": lambda: newton_euler(motion, body, out=out),
        "Newton-Euler, 2 threads": lambda: newton_euler(motion, body, out=out, threads=2),
        "re-rooting, Newton-Euler, ground reaction": whole(motion, body),
        "forward kinematics with derivatives": lambda: forward(motion),
        "re-rooting with derivatives": _switch(motion),
    }
    peers = list(runs)[:2]
    found = race(runs, rounds)
    placed = pinocchio_time(motion, some)
    what = "Pinocchio forwardKinematics, per frame"
    yield Row("dynamics", f"{what} ({bodies} bodies)", 1e6 * placed, "µs a frame")
    goals = {"Newton-Euler": "≥ 8", "re-rooting, Newton-Euler, ground reaction": "≥ 3.5"}
    for name, times in found.items():
        each = times.wall / (some if name in peers else FRAMES)
        ratios = times.beside(found[RNEA], 1.0 if name in peers else some / FRAMES)
        peer = RNEA
        if name.startswith(("forward", "re-rooting with")):
            peer, ratios = what, (placed / each, float("nan"))
        label = f"{name} ({bodies} bodies)"
        goal = goals.get(name, "")
        yield Row("dynamics", label, 1e6 * each, "µs a frame", peer, *ratios, goal)


def _switch(motion: Motion) -> Callable[[], object]:
    switch = switch_root(motion.skeleton, motion.skeleton.n_bodies - 1)
    return lambda: switch.apply(motion)


def _bodies(rounds: int) -> Iterator[Row]:
    """Scale with bodies; as many frames as keep the memory the same."""
    before = float("nan")
    for bodies in (8, 16, 32, 64, 128, 256):
        skeleton = person_like(bodies)
        frames = FRAMES * 22 // bodies
        run = whole(random_motion(skeleton, frames), unit_model(skeleton))
        each = race({"whole": run}, rounds)["whole"].wall / frames
        growth = f", {each / before:.2f} × half as many" if before == before else ""
        before = each
        what = f"{bodies} bodies: re-root to ground{growth}"
        yield Row("scaling", what, 1e6 * each, "µs a frame")


def _frames(rounds: int, large: bool) -> Iterator[Row]:
    """Scale with frames."""
    skeleton = person_like(22)
    body = unit_model(skeleton)
    for frames in (1_000, 10_000, 100_000, 1_000_000)[: 4 if large else 3]:
        run = whole(random_motion(skeleton, frames), body)
        each = race({"whole": run}, rounds if frames < 1_000_000 else 1)["whole"].wall / frames
        yield Row("scaling", f"{frames:,} frames: re-root to ground", 1e6 * each, "µs a frame")


def mujoco_run(motion: Motion, body: BodyModel, frames: int) -> Callable[[], None]:
    """Return a run of ``mj_inverse`` over random states, one call a frame from Python."""
    import mujoco

    skeleton = motion.skeleton

    def element(i: int) -> str:
        joint = "<freejoint/>" if skeleton.parents[i] < 0 else '<joint type="ball"/>'
        x, y, z = body.com[i]
        inertia = " ".join(str(body.inertia[i, k, k]) for k in range(3))
        inertial = f'<inertial pos="{x} {y} {z}" mass="{body.mass[i]}" diaginertia="{inertia}"/>'
        place = " ".join(map(str, skeleton.offset[i]))
        inside = "".join(element(child) for child in skeleton.children[i])
        return f'<body pos="{place}">{joint}{inertial}{inside}</body>'

    world = f"<worldbody>{element(skeleton.root)}</worldbody>"
    flags = '<option><flag contact="disable" constraint="disable"/></option>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{flags}{world}</mujoco>")
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    q = rng.normal(size=(frames, model.nq))
    v, a = rng.normal(size=(2, frames, model.nv))

    def run() -> None:
        for f in range(frames):
            data.qpos[:], data.qvel[:], data.qacc[:] = q[f], v[f], a[f]
            mujoco.mj_inverse(model, data)

    return run


if __name__ == "__main__":
    started = time.perf_counter()
    for row in measure(3, False):
        print(row)
    print(f"{time.perf_counter() - started:.0f} s")
