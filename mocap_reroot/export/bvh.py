"""BVH out: any skeleton, captured or re-rooted, readable by every program that knows the format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.export.folders import complete_file
from mocap_reroot.kernels.printing import WIDTH, print_rows
from mocap_reroot.kernels.rotations import quaternion_to_euler
from mocap_reroot.types import Motion, Skeleton, read_only

_AXES = "XYZ"
_POSITIONS = ("Xposition", "Yposition", "Zposition")
_ROTATIONS = ("Zrotation", "Xrotation", "Yrotation")  # what most programs write
_ANGLE_DECIMALS = 9  # degrees: 0.01 nm at the end of a metre
_POSITION_ERROR = 1e-10  # m
_EXACT = 1e-9  # rad: what fewer than three channels may leave out
_LARGEST = 1e15  # file units; beyond it the decimals do not fit into 64 bits
_BLOCK_BYTES = 1 << 24


def write_bvh(motion: Motion, path: str | Path, *, unit_scale: float | None = None) -> Path:
    """Write a motion as a BVH file.

    Channels keep the order the file had that the motion came from; otherwise the root gets
    positions and Z, X, Y rotations and other joints these rotations. A joint that translates gets
    position channels; one whose rotation its old channels cannot express gets three. BVH knows no
    rest rotations, so the channels hold rest and joint rotation together. Angles run on without
    jumps of 360°. Missing frames are written as ``nan``. Positions are exact to 0.1 nm.

    Args:
        motion: Any motion, also a re-rooted one.
        path: Where to write; the file appears when it is complete.
        unit_scale: m per unit in the file, by default that of the file the motion came from.

    Returns:
        The path.

    Raises:
        FileError: The file cannot be written.
    """
    path = Path(path)
    scale = motion.source.unit_scale if unit_scale is None else float(unit_scale)
    if not (np.isfinite(scale) and scale > 0):
        raise MocapRerootError(f"unit_scale must be a positive number of metres; found {scale}.")
    bodies = depth_first(motion.skeleton)
    channels, values = channel_values(motion, bodies, scale)
    largest = np.nanmax(np.abs(values), initial=0.0)
    if largest > _LARGEST:
        raise MocapRerootError(f"A value of {largest:g} cannot be written to a BVH file.")
    places = max(0, int(np.ceil(np.log10(scale / _POSITION_ERROR) - 1e-9)))
    kinds = [word for body in bodies for word in channels[body]]
    decimals = [places if word.endswith("position") else _ANGLE_DECIMALS for word in kinds]
    head = "\n".join(
        [
            "HIERARCHY",
            *_hierarchy(motion.skeleton, bodies, channels, scale, places),
            "MOTION",
            f"Frames: {motion.n_frames}",
            f"Frame Time: {1 / motion.fps!r}",
            "",
        ]
    )
    _write(path, head, values, np.minimum(decimals, 18))
    return path


def depth_first(skeleton: Skeleton) -> list[int]:
    """Return the bodies as a BVH file lists them: each followed by all that hangs below it."""
    order: list[int] = []
    ahead = [skeleton.root]
    while ahead:
        body = ahead.pop()
        order.append(body)
        ahead.extend(reversed(skeleton.children[body]))
    return order


def channel_values(
    motion: Motion, bodies: list[int], scale: float
) -> tuple[list[tuple[str, ...]], np.ndarray]:
    """Return each body's channels, and their values in the order of ``bodies``.

    Args:
        motion: Any motion.
        bodies: Order of the rows.
        scale: m per unit of the positions; angles are in degrees.

    Returns:
        ``(n)`` tuples of channel names and ``(c, F)`` values.
    """
    skeleton = motion.skeleton
    wanted = [_wanted(motion, body) for body in range(skeleton.n_bodies)]
    axes = np.array([_sequence(words) for words in wanted])
    angles = np.empty((skeleton.n_bodies, 3, motion.n_frames))
    quaternion_to_euler(read_only(motion.rotation), read_only(axes, np.int64), angles)
    rows: dict[int, list[np.ndarray]] = {}
    channels: list[tuple[str, ...]] = []
    for body, words in enumerate(wanted):
        turns = [word for word in words if word.endswith("rotation")]
        turned = angles[body]
        if len(turns) < 3:
            fewer = _fewer_angles(motion.rotation[body], [_AXES.index(word[0]) for word in turns])
            if fewer is None:
                others = [f"{_AXES[axis]}rotation" for axis in axes[body]]
                words = tuple(w for w in words if w.endswith("position")) + tuple(others)
            else:
                turned = fewer
        channels.append(words)
        position = _position(motion, body) / scale
        turn = iter(turned)
        rows[body] = [
            position[_AXES.index(word[0])] if word.endswith("position") else next(turn)
            for word in words
        ]
    listed = [row for body in bodies for row in rows[body]]
    return channels, np.array(listed).reshape(len(listed), motion.n_frames)


def _wanted(motion: Motion, body: int) -> tuple[str, ...]:
    """Return the channels a body should have: the file's, if they can hold what is to be said."""
    skeleton, slot = motion.skeleton, motion.skeleton.slot[body]
    if not skeleton.channels:
        return (_POSITIONS if slot >= 0 or body == skeleton.root else ()) + _ROTATIONS
    words = skeleton.channels[body]
    turns = tuple(word for word in words if word.endswith("rotation"))
    if len(turns) == 3 and not _is_sequence(turns):
        turns = _ROTATIONS
    # A re-rooted tree has other parents: what slid against the old one need not against the new.
    captured = not skeleton.origin.any()
    without = [axis for axis in range(3) if _POSITIONS[axis] not in words]
    if captured and (slot < 0 or (motion.displacement[slot][without] == 0).all()):
        turn = iter(turns)
        return tuple(word if word.endswith("position") else next(turn) for word in words)
    return (_POSITIONS if slot >= 0 or body == skeleton.root else ()) + turns


