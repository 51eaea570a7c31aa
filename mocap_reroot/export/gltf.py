"""GLB out: the skeleton, its motion, a mannequin, and force arrows and pressures that move along.

glTF is in metres, y up: one node above all turns the file's world that way. Joints are the joints
of a skin, so that programs show a skeleton; whatever else moves is marked in its ``extras`` and is
not taken for a bone when the file is read back. Numbers are single precision.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.export.folders import complete_file
from mocap_reroot.export.gltf_shapes import Shape, arrow, ball, mannequin
from mocap_reroot.mechanics.world_axes import turn_between
from mocap_reroot.numerics.frames import runs
from mocap_reroot.numerics.vectors import matrices
from mocap_reroot.types import LEAST_FORCE, BodyModel, Motion, Skeleton
from mocap_reroot.version import __version__

if TYPE_CHECKING:
    from mocap_reroot.analysis import Analysis

MARK = "mocap_reroot"
"""Key of the ``extras`` of nodes, the asset and the animation."""
METRES_PER_NEWTON = 1.5e-3
"""Length of an arrow: about a metre for one who stands on one leg."""
PRESSURE_RADIUS = 0.02
"""m, of the ball at the centre of pressure."""
_HIDDEN = 1e-4  # scale of what is not there; none would be a matrix without an inverse
_COLOURS = {
    "left": (0.16, 0.44, 0.76),
    "right": (0.85, 0.33, 0.20),
    "": (0.66, 0.68, 0.72),
    "force": (0.10, 0.62, 0.35),
    "pressure": (0.95, 0.75, 0.10),
}
_THROUGH = 0.7
"""Opacity of the mannequin: the arrow of a standing leg runs within it."""
_FLOAT, _BYTE, _SHORT, _INT = 5126, 5121, 5123, 5125
_KINDS = {_FLOAT: "<f4", _BYTE: "u1", _SHORT: "<u2", _INT: "<u4"}
_WIDTHS = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
_VERTICES, _CORNERS = 34962, 34963
_LARGEST = 2**32 - 1
"""Bytes that the length of a GLB can state."""


@dataclass(eq=False)
class _Scene:
    """A glTF being put together: its JSON and its binary part."""

    json: dict[str, Any]
    parts: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, name: str, entry: dict[str, Any]) -> int:
        """Add an entry to a list and return its index."""
        self.json.setdefault(name, []).append(entry)
        return len(self.json[name]) - 1

    def numbers(
        self, values: np.ndarray, kind: int = _FLOAT, target: int = 0, bounds: bool = False
    ) -> int:
        """Add ``(count, width)`` numbers and return their accessor."""
        data = np.ascontiguousarray(values, _KINDS[kind])
        text = data.tobytes()
        view: dict[str, Any] = {"buffer": 0, "byteOffset": self.size, "byteLength": len(text)}
        if target:
            view["target"] = target
        text += bytes(-len(text) % 4)
        self.parts.append(text)
        self.size += len(text)
        accessor: dict[str, Any] = {
            "bufferView": self.add("bufferViews", view),
            "componentType": kind,
            "count": len(data),
            "type": _WIDTHS[data.shape[1]],
        }
        if bounds:
            accessor |= {"min": data.min(axis=0).tolist(), "max": data.max(axis=0).tolist()}
        return self.add("accessors", accessor)

    def node(self, name: str, role: str, parent: int | None, **entry: Any) -> int:
        """Add a node below another, marked as what it is."""
        index = self.add("nodes", {"name": name, "extras": {MARK: {"role": role}}, **entry})
        if parent is not None:
            self.json["nodes"][parent].setdefault("children", []).append(index)
        return index

    def mesh(self, name: str, shapes: dict[str, Shape], kind: int | None = None) -> int:
        """Add a mesh of shapes, each in its colour; with the kind of index: bound to joints."""
        primitives = []
        for colour, shape in shapes.items():
            attributes = {
                "POSITION": self.numbers(shape.position, target=_VERTICES, bounds=True),
                "NORMAL": self.numbers(shape.normal, target=_VERTICES),
            }
            if kind is not None:
                joints, weights = (np.zeros((len(shape.body), 4)) for _ in range(2))
                joints[:, 0], weights[:, 0] = shape.body, 1.0
                attributes["JOINTS_0"] = self.numbers(joints, kind, _VERTICES)
                attributes["WEIGHTS_0"] = self.numbers(weights, target=_VERTICES)
            corners = self.numbers(shape.triangle.reshape(-1, 1), _INT, _CORNERS)
            surface = {"metallicFactor": 0.0, "roughnessFactor": 0.8}
            seen = 1.0 if kind is None else _THROUGH
            entry = {
                "name": colour or "middle",
                "alphaMode": "OPAQUE" if kind is None else "BLEND",
                "pbrMetallicRoughness": surface | {"baseColorFactor": [*_COLOURS[colour], seen]},
            }
            material = self.add("materials", entry)
            primitives.append({"attributes": attributes, "indices": corners, "material": material})
        return self.add("meshes", {"name": name, "primitives": primitives})


@dataclass(frozen=True, eq=False)
class _Animation:
    """Channels that share their times."""

    scene: _Scene
    times: int
    samplers: list[dict[str, Any]] = field(default_factory=list)
    channels: list[dict[str, Any]] = field(default_factory=list)

    def move(self, node: int, path: str, values: np.ndarray) -> None:
        """Let a node have ``(width, F)`` values."""
        output = self.scene.numbers(values.T)
        self.samplers.append({"input": self.times, "output": output, "interpolation": "LINEAR"})
        target = {"node": node, "path": path}
        self.channels.append({"sampler": len(self.samplers) - 1, "target": target})


def write_glb(
    motion: Motion,
    path: str | Path,
    *,
    body: BodyModel | None = None,
    result: Analysis | None = None,
) -> Path:
    """Write a motion as one binary glTF file.

    Frames that are missing hold the nearest that is there; ``extras`` of the asset say which.

    Args:
        motion: Any motion, also a re-rooted one.
        path: Where to write; the file appears when it is complete.
        body: How heavy its bodies are, for the mannequin's thickness.
        result: An analysis of the same motion: its forces become arrows and pressures, its phases
            and events ``extras`` of the animation.

    Returns:
        The path.

    Raises:
        FileError: The file cannot be written.
    """
    path = Path(path)
    if motion.n_frames == 0:
        raise MocapRerootError(f"{path}: a motion without frames cannot be written as glTF.")
    if result is not None:
        body = result.body
    name = motion.source.path.stem if motion.source.path else path.stem
    scene = _Scene({"asset": _asset(motion, body), "scene": 0, "scenes": [{"name": name}]})
    world = scene.node(
        name, "world", None, rotation=_xyzw(turn_between(motion.up, np.eye(3)[1])).tolist()
    )
    times = scene.numbers(motion.time[:, None], bounds=True)
    animation = _Animation(scene, times)
    joints = _joints(scene, motion.skeleton, world)
    _move_joints(animation, motion, joints)
    figure = _figure(scene, motion.skeleton, joints, body)
    for limb, force, pressure in _pushes(result):
        _push(animation, world, limb, force, pressure)
    scene.json["scenes"][0]["nodes"] = [world, figure]
    scene.json["animations"] = [
        {
            "name": name,
            "channels": animation.channels,
            "samplers": animation.samplers,
            "extras": {MARK: _told(result)},
        }
    ]
    _write(scene, path)
    return path


def _asset(motion: Motion, body: BodyModel | None) -> dict[str, Any]:
    """Return who wrote the file, and what its format has no place for."""
    told: dict[str, Any] = {
        "fps": motion.fps,
        "frames": motion.n_frames,
        "up_vector": motion.up.tolist(),
        "metres_per_newton": METRES_PER_NEWTON,
        "left_out": [[int(a), int(b)] for a, b in runs(~motion.analysed)],
    }
    if body is not None:
        told |= {"mass": float(body.total_mass), "height": float(body.height)}
        told = {key: value for key, value in told.items() if value == value}
    return {"version": "2.0", "generator": f"mocap_reroot {__version__}", "extras": {MARK: told}}


def _told(result: Analysis | None) -> dict[str, Any]:
    """Return phases and events as plain lists."""
    if result is None:
        return {}
    tables = {"phases": result.phases, "events": result.events}
    return {name: json.loads(table.to_json(orient="records")) for name, table in tables.items()}


def _joints(scene: _Scene, skeleton: Skeleton, world: int) -> list[int]:
    """Add a node for every body and End Site, as they are at rest."""
    nodes = [-1] * skeleton.n_bodies
    for body in skeleton.order.tolist():
        parent = int(skeleton.parents[body])
        nodes[body] = scene.node(
            skeleton.names[body],
            "joint",
            world if parent < 0 else nodes[parent],
            translation=_plain(skeleton.offset[body]),
            rotation=_xyzw(_unit(skeleton.rest[body])).tolist(),
        )
    for bearer, offset in zip(skeleton.site_body.tolist(), skeleton.site_offset, strict=True):
        place = _plain(offset - skeleton.origin[bearer])
        scene.node(f"{skeleton.names[bearer]}_end", "site", nodes[bearer], translation=place)
    return nodes


def _move_joints(animation: _Animation, motion: Motion, nodes: list[int]) -> None:
    skeleton = motion.skeleton
    for body, node in enumerate(nodes):
        animation.move(node, "rotation", _xyzw(_unit(held(motion.rotation[body]))))
        slot = skeleton.slot[body]
        if slot >= 0:
            place = skeleton.offset[body][:, None] + motion.displacement[slot]
            animation.move(node, "translation", held(place))


def _figure(scene: _Scene, skeleton: Skeleton, nodes: list[int], body: BodyModel | None) -> int:
    """Add the mannequin, bound to the joints as they are at rest."""
    n = skeleton.n_bodies
    turns, places = np.empty((n, 3, 3)), np.empty((n, 3))
    for i in skeleton.order.tolist():
        parent = int(skeleton.parents[i])
        above = (np.eye(3), np.zeros(3)) if parent < 0 else (turns[parent], places[parent])
        turns[i] = above[0] @ matrices(_unit(skeleton.rest[i]))
        places[i] = above[1] + above[0] @ np.nan_to_num(skeleton.offset[i])
    shapes = mannequin(skeleton, turns, places, None if body is None else body.mass)
    inverse = np.zeros((n, 4, 4))
    inverse[:, :3, :3] = turns.transpose(0, 2, 1)
    inverse[:, :3, 3] = -np.einsum("nji,nj->ni", turns, places)
    inverse[:, 3, 3] = 1.0
    skin = {
        "joints": nodes,
        "skeleton": nodes[skeleton.root],
        "inverseBindMatrices": scene.numbers(inverse.transpose(0, 2, 1).reshape(n, 16)),
    }
    mesh = scene.mesh("mannequin", shapes, _BYTE if n <= 256 else _SHORT)
    return scene.node("mannequin", "mannequin", None, mesh=mesh, skin=scene.add("skins", skin))


def _pushes(result: Analysis | None) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Return who is pushed, ``(3, F)`` N by what force and ``(3, F)`` m where."""
    if result is None:
        return []
    table = result.grf
    limbs = [str(c).removesuffix("_on") for c in table.columns if str(c).endswith("_on")]
    return [
        (limb, *(table[[f"{limb}_{k}{a}" for a in "xyz"]].to_numpy(float).T for k in "fp"))
        for limb in limbs
    ]


