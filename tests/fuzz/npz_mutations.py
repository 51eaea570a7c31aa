"""Mutations of ``.npz`` files: of the archive, of the headers in it, and of the arrays."""

import io
import zipfile
from random import Random

import numpy as np

VALUES = (np.nan, np.inf, -np.inf, 1e308, -1e308, 1e38, 0.0, 1e-300, 1e6, -1.0, 2**40)
SHAPES = ((), (0,), (1,), (3, 3), (0, 72), (45, 3), (45, 72), (1, 165), (2, 2, 2), (45, 24, 3))
NAMES = ("poses", "trans", "betas", "gender", "mocap_framerate", "pose_body", "root_orient")


def mutate_npz(data: bytes, random: Random) -> bytes:
    """Return the file with one to three things changed."""
    for _ in range(random.randint(1, 3)):
        data = random.choice((_arrays, _arrays, _arrays, _header, _bytes, _cut))(data, random)
    return data


def _members(data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as old:
            return {name: old.read(name) for name in old.namelist()}
    except Exception:  # broken by an earlier mutation
        return {}


def _packed(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in members.items():
            new.writestr(name, content)
    return out.getvalue()


def _arrays(data: bytes, random: Random) -> bytes:
    """Change values, shape, type or name of an array, or drop it."""
    members = _members(data)
    if not members:
        return data
    name = random.choice([*members, *(f"{word}.npy" for word in NAMES)])
    what = random.randint(0, 5)
    if what == 0:
        members.pop(name, None)
        return _packed(members)
    try:
        array = np.load(io.BytesIO(members.get(name, b"")), allow_pickle=False)
    except Exception:  # not there, or broken by an earlier mutation
        array = np.zeros(random.choice(SHAPES))
    if what == 1:
        array = np.zeros(random.choice(SHAPES)) + random.choice(VALUES)
    elif what == 2 and array.size and array.dtype.kind == "f":
        array = array.astype(float)
        for _ in range(random.choice((1, 10, 1000))):
            array.flat[random.randrange(array.size)] = random.choice(VALUES)
    elif what == 3:
        kind = random.choice(("<f4", ">f8", "<i8", "|b1", "<U7", "|S3", "<c16", "<f2"))
        with np.errstate(all="ignore"):
            array = array.astype(kind) if array.dtype.kind != "U" else np.zeros(3, kind)
    elif what == 4:
        array = np.array([{"a": 1}] * random.choice((0, 1, 45)), dtype=object)
    else:
        array = array[: random.randint(0, len(array))] if array.ndim else array
    out = io.BytesIO()
    np.save(out, array)
    members[name] = out.getvalue()
    return _packed(members)


def _header(data: bytes, random: Random) -> bytes:
    """Change what an array says of itself."""
    members = _members(data)
    if not members:
        return data
    name = random.choice(list(members))
    content = bytearray(members[name])
    if random.random() < 0.5:
        wrong = random.choice((b"99999999999", b"-1", b"1e9", b"'a'", b"2**99", b"(((((("))
        members[name] = bytes(content).replace(b"45", wrong, 1)
    elif content:
        for _ in range(random.choice((1, 4))):
            content[random.randrange(min(len(content), 128))] = random.randint(0, 255)
        members[name] = bytes(content)
    return _packed(members)


def _bytes(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 8, 100)) if changed else 0):
        changed[random.randrange(len(changed))] = random.randint(0, 255)
    return bytes(changed)


def _cut(data: bytes, random: Random) -> bytes:
    return data[: random.randint(0, len(data))]
