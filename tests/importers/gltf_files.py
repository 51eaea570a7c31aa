"""Small glTF files in plain words: nodes, keys and skins to a ``.gltf`` or ``.glb``."""

import base64
import json
import struct
from pathlib import Path

import numpy as np

FLOAT, SHORT = 5126, 5122


class Made:
    """A glTF being put together; independent of what the program writes."""

    def __init__(self) -> None:
        self.json = {"asset": {"version": "2.0"}, "nodes": [], "accessors": [], "bufferViews": []}
        self.data = b""

    def node(self, name: str, parent: int | None = None, **entry) -> int:
        self.json["nodes"].append({"name": name, **entry})
        index = len(self.json["nodes"]) - 1
        if parent is not None:
            self.json["nodes"][parent].setdefault("children", []).append(index)
        return index

    def numbers(self, values, kind: int = FLOAT, **entry) -> int:
        array = np.atleast_2d(np.asarray(values, {FLOAT: "<f4", SHORT: "<i2"}[kind]))
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": array.nbytes}
        self.json["bufferViews"].append(view)
        self.data += array.tobytes() + bytes(-array.nbytes % 4)
        width = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}[array.shape[1]]
        view_index = len(self.json["bufferViews"]) - 1
        accessor = {"componentType": kind, "count": len(array), "type": width, **entry}
        self.json["accessors"].append({"bufferView": view_index, **accessor})
        return len(self.json["accessors"]) - 1

    def animate(self, name: str, *channels) -> None:
        """Add a take of ``(node, path, times, values, interpolation)``."""
        samplers, targets = [], []
        for node, path, times, values, how in channels:
            output = values if isinstance(values, int) else self.numbers(values)
            source = {"input": self.numbers(np.reshape(times, (-1, 1))), "output": output}
            samplers.append({**source, "interpolation": how})
            targets.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})
        take = {"name": name, "samplers": samplers, "channels": targets}
        self.json.setdefault("animations", []).append(take)

    def text(self, uri: str | None = None) -> str:
        """Return the file as text, its numbers within it or at an address."""
        inside = "data:application/octet-stream;base64," + base64.b64encode(self.data).decode()
        buffer = {"byteLength": len(self.data), "uri": uri or inside}
        return json.dumps(self.json | {"buffers": [buffer]})

    def write(self, path: Path) -> Path:
        if path.suffix == ".gltf":
            path.write_text(self.text())
            return path
        text = json.dumps(self.json | {"buffers": [{"byteLength": len(self.data)}]}).encode()
        text += b" " * (-len(text) % 4)
        size = 12 + 8 + len(text) + 8 + len(self.data)
        parts = [struct.pack("<4s2I", b"glTF", 2, size), struct.pack("<I4s", len(text), b"JSON")]
        parts += [text, struct.pack("<I4s", len(self.data), b"BIN\0"), self.data]
        path.write_bytes(b"".join(parts))
        return path


def quaternion(axis: str, degrees) -> np.ndarray:
    """Return ``(k, 4)`` x, y, z, w."""
    half = np.radians(np.atleast_1d(degrees)) / 2
    found = np.zeros((len(half), 4))
    found[:, "xyz".index(axis)], found[:, 3] = np.sin(half), np.cos(half)
    return found


def arm(made: Made, **top) -> tuple[int, int, int]:
    """Add an upper arm of 3 and a forearm of 2 units along x, below a node of their own."""
    holder = made.node("holder", **top)
    upper = made.node("upper", holder)
    fore = made.node("fore", upper, translation=[3, 0, 0])
    made.node("tip", fore, translation=[2, 0, 0])
    return holder, upper, fore