def _push(
    animation: _Animation, world: int, limb: str, force: np.ndarray, pressure: np.ndarray
) -> None:
    """Add an arrow and a ball that follow a force and its place."""
    scene = animation.scene
    force = np.nan_to_num(force)
    size = np.sqrt((force * force).sum(axis=0))
    there = (size >= LEAST_FORCE) & np.isfinite(pressure).all(axis=0)
    if not there.any():
        return
    place = held(np.where(there, pressure, np.nan))
    towards = np.where(there, force / np.maximum(size, LEAST_FORCE), np.nan)
    length = np.where(there, size * METRES_PER_NEWTON, _HIDDEN)
    for role, shape, scale in (
        ("force", arrow(), length),
        ("pressure", ball(PRESSURE_RADIUS), np.where(there, 1.0, _HIDDEN)),
    ):
        mesh = scene.mesh(f"{limb} {role}", {role: shape})
        node = scene.node(f"{limb} {role}", role, world, mesh=mesh)
        animation.move(node, "translation", place)
        animation.move(node, "scale", np.tile(scale, (3, 1)))
        if role == "force":
            animation.move(node, "rotation", _xyzw(_from_y(held(towards))))


def held(values: np.ndarray) -> np.ndarray:
    """Return ``(w, F)`` values with those that are missing taken from the nearest frame."""
    known = np.flatnonzero(np.isfinite(values).all(axis=0))
    if len(known) == values.shape[1]:
        return values
    if not len(known):
        return np.zeros(values.shape)
    nearest = np.interp(np.arange(values.shape[1]), known, np.arange(len(known)))
    return np.asarray(values[:, known[np.rint(nearest).astype(int)]])


