"""A small body model with SMPL's keys, and motions for it; the real models may not be shipped."""

from pathlib import Path

import numpy as np

from mocap_reroot.importers.smpl_model import LAYOUTS

PARENTS = (
    -1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19,
)  # fmt: skip
"""Of the 22 joints of the body."""
PLACES = np.array([
    (0, 0, 0), (0.06, -0.09, 0), (-0.06, -0.09, 0), (0, 0.11, -0.01), (0.1, -0.47, 0),
    (-0.1, -0.47, 0), (0, 0.24, 0), (0.09, -0.87, -0.03), (-0.09, -0.87, -0.03), (0, 0.3, 0),
    (0.11, -0.93, 0.09), (-0.11, -0.93, 0.09), (0, 0.51, -0.04), (0.08, 0.42, -0.02),
    (-0.08, 0.42, -0.02), (0, 0.58, 0.01), (0.17, 0.45, -0.02), (-0.17, 0.45, -0.02),
    (0.43, 0.44, -0.04), (-0.43, 0.44, -0.04), (0.68, 0.44, -0.05), (-0.68, 0.44, -0.05),
])  # fmt: skip
"""Where they are in the T-pose, m: y up, facing z."""


def parents(n: int) -> tuple[int, ...]:
    """Return the parents of a layout: hands and face hang from wrists and head."""
    names = LAYOUTS[n]
    found = list(PARENTS)
    for name in names[22:]:
        if name.startswith(("jaw", "left_eye", "right_eye")):
            found.append(15)
        elif name.endswith(("2", "3")):
            found.append(names.index(name[:-1] + str(int(name[-1]) - 1)))
        else:
            found.append(20 if name.startswith("left") else 21)
    return tuple(found)


def joints(n: int) -> np.ndarray:
    """Return ``(n, 3)`` where the joints of the mean shape are, m."""
    place = [*PLACES]
    for body, above in enumerate(parents(n)[22:], 22):
        place.append(place[above] + (0.03 if place[above][0] > 0 else -0.03, 0.001 * body, 0.01))
    return np.array(place)


def model(n: int = 52) -> dict[str, np.ndarray]:
    """Return the arrays of a model.

    Four vertices surround every joint, and more are the tips of toes, heels and head. Its second
    shape lengthens everything by a tenth; the first one moves nothing.
    """
    at = joints(n)
    around = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)]) * 0.01
    tips = np.array([(0.13, -0.94, 0.18), (-0.13, -0.94, 0.18), (0.08, -0.94, -0.09),
                     (-0.08, -0.94, -0.09), (0, 0.78, 0)])  # fmt: skip
    vertices = np.concatenate([(at[:, None] + around).reshape(-1, 3), tips])
    regressor = np.zeros((n, len(vertices)))
    weights = np.zeros((len(vertices), n))
    for body in range(n):
        regressor[body, 4 * body : 4 * body + 4] = 0.25
        weights[4 * body : 4 * body + 4, body] = 1.0
    for k, body in enumerate((10, 11, 7, 8, 15)):
        weights[4 * n + k, body] = 1.0
    tree = np.array([parents(n), range(n)])
    tree[0, 0] = 2**32 - 1
    return {
        "v_template": vertices,
        "shapedirs": np.stack([0 * vertices, 0.1 * vertices], axis=2),
        "J_regressor": regressor,
        "kintree_table": tree.astype(np.uint32),
        "weights": weights,
        "f": np.zeros((3, 3), np.uint32),
    }


def motion(n: int = 52, frames: int = 60, seed: int = 1) -> dict[str, np.ndarray]:
    """Return the arrays of an AMASS file: a person, z up, who bends smoothly."""
    random = np.random.default_rng(seed)
    time = np.linspace(0, 1, frames)[:, None]
    swing = 0.3 * random.standard_normal(3 * n) * np.sin(np.pi * time + random.random(3 * n))
    poses = swing.reshape(frames, n, 3)
    poses[:, [1, 2, 4, 5, 7, 8, 10, 11]] *= 0.05  # it stands
    poses[:, 0] = (np.pi / 2, 0, 0)
    trans = np.stack([0.3 * time[:, 0], 0 * time[:, 0], 0.95 + 0 * time[:, 0]], axis=1)
    return {
        "poses": poses.reshape(frames, -1),
        "trans": trans,
        "betas": np.array([0.0, 0.5] + [0.0] * 14),
        "gender": np.array("female"),
        "mocap_framerate": np.array(120.0),
        "dmpls": np.zeros((frames, 8)),
    }


def save(path: Path, arrays: dict[str, np.ndarray]) -> Path:
    """Write an ``.npz`` file."""
    np.savez(path, **arrays)
    return path
