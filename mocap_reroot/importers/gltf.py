"""glTF 2.0 (``.glb``, ``.gltf``) to Recording: skins or plain node trees, and their animations.

Joints are what a skin says, else the nodes that an animation moves with what stands between and
below them. Meshes, cameras and lights are left out, and so are the nodes that this program adds
besides joints (arrows, pressures): they are marked in their ``extras``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mocap_reroot.errors import FileError, UnknownNameError, printable
from mocap_reroot.importers.gltf_data import Document, is_index, open_document
from mocap_reroot.importers.keyframes import Clock, clock_of, sampled
from mocap_reroot.importers.nodes import Node, decompose, hierarchy_of, in_order, skeleton_nodes
from mocap_reroot.resources.memory import require_memory
from mocap_reroot.types import Recording, flag_code

MARK = "mocap_reroot"
"""Key of a node's and of the asset's ``extras`` that this program writes and reads."""
_DRAWN = {"mesh", "camera", "extensions"}
"""What a node has that is something else than a joint; lights come in extensions."""
_PATHS = {"translation": 3, "rotation": 4, "scale": 3}
_BYTES = 300
"""Bytes per frame and joint that reading takes at its peak."""
_MOST_FRAMES = 20_000_000


@dataclass(frozen=True, eq=False)
class _Channel:
    """What moves one property of a node: ``keys`` ``(k)`` s and ``values`` ``(k, …)``."""

    node: int
    path: str
    keys: np.ndarray
    values: np.ndarray
    how: str


def read_gltf(path: str | Path, *, take: str | None = None) -> Recording:
    """Read a glTF file.

    Args:
        path: ``.glb``, or ``.gltf`` with its buffers beside or within it.
        take: Name of the animation; the longest by default.

    Returns:
        Recording: Metres, y up, as the format demands; bodies have the axes of their nodes.

    Raises:
        FileError: It is no glTF 2.0, is damaged, or holds no skeleton.
        UnknownNameError: There is no such animation.
    """
    path = Path(path)
    document = open_document(path)
    nodes, roles = _nodes(document)
    order = in_order(path, nodes)
    channels, warnings = _chosen_take(document, take, len(nodes))
    joints = _joints(document, nodes, roles, channels)
    chosen, others = skeleton_nodes(nodes, order, joints)
    if not chosen:
        raise FileError(
            path,
            "it holds neither a skin nor an animated tree of nodes.",
            todo="Export it with its armature and animation.",
        )
    if others:
        left = ", ".join(printable(name) or "?" for name in others[:5])
        warnings.append(f"Of {len(others) + 1} skeletons the largest was taken; left out: {left}.")
    within = _with_ancestors(nodes, chosen)
    mine = [channel for channel in channels if channel.node in within]
    clock, repairs = _clock(path, mine, len(chosen))
    if clock is None:
        warnings.append("The file holds no animation of its skeleton; its pose is the only frame.")
        clock = Clock(np.zeros(1), 30.0, True)
    told = _told(document)
    fps = _number(told, "fps", clock.fps * (1 - 1e-4), clock.fps * (1 + 1e-4)) or clock.fps
    for channel in mine:
        values = sampled(
            clock.times, channel.keys, channel.values, channel.how, channel.path == "rotation"
        )
        setattr(nodes[channel.node], channel.path, values)
    hierarchy, more = hierarchy_of(path, nodes, order, chosen, len(clock.times))
    return Recording(
        path=path,
        format="gltf",
        n_frames=len(clock.times),
        fps=fps,
        hierarchy=hierarchy,
        unit="m",
        up="+y",
        flags=_flags(told, hierarchy.values),
        mass=_number(told, "mass", 3, 350),
        height=_number(told, "height", 0.3, 3),
        repairs=tuple(repairs + more),
        warnings=tuple(warnings),
        start_time=float(clock.times[0]),
    )


def _nodes(document: Document) -> tuple[list[Node], list[str]]:
    """Return all nodes, and what this program marked each as (empty: nothing)."""
    nodes, roles = [], []
    entries = document.entries("nodes")
    for index, entry in enumerate(entries):
        node = Node(str(entry.get("name", "")) or f"node_{index}")
        if "matrix" in entry:
            matrix = _vector(document, entry["matrix"], 16, "matrix").reshape(4, 4).T
            parts = decompose(matrix)
        else:
            x, y, z, w = _vector(document, entry.get("rotation", (0, 0, 0, 1)), 4, "rotation")
            parts = (
                _vector(document, entry.get("translation", (0, 0, 0)), 3, "translation"),
                np.array([w, x, y, z]) / (np.linalg.norm([w, x, y, z]) or np.nan),
                _vector(document, entry.get("scale", (1, 1, 1)), 3, "scale"),
            )
        if not all(np.isfinite(part).all() for part in parts):
            raise document.wrong(f"node {index} has a transform that is not finite.")
        node.rest_translation, node.rest_rotation, _ = parts
        node.translation, node.rotation, node.scale = (part[:, None] for part in parts)
        mark = entry["extras"].get(MARK) if isinstance(entry.get("extras"), dict) else None
        roles.append(str(mark.get("role", "")) if isinstance(mark, dict) else "")
        node.is_site = roles[-1] == "site"
        nodes.append(node)
    for index, entry in enumerate(entries):
        for child in document.several(entry, "children"):
            if not is_index(child) or child >= len(nodes) or child == index:
                raise document.wrong(f"node {index} bears {child!r}, which is no other node.")
            if nodes[child].parent >= 0:
                raise document.wrong(f"node {child} hangs from two others.")
            nodes[child].parent = index
    return nodes, roles


def _vector(document: Document, value: Any, size: int, what: str) -> np.ndarray:
    try:
        found = np.array(value, float)
    except (TypeError, ValueError, OverflowError):
        found = np.zeros(0)
    if found.shape != (size,):
        raise document.wrong(f"a node's {what} is not {size} numbers.")
    return found


def _chosen_take(
    document: Document, take: str | None, count: int
) -> tuple[list[_Channel], list[str]]:
    """Return the channels of an animation: the one asked for, else the longest."""
    takes = document.entries("animations")
    names = [printable(str(t.get("name") or f"animation_{k}")) for k, t in enumerate(takes)]
    if take is not None:
        if take not in names:
            raise UnknownNameError(f"take in {document.path}", take, names)
        return _channels(document, takes[names.index(take)], count), []
    if not takes:
        return [], []
    every = [_channels(document, each, count) for each in takes]
    spans = [max((float(c.keys[-1] - c.keys[0]) for c in each), default=-1.0) for each in every]
    longest = int(np.argmax(spans))
    warnings = []
    if len(takes) > 1:
        warnings.append(
            f"Of the takes {', '.join(names[:20])} the longest was read, {names[longest]}; "
            "choose one with --take."
        )
    return every[longest], warnings


def _channels(document: Document, entry: dict[str, Any], count: int) -> list[_Channel]:
    samplers, found = document.several(entry, "samplers"), []
    for channel in document.several(entry, "channels"):
        target = channel.get("target", {}) if isinstance(channel, dict) else None
        if not isinstance(target, dict):
            raise document.wrong("an animation's channel has no target.")
        path, node, number = target.get("path"), target.get("node"), channel.get("sampler")
        if not isinstance(path, str) or path not in _PATHS or node is None:
            continue  # weights of meshes, and what extensions move
        if not is_index(node) or node >= count:
            raise document.wrong(f"an animation moves node {node!r} of {count}.")
        if not is_index(number) or number >= len(samplers):
            raise document.wrong(f"an animation's channel names sampler {number!r}.")
        sampler = samplers[number]
        if not isinstance(sampler, dict):
            raise document.wrong("a sampler of an animation is no object.")
        how = sampler.get("interpolation", "LINEAR")
        keys = document.numbers(sampler.get("input"))
        values = document.numbers(sampler.get("output"))
        parts = 3 if how == "CUBICSPLINE" else 1
        if how not in ("STEP", "LINEAR", "CUBICSPLINE") or keys.shape[1] != 1:
            raise document.wrong(f"a sampler interpolates {str(how)[:40]!r}, or has no times.")
        if values.shape != (parts * len(keys), _PATHS[path]):
            raise document.wrong(
                f"a sampler of {path} has {len(keys)} times and {values.shape[0]} values."
            )
        times = keys[:, 0]
        if not len(times):
            continue
        if not np.isfinite(times).all() or (np.diff(times) <= 0).any():
            raise document.wrong("the times of an animation are not finite or do not ascend.")
        if path == "rotation":
            values = values[:, [3, 0, 1, 2]]
        if parts == 3:
            values = values.reshape(len(times), 3, -1)
        found.append(_Channel(node, path, times, values, how))
    return found


def _joints(
    document: Document, nodes: list[Node], roles: list[str], channels: list[_Channel]
) -> list[int]:
    """Return the nodes that are joints, with the poses in which meshes were bound to them."""
    found: list[int] = []
    for skin in document.entries("skins"):
        joints = document.several(skin, "joints")
        for joint in joints:
            if not is_index(joint) or joint >= len(nodes):
                raise document.wrong(f"a skin names joint {joint!r} of {len(nodes)} nodes.")
        if "inverseBindMatrices" in skin and joints:
            inverse = document.numbers(skin["inverseBindMatrices"])
            if inverse.shape[1] == 16 and len(inverse) >= len(joints):
                _bind(nodes, joints, inverse.reshape(-1, 4, 4).transpose(0, 2, 1))
        found += joints
    if found:
        return [joint for joint in dict.fromkeys(found) if roles[joint] in ("", "joint")]
    moved = {channel.node for channel in channels}
    entries = document.entries("nodes")
    drawn = {i for i, entry in enumerate(entries) if not _DRAWN.isdisjoint(entry)}
    top = {index for index in moved if roles[index] in ("", "joint")}
    below = set(top)
    for index in in_order(document.path, nodes):  # what hangs from a moving node ends its bones
        plain = roles[index] in ("", "joint") and index not in drawn
        if plain and nodes[index].parent in below:
            below.add(index)
    return sorted(below)


def _bind(nodes: list[Node], joints: list[int], inverse: np.ndarray) -> None:
    for joint, matrix in zip(joints, inverse, strict=False):
        if np.isfinite(matrix).all() and abs(np.linalg.det(matrix)) > 1e-12:
            nodes[joint].bind = np.linalg.inv(matrix)


def _with_ancestors(nodes: list[Node], chosen: list[int]) -> set[int]:
    within, above = set(chosen), nodes[chosen[0]].parent
    while above >= 0:
        within.add(above)
        above = nodes[above].parent
    return within


def _clock(path: Path, channels: list[_Channel], joints: int) -> tuple[Clock | None, list[str]]:
    """Return when frames are, and what was done to keys that are at other times."""
    if not channels:
        return None, []
    clock = clock_of([channel.keys for channel in channels], _MOST_FRAMES)
    frames = len(clock.times)
    require_memory(path, _BYTES * frames * joints, f"{frames} frames of {joints} joints")
    if clock.exact:
        return clock, []
    return clock, [
        f"The keys are not evenly spaced: they were sampled at {clock.fps:g} Hz, {frames} frames."
    ]


def _told(document: Document) -> dict[str, Any]:
    """Return what this program wrote about the clip, if it wrote the file."""
    extras = document.json["asset"].get("extras")
    told = extras.get(MARK) if isinstance(extras, dict) else None
    return told if isinstance(told, dict) else {}


def _number(told: dict[str, Any], name: str, least: float, most: float) -> float | None:
    value = told.get(name)
    good = isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most
    return float(value) if good else None  # type: ignore[arg-type]


def _flags(told: dict[str, Any], values: np.ndarray) -> np.ndarray:
    """Return ``(F)`` flags: frames that were left out when the file was written, or not finite."""
    frames = values.shape[1]
    flags = np.zeros(frames, np.uint8)
    flags[~np.isfinite(values).all(axis=0)] = flag_code("not_finite")
    for span in told.get("left_out", ()) if isinstance(told.get("left_out"), list) else ():
        if isinstance(span, list) and len(span) == 2 and all(isinstance(v, int) for v in span):
            flags[max(span[0], 0) : max(span[1], 0)] = flag_code("gap")
    return flags