def _is_sequence(turns: tuple[str, ...]) -> bool:
    """Whether three rotation channels can express every rotation."""
    return turns[0] != turns[1] and turns[1] != turns[2]


def _sequence(words: tuple[str, ...]) -> list[int]:
    """Return three axes: those of the rotation channels, made up to three where there are fewer."""
    axes = [_AXES.index(word[0]) for word in words if word.endswith("rotation")][:3]
    if len(axes) == 2 and axes[0] == axes[1]:
        axes = axes[:1]
    return axes + [axis for axis in (2, 0, 1) if axis not in axes][: 3 - len(axes)]


def _fewer_angles(rotation: np.ndarray, axes: list[int]) -> np.ndarray | None:
    """Return ``(len(axes), F)`` degrees about up to two axes, or None if they do not suffice."""
    w, vector = rotation[0], rotation[1:]
    if not axes:
        angles, left = np.empty((0, len(w))), vector
    elif len(axes) == 1:
        a = axes[0]
        angles = 2 * np.arctan2(vector[a], w)[None]
        left = np.delete(vector, a, axis=0)
    elif axes[0] == axes[1]:
        return None
    else:
        a, b = axes
        c = 3 - a - b
        sign = 1.0 if (b - a) % 3 == 1 else -1.0
        va, vb, vc = vector[a], vector[b], sign * vector[c]
        # q = (cos a cos b, sin a cos b, cos a sin b, sin a sin b), halves: take the larger pair.
        first = np.where(w**2 + va**2 >= vb**2 + vc**2, np.arctan2(va, w), np.arctan2(vc, vb))
        second = np.where(w**2 + vb**2 >= va**2 + vc**2, np.arctan2(vb, w), np.arctan2(vc, va))
        angles = 2 * np.array([first, second])
        left = (w * vc - va * vb)[None]  # zero if, and only if, two axes suffice
    known = np.isfinite(w)
    if np.abs(left[:, known]).max(initial=0.0) > _EXACT:
        return None
    for row in angles:
        row[known] = np.unwrap(row[known])
    return np.degrees(angles)


def _position(motion: Motion, body: int) -> np.ndarray:
    """Return ``(3, F)`` m, where a body stands in its parent's frame."""
    offset = np.repeat(motion.skeleton.offset[body][:, None], motion.n_frames, axis=1)
    slot = motion.skeleton.slot[body]
    return offset + motion.displacement[slot] if slot >= 0 else offset


def _hierarchy(
    skeleton: Skeleton,
    bodies: list[int],
    channels: list[tuple[str, ...]],
    scale: float,
    places: int,
) -> Iterator[str]:
    """Yield the lines of the hierarchy."""
    depth = {skeleton.root: 0}
    open_blocks = 0
    for body in bodies:
        parent = int(skeleton.parents[body])
        level = depth[parent] + 1 if parent >= 0 else 0
        depth[body] = level
        while open_blocks > level:
            open_blocks -= 1
            yield "\t" * open_blocks + "}"
        indent = "\t" * level
        name = " ".join(skeleton.names[body].replace("{", "(").split())
        yield f"{indent}{'JOINT' if level else 'ROOT'} {name}"
        yield f"{indent}{{"
        open_blocks += 1
        yield f"{indent}\tOFFSET {_vector(skeleton.offset[body] / scale, places)}"
        words = channels[body]
        yield f"{indent}\tCHANNELS {' '.join([str(len(words)), *words])}"
        for site in np.flatnonzero(skeleton.site_body == body):
            tip = (skeleton.site_offset[site] - skeleton.origin[body]) / scale
            yield f"{indent}\tEnd Site"
            yield f"{indent}\t{{"
            yield f"{indent}\t\tOFFSET {_vector(tip, places)}"
            yield f"{indent}\t}}"
    while open_blocks:
        open_blocks -= 1
        yield "\t" * open_blocks + "}"


def _vector(values: np.ndarray, places: int) -> str:
    # Two digits more than the positions: enough to give back 0.1 after a division by the unit.
    return " ".join(np.format_float_positional(round(float(v), places + 2) + 0.0) for v in values)


def _write(path: Path, head: str, values: np.ndarray, decimals: np.ndarray) -> None:
    """Write a file that appears under its name only when it is complete."""
    channels, frames = values.shape
    values, decimals = read_only(values), read_only(decimals, np.int64)
    rows = max(1, min(frames, _BLOCK_BYTES // (WIDTH * max(channels, 1))))
    text = np.empty(rows * channels * WIDTH, dtype=np.uint8)
    with complete_file(path) as draft, draft.open("wb") as file:
        file.write(head.encode())
        for first in range(0, frames if channels else 0, rows):
            stop = min(first + rows, frames)
            size = print_rows(values, first, stop, decimals, text)
            file.write(text.data[:size])
