"""What mutations start from: real files where they are, cut short, else the project's samples."""

import re
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

import mocap_reroot as mr
from mocap_reroot.config import Config
from mocap_reroot.export.gltf import write_glb
from tests.importers.fbx_files import fbx

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"
SAMPLES = ROOT / "sample_data"
ROWS = 45
"""Frames that are kept: enough for a step, little enough for thousands of runs."""


@cache
def seeds(kind: str) -> tuple[bytes, ...]:
    """Return the files of a kind (bvh, c3d, trc, mot, toml, glb, fbx), small ones only."""
    return {
        "bvh": _bvh, "c3d": _c3d, "trc": _trc, "mot": _mot, "toml": _toml, "glb": _glb, "fbx": _fbx,
    }[kind]()  # fmt: skip


def _found(*patterns: str) -> list[bytes]:
    files = sorted(f for p in patterns for f in SHARED.glob(p)) if SHARED.is_dir() else []
    return [f.read_bytes() for f in files]


def _bvh() -> tuple[bytes, ...]:
    names = "cmu/02_01 cmu/16_01 daz/pirouette animateddrawings/zombie mixamo/test_freebvh"
    names += " pybvh/bvh_test1 pybvh/rotation_first_root biovision/example geno/Geno_stance"
    whole = _found(*(f"bvh/{name}.bvh" for name in names.split()))
    whole += [(SAMPLES / f"{name}.bvh").read_bytes() for name in ("walk", "run")]
    return tuple(map(short_bvh, whole))


def short_bvh(data: bytes, first: int = 1, rows: int = ROWS) -> bytes:
    """Return a BVH with some of its frames (a T-pose in front is passed over)."""
    head, mark, tail = re.split(rb"(Frame Time:[^\n]*\n)", data, maxsplit=1)
    lines = tail.splitlines(keepends=True)
    kept = lines[first : first + rows] or lines
    head = re.sub(rb"Frames:\s*\d+", b"Frames: %d" % len(kept), head)
    return head + mark + b"".join(kept)


def _c3d() -> tuple[bytes, ...]:
    found = _found("c3d/processor_types/*.c3d", "c3d/broken/*.c3d", "c3d/opensim/walking2.c3d")
    found += _found("c3d/theia/*.c3d", "c3d/plug_in_gait/HC030A/HC030A05.c3d")
    return (*(f for f in found if len(f) < 1_500_000), (SAMPLES / "walk.c3d").read_bytes())


def _glb() -> tuple[bytes, ...]:
    made = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("walk", "run"):
            source = Path(folder) / f"{name}.bvh"
            source.write_bytes(short_bvh((SAMPLES / f"{name}.bvh").read_bytes()))
            made.append(write_glb(mr.read(source), source.with_suffix(".glb")).read_bytes())
    return (*made, *_found("formats/blender_armature.glb"))


def _fbx() -> tuple[bytes, ...]:
    times = np.arange(ROWS) / 30
    bones = [("hips", -1, (0, 90, 0), {}), ("leg", 0, (0, -40, 0), {"PreRotation": (0, 0, 9)})]
    turns = np.stack([40 * np.sin(6 * times), 0 * times, 0 * times], axis=1)
    text = fbx([*bones, ("foot", 1, (0, -40, 0), {})], {"walk": (times, {0: turns, 1: turns})})
    return (text.encode(), *_found("formats/motion.fbx"))


def _lines(data: bytes, n: int) -> bytes:
    return b"".join(data.splitlines(keepends=True)[:n])


def _trc() -> tuple[bytes, ...]:
    found = _found("gold/*/*.trc", "c3d/opensim/*.trc")
    return tuple(_lines(f, ROWS + 6) for f in found) or (_MADE_TRC,)


def _mot() -> tuple[bytes, ...]:
    found = _found("gold/*/*grf.mot", "c3d/opensim/*_grfs.sto")
    return tuple(_lines(f, 200) for f in found) or (_MADE_MOT,)


def _toml() -> tuple[bytes, ...]:
    flat = b'mass = 70\nheight = 1.8\nunit = "cm"\nup = "y"\ncutoff = 6.0\nforces = "predicted"\n'
    return (Config().to_toml().encode(), flat + b'tables = ["torques", "grf"]\nformat = "csv"\n')


_MADE_TRC = "\n".join(
    [
        "PathFileType\t4\t(X/Y/Z)\tmade.trc",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits",
        f"60\t60\t{ROWS}\t2\tmm",
        "Frame#\tTime\tA\t\t\tB",
        "\t\tX1\tY1\tZ1\tX2\tY2\tZ2",
        *(f"{k}\t{k / 60:.4f}\t{k}\t2\t3\t4\t5\t{k}" for k in range(1, ROWS + 1)),
    ]
).encode()
_MADE_MOT = "\n".join(
    [
        "forces\nversion=1\nnRows=40\nnColumns=10\ninDegrees=yes\nendheader",
        "time\t" + "\t".join(f"ground_{w}{a}" for w in ("force_v", "force_p", "torque_")
                             for a in "xyz"),
        *("\t".join([f"{k / 100:.2f}", *map(str, range(9))]) for k in range(40)),
    ]
).encode()  # fmt: skip
