"""FBX to Recording, through ``ufbx`` in a process of its own (extra ``[formats]``).

Joints are the nodes that are bones, else those that a take moves with what hangs from them. Pre-
and post-rotations and pivots are in the transforms of the nodes; meshes are not loaded.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from mocap_reroot.errors import FileError, UnknownNameError, printable, quoted
from mocap_reroot.importers.files import opening
from mocap_reroot.importers.nodes import Node, hierarchy_of, in_order, skeleton_nodes
from mocap_reroot.resources.drafts import scratch_folder
from mocap_reroot.resources.processes import TookTooLongError, run_bounded
from mocap_reroot.types import Recording

_UNITS = {0.01: "cm", 1.0: "m", 0.001: "mm", 0.0254: "in"}
_AXES = ("+x", "-x", "+y", "-y", "+z", "-z")
READER = "mocap_reroot.importers.fbx_nodes"
"""Runs in a process of its own: a crash or a hang there is an error in words here."""
SECONDS, SECONDS_PER_MB = 60.0, 2.0
"""s, after which the reader is given up: for any file, and more for each megabyte."""
MEGABYTES = 8000.0
"""MB that it may take: animation is compressed and sampled at every frame; no mesh is loaded."""
_OTHERWISE = "Convert it to BVH or GLB, e.g. with Blender."


def read_fbx(path: str | Path, *, take: str | None = None) -> Recording:
    """Read an FBX file, binary or text.

    Args:
        path: The file.
        take: Name of the take; the longest by default.

    Returns:
        Recording: In the file's units and axes; bodies have the axes of their nodes.

    Raises:
        FileError: ``ufbx`` is missing, the file is damaged, or it holds no skeleton.
        UnknownNameError: There is no such take.
    """
    path = Path(path)
    found = _nodes_of(path, take or "")
    names = [printable(name) for name in found["takes"].tolist()]
    if "names" not in found:
        raise UnknownNameError(f"take in {path}", take or "", names)
    nodes = _nodes(found)
    order = in_order(path, nodes)
    chosen, others = skeleton_nodes(nodes, order, _joints(found, order))
    if not chosen:
        raise FileError(path, "it holds neither bones nor nodes that move.", todo=_OTHERWISE)
    frames, rate = len(found["times"]), float(found["rate"])
    hierarchy, repairs = hierarchy_of(path, nodes, order, chosen, frames)
    warnings = []
    if others:
        left = ", ".join(printable(name) for name in others[:5])
        warnings.append(f"Of {len(others) + 1} skeletons the largest was taken; left out: {left}.")
    if not names:
        warnings.append("The file holds no take; its pose is the only frame.")
    elif len(names) > 1 and take is None:
        warnings.append(
            f"Of the takes {', '.join(names[:20])} the longest was read, "
            f"{names[int(found['chosen'])]}; choose one with --take."
        )
    stated = float(found.get("stated_rate", rate))
    if abs(stated - rate) > 1e-6 * rate:
        repairs.append(f"The file states {stated:g} Hz; its keys are {rate:g} Hz apart.")
    return Recording(
        path=path,
        format="fbx",
        n_frames=frames,
        fps=rate,
        hierarchy=hierarchy,
        unit=_UNITS.get(_metres(found), "m"),
        up=_AXES[int(found["up"])] if int(found["up"]) < len(_AXES) else "",
        repairs=tuple(repairs),
        warnings=tuple(warnings),
        start_time=float(found["times"][0]),
    )


def _nodes_of(path: Path, take: str) -> dict[str, np.ndarray]:
    """Return the nodes as ``fbx_nodes`` finds them in another process."""
    if find_spec("ufbx") is None:
        raise FileError(
            path,
            "reading FBX needs the package 'ufbx', which is not installed.",
            todo=f"Install it with pip install 'mocap_reroot[formats]'. {_OTHERWISE}",
        )
    with opening(path):
        size = path.stat().st_size
        path.open("rb").close()
    seconds = SECONDS + SECONDS_PER_MB * size / 1e6
    with scratch_folder() as folder:
        result = folder / "result.npz"
        words = str(path.absolute()), take, str(result)
        try:
            code, reason = run_bounded(READER, *words, megabytes=MEGABYTES, seconds=seconds)
        except TookTooLongError:
            found = f"the reader did not finish within {seconds:.0f} s."
            raise FileError(path, found, todo=_OTHERWISE) from None
        if code or not result.exists():
            reason = quoted(reason) or f"it ended with code {code}"
            raise FileError(path, f"no reader could read it ({reason}).", todo=_OTHERWISE)
        with np.load(result, allow_pickle=False) as arrays:
            return dict(arrays)


def _metres(found: dict[str, np.ndarray]) -> float:
    """Return metres per unit, a named one's exactly."""
    stated = float(found["unit"])
    near = [unit for unit in _UNITS if abs(stated / unit - 1) < 1e-6]
    return near[0] if near else stated


def _nodes(found: dict[str, np.ndarray]) -> list[Node]:
    metres = _metres(found)
    scale = 1.0 if metres in _UNITS or not 0 < metres < 1e6 else metres
    poses = dict(zip(found["moving"].tolist(), found["poses"], strict=True))
    bind = dict(zip(found["bound"].tolist(), found["bind"], strict=True))
    nodes = []
    for row, (name, parent) in enumerate(
        zip(found["names"].tolist(), found["parents"].tolist(), strict=True)
    ):
        at_rest = found["rest"][row]
        moved = np.ascontiguousarray(poses.get(row, at_rest[None]).T)
        nodes.append(
            Node(
                name,
                parent,
                translation=moved[:3] * scale,
                rotation=_unit(moved[[6, 3, 4, 5]]),
                scale=moved[7:],
                rest_translation=at_rest[:3] * scale,
                rest_rotation=_unit(at_rest[[6, 3, 4, 5], None])[:, 0],
                bind=bind.get(row),
            )
        )
    return nodes


def _unit(rotation: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(rotation, axis=0)
    return np.asarray(rotation / np.where(length > 0, length, np.nan))


def _joints(found: dict[str, np.ndarray], order: list[int]) -> list[int]:
    bones = np.flatnonzero(found["is_bone"])
    if len(bones):
        return bones.tolist()
    below: set[int] = set(found["moving"].tolist())
    for index in order:
        if found["parents"][index] in below:
            below.add(index)
    return [index for index in sorted(below) if not found["is_drawn"][index]]
