"""The container of a glTF: its JSON, its buffers, and the numbers that accessors name."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard
from urllib.parse import unquote

import numpy as np

from mocap_reroot.errors import FileError
from mocap_reroot.importers.files import read_bytes

_MAGIC, _JSON, _BIN = 0x46546C67, 0x4E4F534A, 0x004E4942
_KINDS: dict[int, np.dtype[Any]] = {
    5120: np.dtype("i1"),
    5121: np.dtype("u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_MOST = 50_000_000
"""Elements of an accessor; more is no motion."""
_EXPORT = "Export it again."


@dataclass(eq=False)
class Document:
    """A glTF file, opened.

    Attributes:
        path: For errors.
        json: Its content.
        binary: The binary chunk of a GLB, or None.
        buffers: Those that were asked for.
    """

    path: Path
    json: dict[str, Any]
    binary: memoryview | None
    buffers: dict[int, memoryview] = field(default_factory=dict)

    def wrong(self, found: str, todo: str = _EXPORT) -> FileError:
        """Return an error about this file."""
        return FileError(self.path, found, todo=todo)

    def entries(self, name: str) -> list[dict[str, Any]]:
        """Return a list of objects at the top level, empty where there is none."""
        found = self.json.get(name, [])
        if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
            raise self.wrong(f"{name!r} is no list of objects.")
        return found

    def entry(self, name: str, index: Any) -> dict[str, Any]:
        """Return one of those objects."""
        every = self.entries(name)
        if not is_index(index) or index >= len(every):
            raise self.wrong(f"it asks for number {index!r} of {len(every)} {name}.")
        return every[index]

    def several(self, entry: dict[str, Any], name: str) -> list[Any]:
        """Return a list within an object, empty where there is none."""
        found = entry.get(name, [])
        if not isinstance(found, list):
            raise self.wrong(f"{name!r} is no list.")
        return found

    def numbers(self, index: Any) -> np.ndarray:
        """Return ``(count, width)`` numbers of an accessor, float64; integers as they are meant.

        Raises:
            FileError: It does not lie within its buffer, or is of a kind that motion never is.
        """
        accessor = self.entry("accessors", index)
        kind, count = _kind(accessor), accessor.get("count")
        width = _WIDTHS.get(str(accessor.get("type")))
        if kind is None or width is None or not is_index(count):
            raise self.wrong(f"accessor {index} has no known type, or no count.")
        if count > _MOST:
            raise self.wrong(f"accessor {index} states {count} elements; no motion has so many.")
        if "bufferView" in accessor:
            values = self._viewed(accessor, accessor["bufferView"], kind, width, count)
        else:
            values = np.zeros((count, width), kind)
        if isinstance(accessor.get("sparse"), dict):
            values = self._with_sparse(accessor["sparse"], values, kind, width)
        found = values.astype(np.float64)
        if accessor.get("normalized") is True and kind.kind in "iu":
            found = np.maximum(found / np.iinfo(kind).max, -1.0)
        return found

    def _with_sparse(
        self, sparse: dict[str, Any], values: np.ndarray, kind: np.dtype, width: int
    ) -> np.ndarray:
        """Return values with some of them replaced."""
        count, where, what = sparse.get("count"), sparse.get("indices"), sparse.get("values")
        if not (is_index(count) and isinstance(where, dict) and isinstance(what, dict)):
            raise self.wrong("a sparse accessor lacks its count, indices or values.")
        whole = _kind(where)
        if whole is None or whole.kind != "u" or count > len(values):
            raise self.wrong("the indices of a sparse accessor are of no known type or too many.")
        rows = self._viewed(where, where.get("bufferView"), whole, 1, count)[:, 0].astype(int)
        if len(rows) and rows.max() >= len(values):
            raise self.wrong(f"a sparse accessor replaces element {rows.max()} of {len(values)}.")
        values = values.copy()
        values[rows] = self._viewed(what, what.get("bufferView"), kind, width, count)
        return values

    def _viewed(
        self, where: dict[str, Any], index: Any, kind: np.dtype, width: int, count: int
    ) -> np.ndarray:
        """Return ``(count, width)`` elements of a buffer view."""
        view = self.entry("bufferViews", index)
        packed = view.get("extensions", {})
        if isinstance(packed, dict) and any("compression" in str(name) for name in packed):
            raise self.wrong(
                f"its motion is compressed ({', '.join(map(str, packed))}).",
                todo="Unpack it: gltf-transform copy IN.glb OUT.glb, or gltfpack -noq without -c.",
            )
        data = self._buffer(view.get("buffer"))
        begin, size = view.get("byteOffset", 0), view.get("byteLength")
        first, step = where.get("byteOffset", 0), view.get("byteStride", kind.itemsize * width)
        if not all(is_index(number) for number in (begin, size, first, step)) or not count:
            if count == 0:
                return np.zeros((0, width), kind)
            raise self.wrong(f"buffer view {index} has no size, or one that is no whole number.")
        need = first + step * (count - 1) + kind.itemsize * width
        if begin + size > len(data) or need > size or step < kind.itemsize * width:
            raise self.wrong(
                f"{count} elements from byte {begin + first} do not fit into buffer view {index} "
                f"of {size} bytes, or it not into its buffer of {len(data)}.",
                todo="The file may have been cut off; copy or export it again.",
            )
        shape, strides = (count, width), (step, kind.itemsize)
        return np.ndarray(shape, kind, data[begin : begin + size], first, strides)

    def _buffer(self, index: Any) -> memoryview:
        if not is_index(index):
            raise self.wrong(f"a buffer view names buffer {index!r}.")
        if index not in self.buffers:
            self.buffers[index] = self._load(self.entry("buffers", index), index)
        return self.buffers[index]

    def _load(self, entry: dict[str, Any], index: int) -> memoryview:
        address = entry.get("uri")
        if address is None:
            if self.binary is None or index:
                raise self.wrong(f"buffer {index} has no address and the file no binary part.")
            return self.binary
        if not isinstance(address, str):
            raise self.wrong(f"the address of buffer {index} is no text.")
        if address.startswith("data:"):
            try:
                return memoryview(base64.b64decode(address.partition(",")[2], validate=True))
            except (binascii.Error, ValueError):
                raise self.wrong(f"buffer {index} is not written in base64.") from None
        beside = Path(unquote(address))
        if ":" in address or beside.is_absolute() or ".." in beside.parts:
            raise self.wrong(
                f"buffer {index} lies at {address[:80]!r}; only files beside it are opened.",
                todo="Save it as one GLB file.",
            )
        try:
            return memoryview((self.path.parent / beside).read_bytes())
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise self.wrong(
                f"its buffer {address[:80]!r} cannot be read ({reason}).",
                todo="Keep both files together, or save it as one GLB file.",
            ) from None


def is_index(value: Any) -> TypeGuard[int]:
    """Return whether a value counts something: a whole number that is not negative."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _kind(entry: dict[str, Any]) -> np.dtype[Any] | None:
    code = entry.get("componentType")
    return _KINDS.get(code) if isinstance(code, int) else None


