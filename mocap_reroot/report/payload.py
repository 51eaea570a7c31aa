"""Series that the report's scripts draw, decimated where the clip is long."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from mocap_reroot.numerics.frames import runs
from mocap_reroot.numerics.vectors import axis_word
from mocap_reroot.report.clip_tables import ClipTables, side_of
from mocap_reroot.report.joint_choice import Choice, choices, first_choice, relative_turn
from mocap_reroot.report.mannequin import mannequin
from mocap_reroot.report.packing import pack, stride_for

_STEP_EDGE = 0.2  # m of a step beyond where it is stood on: half a foot
_MOST_REPAIRS = 500  # marks on the time line
_FRAMES = re.compile(r"[Ff]rames? ((?:\d+(?:[–-]\d+)?(?:, | and )?)+)")
_RANGE = re.compile(r"(\d+)(?:[–-](\d+))?")


def payload(clip: ClipTables) -> dict[str, Any]:
    """Return everything the page's scripts need, ready for JSON; series in display frames."""
    every = choices(clip)
    stride = stride_for(clip.n_frames, _rows(clip, every))
    frames = slice(0, None, stride)
    shown = len(range(0, clip.n_frames, stride))
    return {
        "name": clip.name,
        "fps": clip.fps,
        "start": clip.start_time,
        "frames": clip.n_frames,
        "stride": stride,
        "shown": shown,
        "mass": float(clip.summary["mass"]),
        "weight": clip.weight,
        "up": clip.up.tolist(),
        "forces": str(clip.summary.get("forces", "")),
        "expected": _expected(clip),
        "directions": [{"name": n, "vector": v.tolist()} for n, v in directions(clip).items()],
        "figure": _figure(clip, frames),
        "phases": _phases(clip),
        "contacts": _contacts(clip),
        "flagged": _flagged(clip),
        "repairs": _repairs(clip),
        "correction": _correction(clip, frames),
        "residual": _residual(clip, frames),
        "feet": [_foot(clip, foot, frames) for foot in clip.feet],
        "joints": [_joint(clip, choice, frames) for choice in every],
        "first": first_choice(every, clip),
        "cycles": {side: cycles(clip, side) for side in ("left", "right")},
    }


def _expected(clip: ClipTables) -> dict[str, str]:
    """Return what errors people on plates showed in this activity, beside which curves; or none."""
    found = (clip.summary.get("quality") or {}).get("expected") or {}
    if not found or clip.summary.get("forces") == "measured":
        return {}
    force, joint = found["force_percent_bw"], found["moment_nm_kg"]
    of = f"in {found['activity']}, as measured on {found['people']} people"
    ways = ", ".join(f"{way} {error:.1f}" for way, error in force.items())
    moments = ", ".join(f"{name} {error:.2f}" for name, error in joint.items())
    place = f"{found['pressure_mm']:.0f} mm of the pressure's place"
    return {
        "ground": f"Expect errors of {ways} % of body weight and {place} {of}.",
        "joints": f"Expect errors of the flexion moments of {moments} N·m/kg {of}.",
    }


def _rows(clip: ClipTables, every: list[Choice]) -> int:
    """Return roughly how many series a page shows."""
    each = 7 + 6 * any(c.endswith("_mx_lo") for c in clip["torques"].columns) if every else 0
    joints = sum(len(c.bodies) * (each + 2 * len(c.motions)) for c in every)
    bodies = 4 * len(clip["bodies"]) if "kinematics" in clip and "bodies" in clip else 0
    return joints + bodies + 12 * len(clip.feet) + 3


def directions(clip: ClipTables) -> dict[str, np.ndarray]:
    """Return unit vectors up, along the way travelled and to its left, by the names of a plot.

    A clip that goes nowhere has the file's own horizontal axes instead.
    """
    up, way = clip.up, _travel(clip)
    way = way - up * (up @ way)
    length = float(np.linalg.norm(way))
    names = ("forward", "leftward")
    if length > 0.3:
        forward = way / length
    else:
        axis = int(np.argmin(np.abs(up)))
        forward = np.eye(3)[axis] - up * up[axis]
        forward /= np.linalg.norm(forward)
        side = np.cross(up, forward)
        one, other = (axis_word(v).replace("-", "−") for v in (forward, side))
        names = (f"along {one}", f"along {other}")
    return {"vertical": up, names[0]: forward, names[1]: np.cross(up, forward)}


