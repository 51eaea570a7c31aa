"""Centre of mass of the trunk by regression on force plates.

Tables put it on the line between the trunk's joints, and marker sets differ in where that line
runs; people carry it up to 50 mm behind or ahead. While nothing is fast, the plates' pressure
tells: the moment that remains is the trunk's weight times the distance, and turns with the trunk.
How high it is along the trunk is not told as well, and stays.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocap_reroot.ground.segment_masses import WHOLE, frames_to_look_at, parts_of
from mocap_reroot.ground.weighing import Borne
from mocap_reroot.mechanics.whole_body import part_wrenches
from mocap_reroot.types import STANDARD_GRAVITY, BodyModel, Inference, Motion

SPREAD = 0.02
"""m, by which trunks differ from tables across their axis."""
CALM = 0.3
"""Of weight, by which the force upwards may differ from it. In runs, what smoothing did to fast
joints is larger than what the trunk does, and other centres are found at every speed."""
RESIDUAL, ARM, SAMPLE = 0.02, 0.5, 0.1
"""Of weight, m and s: what else remains of force, of moment over force, and for how long alike."""
_STEP = 0.01  # m, by which the centre is moved to see what that does


def with_trunk_centre(
    borne: Borne, motion: Motion, body: BodyModel
) -> tuple[BodyModel, Inference] | None:
    """Return a body whose trunk has its centre of mass where plates tell, and why; None: as it is.

    As with the masses of parts, what is found in one half of the frames must explain something of
    the other half.

    Args:
        borne: What plates bore of what the motion asks for.
        motion: With derivatives.
        body: Mass model by a table.
    """
    vertical = borne.total.vertical / (body.total_mass * STANDARD_GRAVITY)
    calm = np.abs(vertical - 1) < CALM
    frames = frames_to_look_at(replace(borne, known=borne.known & calm), motion.fps)
    trunk = max(parts_of(body).get("trunk", []), key=lambda i: body.mass[i], default=None)
    if frames is None or trunk is None or not body.com[trunk].any():
        return None
    across = np.linalg.svd(body.com[trunk][None])[2][1:]  # (2, 3), along it is the first

    def moves(centre: np.ndarray) -> np.ndarray:
        com = np.array(body.com)
        com[trunk] = centre
        return part_wrenches(motion, replace(body, com=com), [[trunk]]).wrench[0]

    now = moves(body.com[trunk])
    change = [(moves(body.com[trunk] + _STEP * axis) - now) / _STEP for axis in across]
    size = RESIDUAL * body.total_mass * STANDARD_GRAVITY * np.repeat([1.0, ARM], 3)[:, None]
    whole = np.concatenate([borne.total.force, borne.total.moment])
    wrench = np.stack([whole, *change])[..., frames] / size
    rest = np.concatenate([borne.residual_force, borne.residual_moment])[:, frames] / size
    many = SAMPLE * motion.fps
    first = np.arange(len(frames)) < len(frames) // 2
    mass_alone, both = (
        sum(
            _left(_fit(wrench[:k], rest, seen, many), wrench, rest)[~seen].sum()
            for seen in (first, ~first)
        )
        for k in (1, 3)
    )
    left = both / mass_alone
    if not left < 1:
        return None
    found = _fit(wrench, rest, np.ones_like(first), many)
    away = found[1:] @ across
    com = np.array(body.com)
    com[trunk] += away
    said = (
        f"The trunk's centre of mass is {1000 * np.linalg.norm(away):.0f} mm beside its axis by "
        f"the force plates: found in one half of {len(frames)} frames on them, this leaves "
        f"{100 * left:.0f} % of the squared residual of the other half."
    )
    value = f"{1000 * np.linalg.norm(away):.0f} mm"
    return replace(body, com=com), Inference("trunk_centre", value, 0.9, said)


def _fit(wrench: np.ndarray, rest: np.ndarray, seen: np.ndarray, many: float) -> np.ndarray:
    """Return ``(k)`` by how much the whole is heavier and where the trunk is, from some frames."""
    prior = np.diag([WHOLE**-2, SPREAD**-2, SPREAD**-2])[: len(wrench), : len(wrench)]
    information = np.einsum("kcf,lcf->kl", wrench[..., seen], wrench[..., seen]) / many
    pull = -np.einsum("kcf,cf->k", wrench[..., seen], rest[:, seen]) / many
    return np.linalg.solve(prior + information, pull)


def _left(change: np.ndarray, wrench: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Return ``(F)`` the squared residual that remains."""
    now = rest + np.einsum("k,kcf->cf", change, wrench[: len(change)])
    return np.asarray((now**2).sum(axis=0))
