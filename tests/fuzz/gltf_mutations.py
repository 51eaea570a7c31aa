"""Mutations of GLB files that know the container, the JSON within it and the numbers behind it."""

import json
import struct
from random import Random

from tests.fuzz.text_mutations import NAMES, mutate_text

FLOATS = (float("nan"), float("inf"), -float("inf"), 3e38, -3e38, 0.0, -1.0, 1e-38, 1e9, -0.01)
VALUES = (
    None, True, -1, 0, 1, 7, 255, 65536, 2**31, 2**63, -(2**63), 1e308, -1e308, 0.5, "", "SCALAR",
    "STEP", "CUBICSPLINE", [], {}, [0], [[]], [1e308] * 4, "data:,", "http://127.0.0.1/", 5126,
    5123,
)  # fmt: skip


def mutate_glb(data: bytes, random: Random) -> bytes:
    """Return the file with one to three things changed."""
    for _ in range(random.randint(1, 3)):
        change = random.choice((_words, _words, _words, _numbers, _header, _cut, _noise))
        data = change(data, random)
    return data


def _parts(data: bytes) -> tuple[dict, bytes] | None:
    try:
        size = struct.unpack_from("<I", data, 12)[0]
        return json.loads(data[20 : 20 + size]), data[28 + size :]
    except (struct.error, ValueError, RecursionError):
        return None


def _joined(content: dict, binary: bytes) -> bytes:
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4s2I", b"glTF", 2, 28 + len(text) + len(binary))
    head += struct.pack("<I4s", len(text), b"JSON") + text
    return head + struct.pack("<I4s", len(binary), b"BIN\0") + binary


def _words(data: bytes, random: Random) -> bytes:
    """Change, drop or double something anywhere in the JSON."""
    parts = _parts(data)
    if parts is None:
        return data
    content, binary = parts
    place: dict | list = content
    for _ in range(random.randint(1, 6)):
        inner = [v for v in (place.values() if isinstance(place, dict) else place)
                 if isinstance(v, dict | list) and v]  # fmt: skip
        if not inner:
            break
        place = random.choice(inner)
    keys = list(place) if isinstance(place, dict) else list(range(len(place)))
    if not keys:
        return data
    key, what = random.choice(keys), random.randint(0, 4)
    if what == 0:
        del place[key]
    elif what == 1 and isinstance(place, list):
        place.insert(random.randint(0, len(place)), place[key])
    elif what == 2 and isinstance(place[key], int):
        place[key] += random.choice((-1, 1, 2, -1000, 10**6))
    elif what == 3 and isinstance(place, dict):
        place[key] = random.choice(NAMES)
    else:
        place[key] = random.choice(VALUES)
    return _joined(content, binary)


def _numbers(data: bytes, random: Random) -> bytes:
    """Strew hostile numbers over the binary part."""
    parts = _parts(data)
    if parts is None or len(parts[1]) < 8:
        return data
    binary, value = bytearray(parts[1]), random.choice(FLOATS)
    for _ in range(random.choice((1, 10, 300))):
        struct.pack_into("<f", binary, 4 * random.randint(0, len(binary) // 4 - 1), value)
    return _joined(parts[0], bytes(binary))


def _header(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    if len(changed) >= 20:
        at = 4 * random.randint(0, 4)
        struct.pack_into("<I", changed, at, random.choice((0, 1, 3, 20, 2**31, 2**32 - 1)))
    return bytes(changed)


def _cut(data: bytes, random: Random) -> bytes:
    return data[: random.randint(0, len(data))]


def _noise(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 8, 200))):
        if changed:
            changed[random.randint(0, len(changed) - 1)] = random.randint(0, 255)
    return bytes(changed)


def mutate_fbx(data: bytes, random: Random) -> bytes:
    """Return an FBX with words (text) or bytes changed, cut, dropped or repeated."""
    if data.startswith(b";") and random.random() < 0.8:
        return mutate_text(data, random, "fbx")
    for _ in range(random.randint(1, 3)):
        at, size = random.randint(0, max(len(data) - 1, 0)), random.choice((1, 8, 64, 512))
        what = random.randint(0, 4)
        if what == 0:
            data = _cut(data, random)
        elif what == 1:
            data = data[:at] + data[at + size :]
        elif what == 2:
            data = data[: at + size] + data[at:]
        elif what == 3 and len(data) > at + 8:
            value = random.choice((*FLOATS, float(2**40)))
            data = data[:at] + struct.pack("<d", value) + data[at + 8 :]
        else:
            data = _noise(data, random)
    return data
