"""People (and others) in motion, built from words: recordings whose truth is known.

Lengths are those of a person of 1.70 m; y is up, the person looks along z, so left is +x.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from mocap_reroot.types import Hierarchy, Recording

ROTATIONS = ("Zrotation", "Xrotation", "Yrotation")
POSITIONS = ("Xposition", "Yposition", "Zposition")

_LEG = (("UpLeg", (0.09, -0.05, 0.0)), ("Leg", (0, -0.42, 0)), ("Foot", (0, -0.41, 0)))
_ARM = (("Shoulder", (0.03, 0.2, 0)), ("Arm", (0.14, 0, 0)), ("ForeArm", (0.29, 0, 0)))


def tree(*, legs: bool = True, arms: bool = True, sides: str = "both") -> list:
    """Return (name, parent, offset) rows and sites of a person in a T-pose."""
    rows = [
        ("Hips", "", (0, 0, 0)),
        ("Spine", "Hips", (0, 0.1, 0)),
        ("Spine1", "Spine", (0, 0.15, 0)),
    ]
    rows += [("Neck", "Spine1", (0, 0.25, 0)), ("Head", "Neck", (0, 0.1, 0.02))]
    sites = [("Head", (0, 0.2, 0))]
    for side, sign in (("Left", 1), ("Right", -1)):
        if sides not in ("both", side):
            continue
        mirror = np.array([sign, 1, 1])
        if legs:
            chain = [*_LEG, ("ToeBase", (0, -0.06, 0.13))]
            _add(rows, "Hips", side, chain, mirror)
            sites.append((f"{side}ToeBase", (0, -0.01, 0.07)))
        if arms:
            _add(rows, "Spine1", side, [*_ARM, ("Hand", (0.25, 0, 0))], mirror)
            sites.append((f"{side}Hand", tuple(mirror * (0.18, 0, 0))))
    return [rows, sites]


def _add(rows: list, parent: str, side: str, chain: list, mirror: np.ndarray) -> None:
    for name, offset in chain:
        rows.append((side + name, parent, tuple(mirror * offset)))
        parent = side + name


def recording(rows: list, sites: list, root: np.ndarray, turns: dict, fps: float) -> Recording:
    """Return a recording: ``root`` ``(3, F)`` m; ``turns`` about x by name, ``(F)`` degrees."""
    names = [name for name, *_ in rows]
    values = []
    for name in names:
        if name == names[0]:
            values += list(root)
        x = turns.get(name, np.zeros(root.shape[1]))
        values += [np.zeros_like(x), x, np.zeros_like(x)]
    hierarchy = Hierarchy(
        tuple(names),
        np.array([names.index(parent) if parent else -1 for _, parent, _ in rows]),
        np.array([offset for *_, offset in rows], float),
        ((*POSITIONS, *ROTATIONS), *[ROTATIONS] * (len(names) - 1)),
        np.array([names.index(name) for name, _ in sites], int),
        np.array([offset for _, offset in sites], float).reshape(-1, 3),
        np.array(values),
    )
    return Recording(Path("made.bvh"), "bvh", root.shape[1], fps, hierarchy=hierarchy)


def walk(seconds: float = 4.0, fps: float = 120.0, rows_sites: list | None = None) -> Recording:
    """Walk at 1.3 m/s with strides of 1.1 s; knees bend as they swing."""
    time = np.arange(round(seconds * fps)) / fps
    phase = 2 * np.pi * time / 1.1
    turns = {}
    for side, shift in (("Left", 0.0), ("Right", np.pi)):
        turns[f"{side}UpLeg"] = -25 * np.sin(phase + shift)
        turns[f"{side}Leg"] = 30 + 25 * np.cos(phase + shift)
        turns[f"{side}Arm"] = 20 * np.sin(phase + shift)
    root = np.array([0 * time, 0.90 + 0 * time, 1.3 * time])
    return recording(*(rows_sites or tree()), root, turns, fps)


def fall(fps: float = 120.0, rise: float = 0.35, stand: float = 0.5) -> Recording:
    """Stand, jump ``rise`` metres high (0: drop from 2 m instead), land and stand."""
    g = 9.80665
    if rise > 0:
        air = 2 * np.sqrt(2 * rise / g)
        time = np.arange(round((2 * stand + air) * fps)) / fps - stand
        height = np.where(
            (time > 0) & (time < air), np.sqrt(2 * rise * g) * time - g / 2 * time**2, 0
        )
    else:
        air = np.sqrt(2 * 2.0 / g)
        time = np.arange(round((air + stand) * fps)) / fps
        height = np.maximum(2.0 - g / 2 * time**2, 0)
    root = np.array([0 * time, 0.96 + height, 0 * time])
    turns = {f"{side}Leg": 10.0 + 0 * time for side in ("Left", "Right")}
    return recording(*tree(), root, turns, fps)


def renamed(clip: Recording, names: list[str]) -> Recording:
    """Return the clip with other names."""
    assert clip.hierarchy is not None
    return replace(clip, hierarchy=replace(clip.hierarchy, names=tuple(names)))


def scaled(clip: Recording, factor: float) -> Recording:
    """Return the clip in another unit: every length times ``factor``."""
    h = clip.hierarchy
    assert h is not None
    words = [word for channels in h.channels for word in channels]
    position = np.array([word.endswith("position") for word in words])
    values = np.where(position[:, None], factor, 1.0) * h.values
    h = replace(h, offset=h.offset * factor, site_offset=h.site_offset * factor, values=values)
    return replace(clip, hierarchy=h)


def at_rate(clip: Recording, fps: float) -> Recording:
    """Return the clip resampled; channels are interpolated linearly."""
    h = clip.hierarchy
    assert h is not None
    old = np.arange(clip.n_frames) / clip.fps
    new = np.arange(int(old[-1] * fps + 1e-9) + 1) / fps
    values = np.array([np.interp(new, old, row) for row in h.values])
    return replace(clip, fps=fps, n_frames=len(new), hierarchy=replace(h, values=values))


def turned(clip: Recording, up: str, rest_too: bool = True) -> Recording:
    """Return the clip of a y-up file turned so that ``up`` is up.

    With ``rest_too`` offsets and joint axes turn as well; without, only the root's channels do.
    """
    h = clip.hierarchy
    assert h is not None
    turn = turn_to(up)
    if not rest_too:
        position, angles = h.values[:3], h.values[3:6]
        order = "".join(word[0] for word in h.channels[0][3:])
        root = Rotation.from_matrix(turn) * Rotation.from_euler(order, angles.T, degrees=True)
        new = root.as_euler(order, degrees=True).T
        values = np.concatenate([turn @ position, new, h.values[6:]])
        return replace(clip, hierarchy=replace(h, values=values))
    axis, sign = np.argmax(np.abs(turn), axis=0), turn.sum(axis=0)
    channels, values, row = [], h.values.copy(), 0
    for words in h.channels:
        now = []
        for word in words:
            k = "XYZ".index(word[0])
            now.append("XYZ"[axis[k]] + word[1:])
            values[row] *= sign[k]
            row += 1
        channels.append(tuple(now))
    h = replace(
        h,
        offset=h.offset @ turn.T,
        site_offset=h.site_offset @ turn.T,
        channels=tuple(channels),
        values=values,
    )
    return replace(clip, hierarchy=h)


def turn_to(up: str) -> np.ndarray:
    """Return ``(3, 3)`` a rotation by right angles that takes y to the given axis."""
    target = np.zeros(3)
    target["xyz".index(up[-1])] = -1.0 if up.startswith("-") else 1.0
    y = np.array([0.0, 1.0, 0.0])
    if np.allclose(target, y):
        return np.eye(3)
    if np.allclose(target, -y):
        return np.diag([1.0, -1.0, -1.0])
    z = np.cross(target, y)  # x = y × z goes to target × (where z goes)
    return np.column_stack([np.cross(target, z), target, z])