def _unit(q: np.ndarray) -> np.ndarray:
    length = np.sqrt((q * q).sum(axis=0))
    one = np.zeros(q.shape)
    one[0] = 1.0
    return np.where(length > 0, q / np.where(length > 0, length, 1.0), one)


def _xyzw(q: np.ndarray) -> np.ndarray:
    return np.asarray(np.roll(q, -1, axis=0))


def _plain(vector: np.ndarray) -> list[float]:
    return [float(value) for value in np.nan_to_num(vector)]


def _from_y(direction: np.ndarray) -> np.ndarray:
    """Return ``(4, F)`` the smallest rotations that turn (0, 1, 0) into unit vectors."""
    x, y, z = direction
    q = np.stack([1 + y, z, np.zeros_like(x), -x])
    size = np.sqrt((q * q).sum(axis=0))
    down = np.array([0.0, 1.0, 0.0, 0.0])[:, None]
    return np.where(size > 1e-6, q / np.maximum(size, 1e-6), down)


def _write(scene: _Scene, path: Path) -> None:
    """Write the header, the text and the numbers; the file appears when it is complete."""
    scene.json["buffers"] = [{"byteLength": scene.size}]
    text = json.dumps(scene.json, ensure_ascii=False, allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    whole = 12 + 8 + len(text) + 8 + scene.size
    if whole > _LARGEST:
        raise MocapRerootError(
            f"{path}: {whole / 1e9:.1f} GB are more than a GLB file can hold; cut the clip, or "
            "export fewer frames a second."
        )
    with complete_file(path) as draft, draft.open("wb") as file:
        file.write(struct.pack("<4s2I", b"glTF", 2, whole))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text)
        file.write(struct.pack("<I4s", scene.size, b"BIN\0"))
        for part in scene.parts:
            file.write(part)
