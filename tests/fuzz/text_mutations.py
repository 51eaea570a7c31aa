"""Mutations of text files that keep most of the structure: words, numbers, lines, blocks."""

import re
from random import Random

NUMBERS = (
    "nan", "-nan", "inf", "-inf", "1e38", "-1e38", "1e308", "1e999", "-1e-320", "0", "-0", "1e-30",
    "179.9999999", "90", "-90", "360", "1e6", "99999999999999999999", "0x1F", "1,5", "1_000", "1e",
    "--1", "+", ".", "٣", "1.2.3", "NULL", "#DIV/0!", "2147483648", "-1", "4294967295",
    "18446744073709551616", "1" * 400, "0." + "3" * 400,
)  # fmt: skip
NAMES = (
    "../../etc/passwd", "/absolute/joint", "a\\b", '"quoted"', "<script>alert(1)</script>",
    "=cmd()", "+1", "@SUM(A1)", "-2+3", "nul", "CON", "\x00zero", "\x1b[31mred", "n" * 10_000,
    "🦶", "\u202eevil", "Hips", "LeftFoot", "frame", "time", "flag", "a b c", "%s%n", "{}", "$(ls)",
    "__class__", "x_mx", "residual",
)  # fmt: skip
KEYWORDS = {
    "bvh": ("HIERARCHY", "ROOT x", "JOINT x", "End Site", "OFFSET", "CHANNELS 6", "MOTION", "{",
            "}", "Frames: 999999999999", "Frames: -4", "Frame Time: 0", "Frame Time: 1e-9",
            "Frame Time: 1e9", "CHANNELS 3 Xrotation Xrotation Yrotation", "Xposition", "//", "#"),
    "trc": ("PathFileType", "Units", "NumFrames", "Frame#", "Time", "\t\t\t", "1e9\t1e9", "mm"),
    "mot": ("endheader", "time", "ground_force_vx", "nRows=99999999", "1_ground_force_px"),
    "amc": ("root 1 2 3", ":RADIANS", ":DEGREES", "1", "999999999999", "lfemur", "root", ":",
            ":SAMPLES-PER-SECOND 1e9", ":SAMPLES-PER-SECOND nan", "#"),
    "asf": ("begin", "end", ":units", "length 0", "length 1e300", "angle rad", "axis 1 2 3 XXY",
            "order RX RX TX", "dof rx", "dof l tx", "direction 0 0 0", ":hierarchy", ":bonedata",
            "root lfemur", "lfemur root", "name root", "#", ":root"),
    "mvnx": ("<frame>", "</frame>", '<frame type="normal" index="7">', "<subject>", "<segments>",
             '<segment label="Pelvis">', "<!DOCTYPE a [<!ENTITY b 'c'>]>", "&b;", "&#0;", "]]>",
             "<![CDATA[", "<!--", 'frameRate="0"', 'frameRate="1e300"', "<orientation>",
             "</position>", "<footContacts>9</footContacts>", "<joint>", "\x00", "<?xml?>"),
    "fbx": ("}", "{", 'C: "OO",100,102', 'C: "OO",102,100', "KeyTime: *9999999 {", "a: 1,2,3",
            'Model: 100, "Model::x", "Mesh" {', 'P: "RotationOrder", "enum", "", "",6', "; x",
            'P: "InheritType", "enum", "", "",2', 'P: "Lcl Scaling", "Lcl", "", "A",0,-1,1e30'),
    "toml": ("[reading]", "[body]", "mass = ", "'''", "[[", "]]", "=", "unit = 'parsec'", "[x]",
             "mass = -1", "mass = 1e400", "mass = true", "up = 3", "tables = 5", "tables = [[]]",
             "format = []", "band = 'no'", "cutoff = []", "height = {a = 1}", "sex = 1979-05-27"),
}  # fmt: skip
_WORD = re.compile(rb"[^\s]+")
_NUMBER = re.compile(rb"(?<![\w.])[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")


def mutate_text(data: bytes, random: Random, kind: str) -> bytes:
    """Return the file with one to four things changed."""
    for _ in range(random.randint(1, 4)):
        change = random.choice(_CHANGES)
        data = change(data, random, kind)
    return data