def _travel(clip: ClipTables) -> np.ndarray:
    """Return ``(3)`` m from where the body began to where it ended."""
    if "kinematics" in clip and "bodies" in clip:
        track = clip.vectors("kinematics", str(clip["bodies"]["body"].iloc[0]), "p")
    elif clip.feet:
        loads = np.stack([clip.vectors("grf", foot, "p") for foot in clip.feet])
        known = np.isfinite(loads)
        track = np.where(known, loads, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        track[:, ~known.any(axis=(0, 1))] = np.nan
    else:
        return np.zeros(3)
    track = track[:, np.isfinite(track).all(axis=0)]
    return track[:, -1] - track[:, 0] if track.shape[1] > 1 else np.zeros(3)


def _figure(clip: ClipTables, frames: slice) -> dict[str, Any] | None:
    made = mannequin(clip, frames)
    if made is None:
        return None
    return {
        "bodies": [{"name": b, "side": clip.sides.get(b, "")} for b in made.bodies],
        "points": pack(made.points),
        "com": pack(made.com),
        "capsules": [[c.start, c.stop, c.body, round(c.radius, 4)] for c in made.capsules],
        "ground": _planes(clip),
    }


def _planes(clip: ClipTables) -> list[dict[str, Any]]:
    """Return the planes of the ground, the one that is stood on most first.

    The others have corners around where they are stood on: ground at another height is a step.
    """
    planes = clip.summary.get("ground") or []
    places = [clip.vectors("grf", foot, "p") for foot in clip.feet]
    pressed = (
        np.concatenate([p[:, np.isfinite(p).all(axis=0)] for p in places], 1)
        if places
        else np.empty((3, 0))
    )
    if len(planes) < 2 or not pressed.shape[1]:
        return planes[:1]
    points, normals = (np.array([p[k] for p in planes], float) for k in ("point", "normal"))
    off = np.abs(np.einsum("pi,pif->pf", normals, pressed[None] - points[:, :, None]))
    under = off.argmin(axis=0)
    order = np.argsort(-np.bincount(under, minlength=len(planes)), kind="stable")
    _, forward, _ = directions(clip).values()
    result = [planes[order[0]]]
    for k in order[1:]:
        there = pressed[:, under == k]
        if not there.shape[1]:
            continue
        ahead = forward - normals[k] * (normals[k] @ forward)
        axes = np.stack([ahead / np.linalg.norm(ahead), np.cross(normals[k], ahead)])
        flat = axes @ (there - points[k][:, None])
        low, high = flat.min(axis=1) - _STEP_EDGE, flat.max(axis=1) + _STEP_EDGE
        around = ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1]))
        corners = [(points[k] + np.array(c) @ axes).tolist() for c in around]
        result.append({**planes[k], "corners": corners})
    return result


def _correction(clip: ClipTables, frames: slice) -> dict[str, Any] | None:
    """Return ``(6, F)`` m, rad, how the root was moved and turned, where that was written."""
    if "correction" not in clip:
        return None
    columns = ["dx", "dy", "dz", "rx", "ry", "rz"]
    return pack(clip["correction"][columns].to_numpy(float).T[:, frames])


def _residual(clip: ClipTables, frames: slice) -> dict[str, Any] | None:
    """Return ``(1, F)`` body weights, what no contact explains after the correction."""
    columns = [f"residual_f{axis}" for axis in "xyz"]
    if "correction" not in clip or not set(columns) <= set(clip["grf"].columns):
        return None
    force = clip["grf"][columns].to_numpy(float).T[:, frames]
    return pack(np.sqrt((force**2).sum(axis=0, keepdims=True)) / clip.weight)


def _repairs(clip: ClipTables) -> list[dict[str, Any]]:
    """Return repairs that name frames, with the times they are about."""
    found = []
    for words in clip.summary.get("repairs") or []:
        for list_ in _FRAMES.findall(str(words)):
            for a, b in _RANGE.findall(list_):
                start, stop = int(a), int(b or a) + 1
                if start < clip.n_frames:
                    spans = {
                        "start": clip.seconds(start),
                        "stop": clip.seconds(min(stop, clip.n_frames)),
                    }
                    found.append({"words": str(words), **spans})
    return found[:_MOST_REPAIRS]


def _phases(clip: ClipTables) -> list[dict[str, Any]]:
    if "phases" not in clip:
        return []
    table = clip["phases"].sort_values("start_frame")
    return [
        {
            "mode": str(row.mode),
            "root": str(row.root),
            "support": str(row.support) if isinstance(row.support, str) else "",
            "start": float(row.start_time),
            "stop": float(row.stop_time),
        }
        for row in table.itertuples()
        if row.mode != "none"
    ]


def _contacts(clip: ClipTables) -> list[dict[str, Any]]:
    if "contacts" not in clip:
        return []
    table, found = clip["contacts"], []
    for column in table.columns:
        if column.endswith("_contact"):
            body = column[: -len("_contact")]
            on = table[column].fillna(False).astype(bool).to_numpy()
            spans = _spans(clip, on)
            side = clip.sides.get(body, side_of(body))
            found.append({"body": body, "side": side, "spans": spans})
    return found


def _spans(clip: ClipTables, on: np.ndarray) -> list[list[float]]:
    """Return from when to when something holds, s."""
    return [[clip.seconds(a), clip.seconds(b)] for a, b in runs(on)]


