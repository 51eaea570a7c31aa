"""A rehearsal of the dynamics: compiles their kernels ahead, in a process of its own.

A third to a half of the code that a first use compiles belongs to the last stages. While a command
reads, smooths and finds contacts, ``python -m mocap_reroot.rehearsal`` takes a stick figure through
those stages, so that every kernel is compiled for the very arguments that the stages give it; no
list of kernels or signatures is kept. Both leave what they compile in the cache, and each waits for
a kernel that the other is at (``kernels/turns.py``).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from mocap_reroot.kernels.compiling import cache_home, compiled_before
from mocap_reroot.kernels.threads import cores
from mocap_reroot.kernels.turns import TURNS


@contextmanager
def rehearsal() -> Iterator[subprocess.Popen[bytes] | None]:
    """Rehearse beside what is done meanwhile, where that saves time; end it with that.

    Yields:
        The process, or None: all is compiled, there is no core or no cache to share, or it cannot
        be started, which costs time and nothing else.
    """
    beside = None
    alone = os.environ.get("MOCAP_REROOT_THREADS") == "1" or cores() == 1
    if TURNS and not alone and cache_home() is not None and not compiled_before():
        with suppress(OSError):
            beside = subprocess.Popen(
                [sys.executable, "-P", "-W", "ignore", "-m", "mocap_reroot.rehearsal"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
    try:
        yield beside
    finally:
        if beside is not None:
            beside.kill()
            beside.wait()


def rehearse() -> None:
    """Take a stick figure that stands on both feet, on one, and on both again to its forces."""
    import numpy as np

    from mocap_reroot.dynamics.inverse import inverse_dynamics
    from mocap_reroot.ground.estimate import estimate_ground
    from mocap_reroot.rerooting.reroot import reroot
    from mocap_reroot.types import BodyModel, Contacts, Motion, Phase, Plane, Skeleton, Sole

    up, frames = np.array([0.0, 1.0, 0.0]), 60
    offset = [[0.0, 1.0, 0.0], [0.1, -0.9, 0.0], [-0.1, -0.9, 0.0]]
    skeleton = Skeleton(("pelvis", "left", "right"), [-1, 0, 0], offset)  # type: ignore[arg-type]
    rotation, still = np.zeros((3, 4, frames)), np.zeros((3, 3, frames))
    rotation[:, 0] = 1.0
    slides = np.zeros((len(skeleton.translating), 3, frames))
    motion = Motion(skeleton, 100.0, up, rotation, slides, still, still, slides, slides)
    inertia = np.array([0.1 * np.eye(3)] * 3)
    body = BodyModel(skeleton, np.array([60.0, 5.0, 5.0]), np.zeros((3, 3)), inertia, 1.7)

    corners = np.array(
        [[-0.05, -0.1, -0.1], [0.05, -0.1, -0.1], [0.05, -0.1, 0.1], [-0.05, -0.1, 0.1]]
    )
    soles = tuple(Sole(foot, foot, corners) for foot in (1, 2))
    touching = np.ones((2, frames), bool)
    touching[1, 20:40] = False
    phases = [Phase(k, "double", 1, (1, 2), 20 * k, 20 * k + 20, corners[0]) for k in range(3)]
    phases[1] = Phase(1, "single", 1, (1,), 20, 40, corners[0])
    contacts = Contacts(
        skeleton=skeleton,
        fps=100.0,
        start=0,
        flags=motion.flags,
        soles=soles,
        touching=touching,
        score=touching.astype(float),
        planes=(Plane(np.zeros(3), up),),
        plane=np.zeros((2, frames), int),
        phase_list=tuple(phases),
    )
    ground = estimate_ground(motion, body, contacts)
    inverse_dynamics(reroot(ground.motion, ground.contacts), ground.body, ground)


if __name__ == "__main__":
    rehearse()