def _spot(data: bytes, random: Random, pattern: re.Pattern[bytes]) -> tuple[int, int] | None:
    """Return the span of a match near a random place: in the header as often as in the rows."""
    reach = len(data) if random.random() < 0.5 else min(len(data), 3000)
    start = random.randint(0, max(reach - 1, 0))
    match = pattern.search(data, start) or pattern.search(data)
    return match.span() if match else None


def _put(data: bytes, span: tuple[int, int] | None, new: bytes) -> bytes:
    return data if span is None else data[: span[0]] + new + data[span[1] :]


def _number(data: bytes, random: Random, kind: str) -> bytes:
    return _put(data, _spot(data, random, _NUMBER), random.choice(NUMBERS).encode())


def _column(data: bytes, random: Random, kind: str) -> bytes:
    """Give one place of every row the same hostile number."""
    lines = data.split(b"\n")
    value, k = random.choice(NUMBERS).encode(), random.randint(0, 80)
    for row in range(len(lines) // 2, len(lines)):
        words = lines[row].split()
        if k < len(words):
            words[k] = value
            lines[row] = b" ".join(words)
    return b"\n".join(lines)


def _row(data: bytes, random: Random, kind: str) -> bytes:
    """Replace the numbers of one row by one hostile number."""
    lines = data.split(b"\n")
    row = random.randint(0, len(lines) - 1)
    lines[row] = _NUMBER.sub(random.choice(NUMBERS).encode(), lines[row])
    return b"\n".join(lines)


def _name(data: bytes, random: Random, kind: str) -> bytes:
    return _put(data, _spot(data, random, _WORD), random.choice(NAMES).encode("utf-8"))


def _keyword(data: bytes, random: Random, kind: str) -> bytes:
    word = random.choice(KEYWORDS[kind]).encode()
    span = _spot(data, random, _WORD)
    if span is None or random.random() < 0.5:
        return _put(data, span, word)
    return data[: span[0]] + word + b"\n" + data[span[0] :]


def _drop_word(data: bytes, random: Random, kind: str) -> bytes:
    return _put(data, _spot(data, random, _WORD), b"")


def _lines(data: bytes, random: Random, kind: str) -> bytes:
    """Drop, repeat or swap lines, or move a block."""
    lines = data.split(b"\n")
    a = random.randint(0, len(lines) - 1)
    b = min(a + random.choice((1, 1, 2, 5, 30)), len(lines))
    what = random.randint(0, 3)
    if what == 0:
        del lines[a:b]
    elif what == 1:
        lines[a:a] = lines[a:b] * random.choice((1, 2, 20))
    elif what == 2:
        c = random.randint(0, len(lines) - 1)
        lines[a], lines[c] = lines[c], lines[a]
    else:
        block = lines[a:b]
        del lines[a:b]
        c = random.randint(0, len(lines))
        lines[c:c] = block
    return b"\n".join(lines)


def _cut(data: bytes, random: Random, kind: str) -> bytes:
    return data[: random.randint(0, len(data))]


def _bytes(data: bytes, random: Random, kind: str) -> bytes:
    at = random.randint(0, len(data))
    count = random.choice((1, 1, 4, 64))
    return data[:at] + bytes(random.randint(0, 255) for _ in range(count)) + data[at + count :]


def _layout(data: bytes, random: Random, kind: str) -> bytes:
    """Change line ends, spaces, case, encoding or what stands in front of the text."""
    what = random.randint(0, 7)
    if what == 0:
        return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r")
    if what == 1:
        return data.replace(b"\n", b"\r\n")
    if what == 2:
        return data.replace(b"\t", b" ") if b"\t" in data else data.replace(b" ", b"\t")
    if what == 3:
        return random.choice((data.lower(), data.upper()))
    if what == 4:
        return b"\xef\xbb\xbf" + data
    if what == 5:
        return data.decode("utf-8", "replace").encode("utf-16")
    if what == 6:
        return data.replace(b"\n", b" ")
    return b"\n" * random.choice((1, 500)) + data


_CHANGES = (
    _number, _number, _number, _column, _row, _name, _keyword, _keyword, _drop_word, _lines, _lines,
    _cut, _bytes, _layout,
)  # fmt: skip
