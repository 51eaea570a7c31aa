"""A small Acclaim skeleton with every quirk of the format, and its motion written out by hand."""

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

ASF = """# made by hand
:version 1.10
:name made
:units
  mass 1.0
  length {length}
  angle {angle}
:documentation
  begin end :notasection
:root
  order {order}
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name lhip
    direction 1 -1 0
    length 2
    axis 0 0 0 XYZ
  end
  begin
    id 2
    name lfemur
    direction 0 -2 0
    length 7
    axis {axis}
    dof rx ry rz
    limits (-160 20)
           (-70 70)
           (-60 70)
  end
  begin
    id 3
    name ltibia
    direction 0 -1 0
    length 6
    axis {axis}
    dof rx
  end
:hierarchy
  begin
    root lhip
    lhip lfemur
    lfemur ltibia
  end
"""


def angles(frames: int) -> dict[str, np.ndarray]:
    """Return degrees of every degree of freedom, ``(F)``; the root's place besides them."""
    time = np.arange(frames)
    return {
        "tx": 0.1 * time, "ty": 17 + 0.0 * time, "tz": -0.2 * time,
        "root": np.stack([3.0 + time, -5.0 + 0.5 * time, 8.0 - time], axis=1),
        "lfemur": np.stack([-20.0 + 2 * time, 4.0 - time, 10.0 + time], axis=1),
        "ltibia": np.stack([15.0 + 3 * time], axis=1),
    }  # fmt: skip


def where(frames: int, axis: str = "10 20 30") -> np.ndarray:
    """Return ``(4, 3, F)`` where root, lhip, lfemur and ltibia begin, file units.

    By SciPy: an angle about x is applied first, then about y, then about z, all about fixed axes.
    """
    given = angles(frames)
    own = Rotation.from_euler("xyz", [float(word) for word in axis.split()[:3]], degrees=True)
    root = np.stack([given["tx"], given["ty"], given["tz"]], axis=1)
    pelvis = Rotation.from_euler("xyz", given["root"], degrees=True)
    femur = own * Rotation.from_euler("xyz", given["lfemur"], degrees=True) * own.inv()
    hip = root + pelvis.apply(2 * np.array([1, -1, 0]) / np.sqrt(2))
    knee = hip + (pelvis * femur).apply([0, -7, 0])
    return np.stack([root, root, hip, knee]).transpose(0, 2, 1)


def write(
    folder: Path,
    frames: int = 5,
    *,
    length: str = "0.45",
    radians: bool = False,
    order: str = "TX TY TZ RX RY RZ",
    axis: str = "10 20 30",
    header: str = ":FULLY-SPECIFIED\n",
) -> Path:
    """Write both files and return the motion's path."""
    unit = np.pi / 180 if radians else 1.0
    turned = " ".join(f"{float(w) * unit:.12g}" for w in axis.split()) + " XYZ"
    (folder / "made.asf").write_text(
        ASF.format(length=length, angle="rad" if radians else "deg", order=order, axis=turned)
    )
    given = angles(frames)
    lines = ["#!OML:ASF C:\\made.ASF", header + (":RADIANS" if radians else ":DEGREES")]
    for k in range(frames):
        root = dict(zip(("RX", "RY", "RZ"), given["root"][k] * unit, strict=True))
        root |= {"TX": given["tx"][k], "TY": given["ty"][k], "TZ": given["tz"][k]}
        lines += [str(k + 1), "root " + " ".join(f"{root[w]:.12g}" for w in order.split())]
        for bone in ("lfemur", "ltibia"):
            lines.append(f"{bone} " + " ".join(f"{v * unit:.12g}" for v in given[bone][k]))
    path = folder / "made_01.amc"
    path.write_text("\n".join(lines) + "\n")
    return path
