"""An analysis as tables, as ``summary.json``, and as a folder on disk."""

from __future__ import annotations

import hashlib
import math
import os
import platform
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mocap_reroot import schema
from mocap_reroot.config import SIMULATORS, Config, size_beyond
from mocap_reroot.contact.activity import activity
from mocap_reroot.dynamics.cycles import peak_columns
from mocap_reroot.dynamics.expected import expected_accuracy
from mocap_reroot.errors import legible, path_text
from mocap_reroot.export.folders import PART, complete_folder
from mocap_reroot.export.simulators import body_pushes
from mocap_reroot.export.tables import write_in, write_summary, write_table
from mocap_reroot.mechanics.kinematics import kinematic_blocks
from mocap_reroot.report.verdict import judge
from mocap_reroot.rerooting.rows import rooted_blocks, rooted_trees
from mocap_reroot.resources.clips import writable_name
from mocap_reroot.version import __version__

if TYPE_CHECKING:
    import pandas as pd

    from mocap_reroot.analysis import Analysis
    from mocap_reroot.types import Contacts, Markers, Motion

_LIBRARIES = ("numpy", "scipy", "pandas", "numba", "pyarrow", "ezc3d", "bvhio")


_MADE: dict[str, Callable[[Analysis], Any]] = {
    "cycles": lambda analysis: analysis.cycle_rows,
    "peaks": lambda analysis: peak_columns(analysis.cycle_rows),
    "kinematics": lambda analysis: kinematic_blocks(analysis.motion),
    "rooted": lambda analysis: rooted_blocks(analysis.rooted),
    "rooted_tree": lambda analysis: rooted_trees(analysis.rooted, analysis.body),
    # Sound are those strides that nothing later found fault with, either.
    "strides": lambda analysis: stride_columns(analysis),
}
"""What some tables are made of that no noun holds."""


def table(analysis: Analysis, name: str) -> pd.DataFrame | None:
    """Return one table of the interface by its file's name, or None where it does not apply."""
    noun = _noun(analysis, name)
    return None if noun is None else schema.data_frame(name, noun)


def stride_columns(analysis: Analysis) -> dict[str, list] | None:
    """Return the strides by the flags that dynamics has added to the contacts'."""
    return replace(analysis.rooted.contacts, flags=analysis.dynamics.flags).stride_rows


def _noun(analysis: Analysis, name: str) -> Any:
    """Return what a table is made of, without a copy; None where it does not apply."""
    path = schema.table(name).noun
    if name in _MADE:
        return _MADE[name](analysis)
    noun = schema.attribute(analysis, path)
    return noun.noun(name) if isinstance(noun, schema.Tables) else noun


def summary(analysis: Analysis) -> dict[str, Any]:
    """Return what ``summary.json`` holds, ready for JSON."""
    motion, body, contacts = analysis.motion, analysis.body, analysis.rooted.contacts
    source, anatomy = motion.source, motion.skeleton.anatomy
    warnings = (*source.warnings, *body.warnings, *contacts.warnings, *analysis.dynamics.warnings)
    shows, speed = activity(motion, contacts), contacts.gait.get("speed_m_s")
    likely = {} if anatomy is None else expected_accuracy(shows, speed)
    content = plain(
        {
            "input": {"path": path_text(source.path or ""), "sha256": digest(source.path)},
            "versions": versions(),
            "config": settings(analysis.config),
            "frames": motion.n_frames,
            "fps": motion.fps,
            "start_time": source.start_time,
            "unit": source.unit,
            "unit_scale": source.unit_scale,
            "up_vector": motion.up,
            "convention": anatomy.convention if anatomy is not None else "",
            "mass": body.total_mass,
            "height": body.height,
            "forces": forces_word(analysis.dynamics.source),
            "forces_frames": dict(sorted(Counter(analysis.dynamics.source.tolist()).items())),
            "ground": _ground(contacts),
            "inferred": [vars(i) for i in (*source.inferred, *contacts.inferred)],
            "warnings": list(dict.fromkeys(map(legible, warnings))),
            "repairs": list(source.repairs),
            "timings": analysis.timings,
            "gait": contacts.gait,
            "activity": shows,
            "quality": analysis.dynamics.quality | _size(analysis) | {"expected": likely},
        }
    )
    verdict = judge(content)
    return content | {"grade": verdict.grade, "grade_reasons": list(verdict.reasons)}


def _ground(contacts: Contacts) -> list[dict[str, Any]]:
    """Return the pieces of ground; a treadmill's with its velocity, m/s."""
    moving = {} if contacts.belt is None else {"velocity": contacts.belt}
    return [{"point": p.point, "normal": p.normal} | moving for p in contacts.ground]


def _size(analysis: Analysis) -> dict[str, float]:
    """Return how far beyond any person's the body is, a figure that is there only if it is."""
    body, any_size = analysis.body, analysis.config.body.any_size
    times = 0.0 if any_size else size_beyond(body.total_mass, body.height)
    return {"size_beyond": times} if times > 1 else {}


def forces_word(source: np.ndarray) -> str:
    """Return where the ground forces come from: ``measured`` if plates were used in any frame."""
    words = set(source.tolist())
    if words & {"measured", "mixed"}:
        return "measured"
    return "predicted" if "predicted" in words else "none"


