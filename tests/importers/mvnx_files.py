"""MVNX files written from a motion that is known: a person who marks time, with foot contacts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

SEGMENTS = {
    "Pelvis": ("", (0, 0, 0)), "L5": ("Pelvis", (0, 0, 0.11)), "L3": ("L5", (0, 0, 0.1)),
    "T12": ("L3", (0, 0, 0.09)), "T8": ("T12", (0, 0, 0.09)), "Neck": ("T8", (0, 0, 0.13)),
    "Head": ("Neck", (0, 0, 0.09)),
    **{
        side + part: (above.replace("*", side), (x, y * sign, z))
        for side, sign in (("Right", -1), ("Left", 1))
        for part, above, x, y, z in (
            ("Shoulder", "T8", 0, 0.03, 0.08), ("UpperArm", "*Shoulder", 0, 0.14, 0),
            ("ForeArm", "*UpperArm", 0, 0.28, 0), ("Hand", "*ForeArm", 0, 0.24, 0),
            ("UpperLeg", "Pelvis", 0, 0.09, 0), ("LowerLeg", "*UpperLeg", 0, 0, -0.42),
            ("Foot", "*LowerLeg", 0, 0, -0.42), ("Toe", "*Foot", 0.15, 0, -0.07),
        )
    },
}  # fmt: skip
"""Segments of MVN in its order: what each hangs from, and where, m."""
ENDS = {
    "Head": ("pTopOfHead", (0, 0, 0.19)), "LeftToe": ("pLeftToe", (0.06, 0, -0.01)),
    "RightToe": ("pRightToe", (0.06, 0, -0.01)), "LeftFoot": ("pLeftHeelFoot", (-0.04, 0, -0.08)),
    "RightFoot": ("pRightHeelFoot", (-0.04, 0, -0.08)),
}  # fmt: skip
RATE = 60.0


def motion(frames: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return quaternions ``(F, s, 4)``, positions ``(F, s, 3)`` m, contacts ``(F, 4)``.

    The right foot is in the air in the second quarter, the left one in the fourth.
    """
    names = list(SEGMENTS)
    phase = np.arange(frames) / max(frames, 1) * 4
    lift = {
        "Right": np.clip(np.sin(np.pi * (phase - 1)), 0, 1) * ((phase >= 1) & (phase < 2)),
        "Left": np.clip(np.sin(np.pi * (phase - 3)), 0, 1) * (phase >= 3),
    }
    turned: list[Rotation] = []
    place: list[np.ndarray] = []
    for name, (above, offset) in SEGMENTS.items():
        side = name[:5].rstrip("UFLT") if name.startswith(("Right", "Left")) else ""
        angle = np.zeros((frames, 3))
        if name.endswith("UpperLeg"):
            angle[:, 1] = -0.9 * lift[side]
        elif name.endswith("LowerLeg"):
            angle[:, 1] = 1.4 * lift[side]
        elif name.endswith("UpperArm"):
            angle[:, 0] = -1.4 if side == "Left" else 1.4
        elif not above:
            angle[:, 2] = 0.3 + 0.05 * np.sin(phase)
        local = Rotation.from_rotvec(angle)
        if not above:
            turned.append(local)
            place.append(np.tile([0.2, -0.1, 0.93], (frames, 1)))
            continue
        at = names.index(above)
        place.append(place[at] + turned[at].apply(np.array(offset, float)))
        turned.append(turned[at] * local)
    quaternions = np.stack([np.roll(turn.as_quat(), 1, axis=1) for turn in turned], axis=1)
    contacts = np.ones((frames, 4), int)
    contacts[lift["Left"] > 0, :2] = 0
    contacts[lift["Right"] > 0, 2:] = 0
    return quaternions, np.stack(place, axis=1), contacts


def head(version: str = "4", configuration: str = "FullBody", joints: bool = True) -> str:
    """Return what stands before the frames."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<mvnx version="{version}"'
        + (' xmlns="http://www.xsens.com/mvn/mvnx">' if version == "4" else ">"),
        f'<subject label="Somebody" frameRate="{RATE:g}" segmentCount="23" '
        f'configuration="{configuration}"><comment>of no use</comment><segments>',
    ]
    for k, name in enumerate(SEGMENTS):
        points = [ENDS[name]] if name in ENDS else []
        lines.append(f'<segment label="{name}" id="{k + 1}"><points>')
        for label, at in points:
            place = " ".join(map(str, at))
            lines.append(f'<point label="{label}"><pos_b>{place}</pos_b></point>')
        lines.append("</points></segment>")
    lines.append("</segments><joints>")
    for name, (above, _) in SEGMENTS.items():
        if above and joints:
            ends = (
                f"<connector1>{above}/j{name}</connector1><connector2>{name}/j{name}</connector2>"
            )
            lines.append(f'<joint label="j{name}">{ends}</joint>')
    lines.append("</joints>")
    if version == "4":
        lines.append("<footContactDefinition>")
        for k, label in enumerate(
            ("LeftFoot_Heel", "LeftFoot_Toe", "RightFoot_Heel", "RightFoot_Toe")
        ):
            lines.append(f'<contactDefinition label="{label}" index="{k}"/>')
        lines.append("</footContactDefinition>")
    lines.append('<frames segmentCount="23" sensorCount="17" jointCount="22">')
    return "\n".join(lines) + "\n"


def frames(count: int, padding: int = 0) -> Iterator[str]:
    """Yield the frames: three poses of calibration, then the recording.

    Args:
        count: Of the recording.
        padding: Numbers in elements that nobody reads, as sensors fill real files.
    """
    turned, place, contacts = motion(count)
    pose = " ".join(["1 0 0 0"] * len(SEGMENTS))
    flat = " ".join(["0 0 0"] * len(SEGMENTS))
    for kind in ("identity", "tpose", "tpose-isb"):
        yield (
            f'<frame time="0" type="{kind}"><orientation>{pose}</orientation>'
            f"<position>{flat}</position></frame>\n"
        )
    filling = " ".join(["0.123456"] * padding)
    for k in range(count):
        quaternions = " ".join(f"{v:.6f}" for v in turned[k].ravel())
        positions = " ".join(f"{v:.6f}" for v in place[k].ravel())
        touching = " ".join(map(str, contacts[k]))
        yield (
            f'<frame time="{round(1000 * k / RATE)}" index="{k}" type="normal">\n'
            f"<orientation>{quaternions}</orientation>\n<position>{positions}</position>\n"
            f"<velocity>{filling}</velocity>\n<footContacts>{touching}</footContacts>\n</frame>\n"
        )


def text(count: int = 80, **options: object) -> str:
    """Return a whole file."""
    return head(**options) + "".join(frames(count)) + "</frames></subject></mvnx>\n"  # type: ignore[arg-type]


def write(folder: Path, content: str) -> Path:
    """Write a file and return its path."""
    path = folder / "made.mvnx"
    path.write_text(content)
    return path