def _flagged(clip: ClipTables) -> list[dict[str, Any]]:
    table = next((clip[n] for n in ("torques", "contacts", "grf") if n in clip), None)
    if table is None:
        return []
    words = table["flag"].fillna("").astype(str).to_numpy()
    return [
        {"word": word, "start": a, "stop": b}
        for word in sorted(set(words) - {""})
        for a, b in _spans(clip, words == word)
    ]


def _foot(clip: ClipTables, foot: str, frames: slice) -> dict[str, Any]:
    on = clip["grf"][f"{foot}_on"].fillna(False).astype(bool).to_numpy()
    return {
        "name": foot,
        "side": clip.sides.get(foot, side_of(foot)),
        "used": _wrench(clip, "grf", foot, frames),
        "predicted": _wrench(clip, "predicted", foot, frames),
        "measured": _wrench(clip, "plates", foot, frames),
        "spans": _spans(clip, on),
        "paths": _paths(clip, foot, frames),
    }


def _paths(clip: ClipTables, foot: str, frames: slice) -> dict[str, Any] | None:
    """Return height (m) and speed along the ground (m/s) of a foot, as captured and corrected."""
    if not {"correction", "kinematics", "bodies"} <= clip.tables.keys():
        return None
    bodies = clip["bodies"]
    root = bodies["body"][bodies["parent"].isna() | (bodies["parent"] == "")].iloc[0]
    now, pivot = (clip.vectors("kinematics", body, "p") for body in (foot, root))
    move, turn = (
        clip["correction"][[f"{kind}{axis}" for axis in "xyz"]].to_numpy(float) for kind in "dr"
    )
    back = Rotation.from_rotvec(-np.nan_to_num(turn)).apply((now - pivot).T).T
    both = np.stack([pivot - move.T + back, now])
    height = np.einsum("c,kcf->kf", clip.up, both)
    speed = np.gradient(both, axis=2) * clip.fps
    speed -= np.einsum("c,kf->kcf", clip.up, np.gradient(height, axis=1) * clip.fps)
    skate = np.sqrt((speed**2).sum(axis=1))
    return {"height": pack(height[:, frames]), "speed": pack(skate[:, frames])}


def _wrench(clip: ClipTables, table: str, foot: str, frames: slice) -> dict[str, Any] | None:
    if table not in clip or f"{foot}_fx" not in clip[table]:
        return None
    return {
        "force": pack(clip.vectors(table, foot, "f")[:, frames]),
        "cop": pack(clip.vectors(table, foot, "p")[:, frames]),
    }


def _band(clip: ClipTables, body: str, frames: slice) -> dict[str, Any] | None:
    """Return least and greatest moments over all admissible load sharings, where computed."""
    edges = {edge: [f"{body}_m{axis}_{edge}" for axis in "xyz"] for edge in ("lo", "hi")}
    if not set(edges["lo"] + edges["hi"]) <= set(clip["torques"].columns):
        return None
    return {
        edge: pack(clip["torques"][columns].to_numpy(float).T[:, frames])
        for edge, columns in edges.items()
    }


def _joint(clip: ClipTables, choice: Choice, frames: slice) -> dict[str, Any]:
    members = []
    for side, body in choice.bodies.items():
        turn = relative_turn(clip, body, frames)
        prefix = f"{side}_" if side else ""
        anatomy = {
            f"{motion}_{kind}": pack(clip["anatomy"][column].to_numpy(float)[frames])
            for motion in choice.motions
            for kind in ("deg", "moment")
            if (column := f"{prefix}{choice.label.lower()}_{motion}_{kind}") in clip["anatomy"]
        }
        moment = power = band = None
        if body in clip.joints:
            band = _band(clip, body, frames)
            moment = pack(clip.vectors("torques", body, "m")[:, frames])
            power = pack(clip["torques"][f"{body}_power"].to_numpy(float)[frames])
        members.append(
            {
                "side": side,
                "body": body,
                "moment": moment,
                "power": power,
                "band": band,
                "turn": None if turn is None else pack(turn),
                "anatomy": anatomy,
            }
        )
    return {
        "label": choice.label,
        "known": choice.known,
        "motions": choice.motions,
        "members": members,
    }


def cycles(clip: ClipTables, side: str) -> list[dict[str, float]]:
    """Return the gait cycles of a side: ``start``, ``off``, ``stop``, s from the first frame."""
    if "events" not in clip or not len(clip["events"]):
        return []
    table = clip["events"]
    mine = table[table["side"] == side].sort_values("frame")
    strikes = mine.loc[mine["event"] == "strike", "frame"].to_numpy(int)
    offs = mine.loc[mine["event"] == "off", "frame"].to_numpy(int)
    found = []
    for first, last in pairwise(strikes):
        inside = offs[(offs > first) & (offs < last)]
        if len(inside):
            row = {"start": first, "off": inside[-1], "stop": last}
            found.append({key: float(value / clip.fps) for key, value in row.items()})
    return found
