"""TRC out: markers or joint centres for OpenSim, in its axes (y up) and in metres."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mocap_reroot.export.folders import complete_file
from mocap_reroot.export.storage import to_y_up

DECIMALS = 9


def write_trc(
    path: str | Path,
    labels: Sequence[str],
    position: np.ndarray,
    fps: float,
    time: np.ndarray,
    up: np.ndarray,
) -> Path:
    """Write points as a TRC file; those that are missing are left empty.

    Args:
        path: Where to write; the file appears when it is complete.
        labels: ``(m)``.
        position: ``(m, 3, F)`` m, the file's world axes.
        fps, time: Frames per second, and ``(F)`` s.
        up: ``(3)`` unit vector; it is turned to y.

    Returns:
        The path.
    """
    path = Path(path)
    turned = np.einsum("ij,mjf->fmi", to_y_up(up), position)
    count, frames = len(labels), len(time)
    names = ["_".join(label.split()) for label in labels]
    keys = "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame"
    head = [
        f"PathFileType\t4\t(X/Y/Z)\t{path.name}",
        f"{keys}\tOrigNumFrames",
        f"{fps!r}\t{fps!r}\t{frames}\t{count}\tm\t{fps!r}\t1\t{frames}",
        "Frame#\tTime\t" + "\t\t\t".join(names) + "\t\t",
        "\t\t" + "\t".join(f"{a}{k}" for k in range(1, count + 1) for a in "XYZ"),
        "",
    ]
    with complete_file(path) as draft, draft.open("w", encoding="utf-8", newline="\n") as file:
        file.write("\n".join(head) + "\n")
        for k in range(frames):
            cells = ["" if np.isnan(v) else f"{v:.{DECIMALS}f}" for v in turned[k].ravel().tolist()]
            file.write(f"{k + 1}\t{time[k]:.{DECIMALS}f}\t" + "\t".join(cells) + "\n")
    return path
