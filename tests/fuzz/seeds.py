"""What mutations start from: real files where they are, cut short, else the project's samples."""

import re
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import mocap_reroot as mr
from mocap_reroot.config import Config
from mocap_reroot.export.gltf import write_glb
from tests.importers import acclaim_files, mvnx_files, smpl_files
from tests.importers.fbx_files import fbx

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"
SAMPLES = ROOT / "sample_data"
ROWS = 45
"""Frames that are kept: enough for a step, little enough for thousands of runs."""


@cache
def seeds(kind: str) -> tuple[bytes, ...]:
    """Return the files of a kind, small ones only; what follows ``_`` is their format."""
    makers = {"bvh": _bvh, "c3d": _c3d, "trc": _trc, "mot": _mot, "toml": _toml}
    makers |= {"walk_trc": _walk_trc, "walk_mot": _walk_mot, "glb": _glb, "fbx": _fbx}
    makers |= {"amc": _amc, "asf": _asf, "mvnx": _mvnx, "npz": _npz}
    return makers[kind]()


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


def _walk_trc() -> tuple[bytes, ...]:
    found = _found("atlas/opencap/subject4/walking1/markers.trc")
    return tuple(_lines(f, 2 * ROWS + 6) for f in found) or _trc()


def _walk_mot() -> tuple[bytes, ...]:
    return tuple(_found("atlas/opencap/subject4/walking1/grf.mot")) or _mot()


def _asf() -> tuple[bytes, ...]:
    return tuple(_found("formats/01.asf")) or (_made(acclaim_files.write, "made.asf"),)


def _amc() -> tuple[bytes, ...]:
    """Return the motion that belongs to the skeleton."""
    bones = 30
    found = [_lines(f, 4 + ROWS * bones) for f in _found("formats/01_01.amc")]
    return tuple(found) or (_made(acclaim_files.write, "made_01.amc"),)


def _mvnx() -> tuple[bytes, ...]:
    made = mvnx_files.text(ROWS).encode(), mvnx_files.text(ROWS, version="3").encode()
    real = (f.split(b'<frame time="750"')[0] for f in _found("formats/xsens.mvnx"))
    return (*made, *(f + b"</frames></subject></mvnx>" for f in real))


def _npz() -> tuple[bytes, ...]:
    def write(folder: Path) -> None:
        smpl_files.save(folder / "a.npz", smpl_files.motion(24, ROWS))

    return (_made(write, "a.npz"),)


def _made(write: Callable[[Path], object], name: str) -> bytes:
    with TemporaryDirectory() as folder:
        write(Path(folder))
        return (Path(folder) / name).read_bytes()


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
