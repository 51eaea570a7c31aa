"""Reading AMC, MVNX and AMASS files beside what reads them elsewhere, where that is installed.

Peers are not among the project's own needs: ``pip install mvnx mvnx-parser`` and, for AMC,
``fairmotion`` (which wants PyTorch). A peer that is absent has no row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from benchmarks.measuring import Row, python, race
from mocap_reroot.importers.amc import read_amc
from mocap_reroot.importers.mvnx import read_mvnx
from mocap_reroot.importers.smpl import read_smpl
from tests.importers import acclaim_files, mvnx_files, smpl_files

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "formats"
OURS = "mocap_reroot"
LONG = 200_000_000
"""Bytes of the MVNX file whose memory is measured."""

RISE = """
import sys
from pathlib import Path
from mocap_reroot.importers.mvnx import read_mvnx

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

before = peak()
read_mvnx(sys.argv[1])
print((peak() - before) / 1e3)
"""


def measure(folder: Path, rounds: int) -> Iterator[Row]:
    """Yield the rows of this part."""
    amc, mvnx = SHARED / "01_01.amc", SHARED / "xsens.mvnx"
    if not amc.is_file():
        amc = acclaim_files.write(folder, 3000)
        mvnx = mvnx_files.write(folder, mvnx_files.text(3000))
    model = smpl_files.save(folder / "model.npz", smpl_files.model())
    amass = smpl_files.save(folder / "clip.npz", smpl_files.motion(frames=5000))
    yield from _beside(amc, lambda: read_amc(amc), _fairmotion(amc), rounds)
    yield from _beside(mvnx, lambda: read_mvnx(mvnx), _mvnx(mvnx), rounds)
    yield from _beside(amass, lambda: read_smpl(amass, model), _arrays(amass), rounds)
    long = folder / "long.mvnx"
    block = list(mvnx_files.frames(600, padding=700))[3:]
    with long.open("w") as file:
        file.write(mvnx_files.head())
        while file.tell() < LONG:
            file.writelines(block)
        file.write("</frames></subject></mvnx>\n")
    spent = race({OURS: lambda: read_mvnx(long)}, 1)[OURS]
    yield Row("formats", "MVNX of 200 MB", spent.wall, "s")
    rise = float(python(RISE, str(long)))
    yield Row("formats", "MVNX of 200 MB: memory besides the program's", rise, "MB", goal="≤ 200")


def _beside(
    path: Path, ours: Callable[[], object], peers: dict[str, Callable[[], object]], rounds: int
) -> Iterator[Row]:
    found = race({OURS: ours, **peers}, rounds, dict.fromkeys(peers, 1))
    size = path.stat().st_size / 1e6
    what = f"{path.suffix[1:].upper()}, {size:.1f} MB"
    yield Row("formats", f"{what}: {OURS}", size / found[OURS].wall, "MB/s")
    for name in peers:
        ratios = found[OURS].beside(found[name])
        yield Row("formats", f"{what}: {name}", size / found[name].wall, "MB/s", name, *ratios)


def _fairmotion(path: Path) -> dict[str, Callable[[], object]]:
    try:
        module = import_module("fairmotion.data.asfamc")
    except ImportError:
        return {}
    skeleton = next(path.parent.glob("*.asf"))
    return {"fairmotion": lambda: module.load(str(skeleton), str(path))}


def _mvnx(path: Path) -> dict[str, Callable[[], object]]:
    found: dict[str, Callable[[], object]] = {}
    for name, reader in (("mvnx", "load"), ("mvnx_parser", "Mvnx_p")):
        try:
            read = getattr(import_module(name), reader)
        except ImportError:
            continue
        found[name] = lambda read=read: read(str(path))
    return found


def _arrays(path: Path) -> dict[str, Callable[[], object]]:
    """Return NumPy and SciPy, which give matrices but no skeleton."""

    def load() -> np.ndarray:
        with np.load(path) as arrays:
            return Rotation.from_rotvec(arrays["poses"].reshape(-1, 3)).as_matrix()

    return {"np.load and SciPy's matrices": load}