@lru_cache(maxsize=8)
def settings(config: Config) -> dict[str, dict[str, Any]]:
    """Return a configuration as plain dictionaries, which are not to be changed."""
    return config.as_dict()


@lru_cache(maxsize=8)
def _toml(config: Config) -> str:
    return config.anywhere().to_toml()


@cache
def versions() -> dict[str, str]:
    """Return the versions of the program and of what it computes with."""
    found = {"mocap_reroot": __version__, "python": platform.python_version()}
    return found | {name: version(name) for name in _LIBRARIES}


def digest(path: Path | None) -> str:
    """Return the SHA-256 of a file, or nothing where there is none."""
    if path is None or not Path(path).is_file():
        return ""
    status = Path(path).stat()
    return _digest(Path(path), status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=32)
def _digest(path: Path, size: int, changed: int) -> str:
    """Read a file once, however often its hash is needed while it stays as it is."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def plain(value: Any) -> Any:
    """Return a value ready for JSON: arrays as lists, numbers that are not finite as null."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    return plain(value.item()) if isinstance(value, np.generic) else str(value)


def _write_motion(analysis: Analysis, kind: str, path: Path) -> None:
    """Write the motion, and what was computed of it, for programs that show it."""
    from mocap_reroot.export import c3d, gltf, opensim

    if kind == "glb":
        gltf.write_glb(analysis.motion, path, result=analysis)
    elif kind == "sto":
        opensim.write_opensim(analysis, path.stem, path.parent, _markers(analysis))
    else:
        c3d.write_c3d(analysis.motion, path, markers=_markers(analysis), result=analysis)


def _markers(analysis: Analysis) -> Markers | None:
    """Return the markers that a motion was made from, read again; None if there are none."""
    from mocap_reroot.reading import markers_of, read_recording

    source = analysis.motion.source
    if source.path is None or source.format not in ("c3d", "trc") or not source.path.is_file():
        return None
    return markers_of(read_recording(source.path, analysis.config.reading), analysis.motion)


def write_simulated(
    analysis: Analysis, kind: str, path: Path, piece: Motion, push: np.ndarray
) -> list[Path]:
    """Write a motion with its forces for simulators, at the rate and with the axis of the output.

    Args:
        analysis: Of the clip.
        kind: ``mjcf``, ``urdf`` or ``npz``.
        path: The file, without its suffix.
        piece: The motion, or a piece of it, re-rooted.
        push: ``(n, 6, F)`` what pushes its bodies, from ``export.simulators.body_pushes``.

    Returns:
        The files; none where no frame of that rate falls into the piece.
    """
    from mocap_reroot.export import mjcf, simulators, urdf
    from mocap_reroot.signals.resampling import Samples

    output = analysis.config.output
    if output.fps is not None and not len(Samples.of(piece, output.fps).share):
        return []
    clip = simulators.simulated(piece, analysis.ground, push, fps=output.fps, up=output.up_out)
    single = output.float32
    if kind == "mjcf":
        return [*mjcf.write_mjcf(clip, path.with_name(f"{path.name}.xml"), float32=single)]
    if kind == "urdf":
        return [*urdf.write_urdf(clip, path.with_name(f"{path.name}.urdf"), float32=single)]
    grade, file = analysis.verdict.grade, path.with_name(f"{path.name}.npz")
    return [simulators.write_npz(clip, analysis.dynamics, grade, file, float32=single)]


def save(
    analysis: Analysis, folder: Path, fingerprint: str = "", labels: dict[str, str] | None = None
) -> dict[str, Any]:
    """Write tables, summary, configuration and report; the folder appears when it is complete.

    With labels every table is also written as a part of a data set, for ``batch.dataset`` to take.
    """
    output = analysis.config.output
    begin = time.perf_counter()
    # The last was asked for by an option of its own.
    names = [name for name in (*output.wanted, "normalised") if name != "summary"]
    with complete_folder(folder) as draft:
        for name in names:
            if (noun := _noun(analysis, name)) is not None:
                write_in(output.format, noun, draft, name, output.float32)
                if labels:
                    part = draft / f"{name}{PART}"
                    write_table(noun, part, name, labels=labels, single=output.float32)
        source, pushes = analysis.motion.source.path, None
        stem = writable_name(source.stem if source else folder.name)
        for kind in output.format:
            if kind in ("sto", "c3d", "glb"):
                _write_motion(analysis, kind, draft / f"{stem}.{kind}")
            elif kind in SIMULATORS:
                pushes = body_pushes(analysis.ground) if pushes is None else pushes
                write_simulated(analysis, kind, draft / stem, analysis.motion, pushes)
        (draft / "config.toml").write_text(_toml(analysis.config), encoding="utf-8")
        content = summary(analysis) | {"phases": len(analysis.rooted)}
        content["timings"]["tables"] = time.perf_counter() - begin
        if fingerprint:  # what a batch needs to know of what this is
            content["fingerprint"] = fingerprint
        with os.scandir(draft) as files:  # tells that it is whole, and what in the folder is ours
            own = (f for f in files if not f.name.endswith(PART))
            content["files"] = dict(sorted((f.name, f.stat().st_size) for f in own))
        write_summary(content, draft)
        if output.report and "summary" in output.wanted:
            from mocap_reroot.report.page import write_report

            write_report(draft)
    return content
