"""The nodes of an FBX file in every frame, by ``ufbx``; run in a process of its own.

The package is young: it frees objects that it still uses when Python lets go of them. So every one
is held, nothing is collected, and the process ends without clearing up.
"""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from mocap_reroot.importers.keyframes import clock_of
from mocap_reroot.resources.processes import bounded_arguments

_MOST_VALUES = 200_000_000
"""Frames times nodes that move; more takes longer than the time limit."""
_LOOKED_AT = 24
"""Curves whose keys are looked at: those with the most."""
_SAME_RATE = 1e-3
_NEAR = 0.02
"""Of a frame: a key that near is the frame."""

_held: list[Any] = []


def _hold(thing: Any) -> Any:
    """Return an object of ufbx that must live as long as this process."""
    _held.append(thing)
    return thing


def _all(things: Any) -> list[Any]:
    """Return the members of one of ufbx' lists."""
    _hold(things)
    return [_hold(things[i]) for i in range(len(things))]


def _load(ufbx: Any, path: str) -> Any:
    """Return the scene, its axes right-handed."""
    how = {
        "ignore_geometry": True,
        "ignore_embedded": True,
        "skip_skin_vertices": True,
        "inherit_mode_handling": ufbx.InheritModeHandling.COMPENSATE,
    }
    scene = _hold(ufbx.load_file(path, **how))
    axes = [int(axis) for axis in _hold(_hold(scene.settings).axes)]
    if max(axes) < 6:
        right, up, front = (np.eye(3)[a // 2] * (-1 if a % 2 else 1) for a in axes)
        if np.cross(right, up) @ front < 0:
            how |= {
                "target_axes": ufbx.axes_right_handed_y_up,
                "handedness_conversion_axis": ufbx.MirrorAxis.X,
            }
            scene = _hold(ufbx.load_file(path, **how))
    return scene


def _animated(stack: Any) -> tuple[set[int], list[np.ndarray]]:
    """Return the ids of what a take moves, and the times of the keys of its longest curves, s."""
    moved: set[int] = set()
    curves = []
    for layer in _all(stack.layers):
        for prop in _all(layer.anim_props):
            moved.add(int(_hold(prop.element).element_id))
            every = [_hold(curve) for curve in _hold(_hold(prop.anim_value).curves)]
            curves += [_hold(curve.keyframes) for curve in every if curve is not None]
    curves.sort(key=lambda keys: -len(keys))
    times = [np.array([keys[i].time for i in range(len(keys))]) for keys in curves[:_LOOKED_AT]]
    return moved, [t[np.isfinite(t)] for t in times if np.isfinite(t).any()]


def _times(stack: Any, stated: float, keys: list[np.ndarray]) -> tuple[np.ndarray, float]:
    """Return when frames are, s, and their rate: the scene's, or that of denser keys."""
    begin, end = float(stack.time_begin), float(stack.time_end)
    rate = stated if 0 < stated < 1e5 else 30.0
    known = np.unique(np.concatenate(keys)) if keys else np.zeros(0)
    if not end > begin:
        begin, end = (float(known[0]), float(known[-1])) if len(known) else (0.0, 0.0)
    inside = known[(known >= begin - 0.5 / rate) & (known <= end + 0.5 / rate)]
    if len(inside) > 2:
        clock = clock_of([inside], 10_000_000)
        if clock.exact and clock.fps > rate * (1 + _SAME_RATE):
            rate = clock.fps
        begin = float(inside[0]) if abs(inside[0] - begin) < _NEAR / rate else begin
    count = (end - begin) * rate
    if not np.isfinite(count) or count > _MOST_VALUES:
        raise ValueError(f"the take lasts {end - begin:g} s at {rate:g} Hz")
    times = begin + np.arange(int(np.floor(count + _NEAR)) + 1) / rate
    if len(inside):  # exactly at the keys: between two that differ by a whole turn lies nonsense
        near = inside[np.clip(np.searchsorted(inside, times), 0, len(inside) - 1)]
        before = inside[np.clip(np.searchsorted(inside, times) - 1, 0, len(inside) - 1)]
        near = np.where(np.abs(before - times) < np.abs(near - times), before, near)
        times = np.where(np.abs(near - times) < _NEAR / rate, near, times)
    return times, rate


def _matrix(value: Any) -> np.ndarray:
    whole = np.eye(4)
    whole[:3] = np.array([tuple(column) for column in value]).T
    return whole


def _leave(target: str, arrays: dict[str, Any]) -> None:
    """Write the arrays where the other process looks for them, whole or not at all."""
    np.savez(f"{target}.partial.npz", **arrays)
    Path(f"{target}.partial.npz").rename(target)


def serve(path: str, take: str, target: str) -> None:
    """Read one file and leave its nodes where the parent expects them."""
    import ufbx

    scene = _load(ufbx, path)
    settings, nodes = _hold(scene.settings), _all(scene.nodes)
    rows = {int(node.element_id): row for row, node in enumerate(nodes)}
    stacks = _all(scene.anim_stacks)
    names = [str(stack.name) for stack in stacks]
    found: dict[str, np.ndarray] = {"takes": np.array(names, str)}
    if take and take not in names:
        _leave(target, found)
        return
    spans = [float(stack.time_end) - float(stack.time_begin) for stack in stacks]
    chosen = names.index(take) if take else int(np.argmax(spans)) if spans else -1
    times, rate = np.zeros(1), 30.0
    moved: set[int] = set()
    if chosen >= 0:
        stated = float(settings.frames_per_second)
        moved, keys = _animated(stacks[chosen])
        times, rate = _times(stacks[chosen], stated, keys)
        found["stated_rate"] = np.array(stated)
    moving = [row for id_, row in rows.items() if id_ in moved]
    if len(times) * len(moving) > _MOST_VALUES:
        raise ValueError(f"{len(times)} frames of {len(moving)} moving nodes are too many")
    rest, poses = np.empty((len(nodes), 10)), np.empty((len(moving), len(times), 10))
    for row, node in enumerate(nodes):
        rest[row] = _flat(node.local_transform)
    for k, row in enumerate(moving):
        anim, node, evaluate = _hold(stacks[chosen].anim), nodes[row], ufbx.evaluate_transform
        poses[k] = [_flat(evaluate(anim, node, time)) for time in times.tolist()]
    bound = [(_hold(c.bone_node), c.bind_to_world) for c in _all(scene.skin_clusters)]
    bound = [(node, matrix) for node, matrix in bound if node is not None]
    above = [_hold(node.parent) for node in nodes]
    _leave(
        target,
        found
        | {
            "names": np.array([str(node.name) for node in nodes], str),
            "parents": np.array([-1 if n is None else rows[int(n.element_id)] for n in above]),
            "is_bone": np.array([_hold(node.bone) is not None for node in nodes]),
            "is_drawn": np.array(
                [any(_hold(x) is not None for x in (n.mesh, n.camera, n.light)) for n in nodes]
            ),
            "rest": rest,
            "moving": np.array(moving, int),
            "poses": poses,
            "bound": np.array([rows[int(node.element_id)] for node, _ in bound], int),
            "bind": np.array([_matrix(matrix) for _, matrix in bound]).reshape(-1, 4, 4),
            "times": times,
            "rate": np.array(rate),
            "chosen": np.array(chosen),
            "up": np.array(int(_hold(settings.axes).up)),
            "unit": np.array(float(settings.unit_meters)),
        },
    )


def _flat(transform: Any) -> tuple[float, ...]:
    """Return translation, rotation (x, y, z, w) and scale, ten numbers."""
    return (*transform.translation, *transform.rotation, *transform.scale)


if __name__ == "__main__":
    gc.disable()
    try:
        serve(*bounded_arguments())
    except Exception as error:  # readers raise whatever they like
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)