def open_document(path: Path) -> Document:
    """Open a ``.glb`` or ``.gltf`` file, whichever of the two it is.

    Raises:
        FileError: It is neither, or damaged.
    """
    data = read_bytes(path)
    text, binary = memoryview(data), None
    if data[:4] == b"glTF":
        text, binary = _chunks(path, memoryview(data))
    try:
        content = json.loads(bytes(text).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        kind = "glTF 2.0 is JSON text, or a binary file that begins with 'glTF'"
        raise FileError(path, f"{kind}; this is neither ({str(error)[:120]}).") from None
    asset = content.get("asset") if isinstance(content, dict) else None
    version = asset.get("version") if isinstance(asset, dict) else None
    if not isinstance(version, str) or not version.startswith("2"):
        raise FileError(
            path,
            f"its version of glTF is {str(version)[:20]!r}; 2.0 was expected.",
            todo="Convert it with a current program, e.g. Blender.",
        )
    return Document(path, content, binary)


def _chunks(path: Path, data: memoryview) -> tuple[memoryview, memoryview | None]:
    """Return the JSON and the binary part of a GLB."""
    if len(data) < 20:
        raise FileError(path, "the file ends within its header.", todo=_EXPORT)
    _, version, _, size, kind = struct.unpack_from("<5I", data)
    if version != 2 or kind != _JSON or 20 + size > len(data):
        raise FileError(
            path,
            f"a GLB of version 2 has its text first; found version {version} and {size} bytes of "
            f"kind {kind:#x} in a file of {len(data)}.",
            byte=4,
            todo="The file may have been cut off; copy or export it again.",
        )
    text, at = data[20 : 20 + size], 20 + size
    while at + 8 <= len(data):
        size, kind = struct.unpack_from("<2I", data, at)
        if kind == _BIN:
            return text, data[at + 8 : at + 8 + size]
        at += 8 + size
    return text, None
