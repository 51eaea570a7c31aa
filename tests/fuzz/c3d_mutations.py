"""Mutations of C3D files that know header words, parameter entries and the data section."""

import struct
from random import Random

BLOCK = 512
WORDS = (0, 1, 2, 5, 255, 256, 32767, 32768, 65535)
FLOATS = (float("nan"), float("inf"), -float("inf"), 1e38, -1e38, 0.0, -1.0, 1e-38, 1e9, -0.01)
_HEADER_WORDS = (0, 1, 2, 3, 4, 5, 8, 9, 147, 148, 149, 150)
NAMED = (
    b"USED", b"RATE", b"SCALE", b"FRAMES", b"LABELS", b"UNITS", b"DATA_START", b"TYPE", b"CORNERS",
    b"ORIGIN", b"CHANNEL", b"CAL_MATRIX", b"GEN_SCALE", b"OFFSET", b"X_SCREEN", b"Y_SCREEN",
    b"TIMES", b"CONTEXTS", b"FORMAT", b"ACTUAL_START_FIELD", b"ACTUAL_END_FIELD", b"ZERO",
)  # fmt: skip


def mutate_c3d(data: bytes, random: Random) -> bytes:
    """Return the file with one to three things changed."""
    changed = bytearray(data)
    for _ in range(random.randint(1, 3)):
        if len(changed) < 2 * BLOCK:
            break
        random.choice(_CHANGES)(changed, random)
    return bytes(changed)


def entries(data: bytes) -> list[tuple[int, int]]:
    """Return where each parameter entry begins and where its link to the next one stands."""
    at, found = (max(data[0], 1) - 1) * BLOCK + 4, []
    while at + 4 < len(data) and len(found) < 2000:
        length = struct.unpack_from("b", data, at)[0]
        link = at + 2 + abs(length)
        if not length or link + 2 > len(data):
            break
        found.append((at, link))
        step = struct.unpack_from("<h", data, link)[0]
        if step <= 0:
            break
        at = link + step
    return found


def _poke(data: bytearray, at: int, layout: str, value: float) -> None:
    if 0 <= at <= len(data) - struct.calcsize(layout):
        struct.pack_into(layout, data, at, value)


def _header_word(data: bytearray, random: Random) -> None:
    _poke(data, 2 * random.choice(_HEADER_WORDS), "<H", random.choice(WORDS))


def _header_float(data: bytearray, random: Random) -> None:
    _poke(data, random.choice((12, 20)), "<f", random.choice(FLOATS))


def _first_bytes(data: bytearray, random: Random) -> None:
    data[random.choice((0, 1, BLOCK, BLOCK + 1, BLOCK + 2, BLOCK + 3))] = random.randint(0, 255)


def _entry(data: bytearray, random: Random) -> None:
    """Change the length of a name, a group, a link, a type, a dimension or a value."""
    found = entries(data)
    if not found:
        return
    at, link = random.choice(found)
    named = [e for e in found if bytes(data[e[0] + 2 : e[1]]) in NAMED]
    if named and random.random() < 0.7:
        at, link = random.choice(named)
    what = random.randint(0, 6)
    if what == 0:
        data[at] = random.randint(0, 255)
    elif what == 1:
        data[at + 1] = random.randint(0, 255)
    elif what == 2:
        _poke(data, link, "<H", random.choice((*WORDS, 4, 8, 40)))
    elif what == 3:
        _poke(data, link + 2, "B", random.choice((0, 1, 2, 3, 4, 127, 254, 255)))
    elif what == 4:
        _poke(data, link + 3 + random.randint(0, 3), "B", random.choice((0, 1, 2, 7, 8, 127, 255)))
    elif what == 5:
        layout, values = random.choice((("<f", FLOATS), ("<H", WORDS)))
        _poke(data, link + 4 + random.randint(0, 3), layout, random.choice(values))
    else:
        data[at + 2] = random.randint(0, 255)


def _data_floats(data: bytearray, random: Random) -> None:
    """Strew hostile numbers over the data section."""
    start = max((struct.unpack_from("<H", data, 16)[0] - 1) * BLOCK, 0)
    value = random.choice(FLOATS)
    for _ in range(random.choice((1, 10, 300))):
        at = start + 4 * random.randint(0, max((len(data) - start) // 4 - 1, 0))
        _poke(data, at, "<f", value)


def _cut(data: bytearray, random: Random) -> None:
    block = random.randint(1, len(data) // BLOCK)
    if random.random() < 0.5:
        del data[block * BLOCK :]
    else:
        del data[random.randint(1, len(data)) :]


def _blocks(data: bytearray, random: Random) -> None:
    """Drop or repeat a block, so that everything behind it shifts."""
    at = BLOCK * random.randint(0, max(len(data) // BLOCK - 1, 0))
    if random.random() < 0.5:
        del data[at : at + BLOCK]
    else:
        data[at:at] = data[at : at + BLOCK]


def _noise(data: bytearray, random: Random) -> None:
    for _ in range(random.choice((1, 8, 200))):
        reach = len(data) if random.random() < 0.3 else min(len(data), 12 * BLOCK)
        data[random.randint(0, reach - 1)] = random.randint(0, 255)


_CHANGES = (
    _header_word, _header_float, _first_bytes, _entry, _entry, _entry, _data_floats, _cut, _blocks,
    _noise,
)  # fmt: skip
