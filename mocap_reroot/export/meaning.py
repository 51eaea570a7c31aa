"""What a column means: its unit, its axes and a sentence, as kept in the Parquet files."""

from __future__ import annotations

import re

_FIXED = {
    "frame": ("1", "", "row of the file, counted from 0"),
    "time": ("s", "", "frame / fps"),
    "flag": ("", "", "empty when sound, else a word"),
    "phase": ("1", "", "number of the phase in phases.csv, -1 where left out"),
    "mode": ("", "", "single, double, multi, flight or none; counts limbs"),
    "root": ("", "", "body the tree is rooted at in this frame"),
    "source": ("", "", "where the ground force comes from: predicted, measured, mixed or none"),
}
_TORQUE = (
    "moment that the capture parent (proximal) exerts on the body (distal) at the joint, "
    "whatever the root of the tree in this frame"
)
_SUFFIXES: dict[str, list[tuple[str, str, str, str]]] = {
    "torques": [
        (r"_m[xyz](_lo|_hi)?$", "N m", "body", _TORQUE),
        (r"_power$", "W", "", "moment times angular velocity relative to the capture parent"),
    ],
    "reactions": [
        (r"_f[xyz]$", "N", "body", "force that the capture parent exerts on the body at the joint"),
    ],
    "contacts": [
        (r"_contact$", "", "", "whether this part carries the body"),
        (r"_score$", "1", "", "how sure that is, 0 to 1"),
    ],
    "grf": [
        (r"^residual_f[xyz]$", "N", "world", "force on the capture root that no contact explains"),
        (r"^residual_m[xyz]$", "N m", "world", "the same, moment about the capture root's origin"),
        (r"_on$", "", "", "whether the foot carries"),
        (r"_f[xyz]$", "N", "world", "ground reaction force on the foot"),
        (r"_p[xyz]$", "m", "world", "centre of pressure on the ground, empty below 20 N"),
        (r"_tn$", "N m", "up", "couple that remains at the centre of pressure, along up"),
    ],
    "kinematics": [
        (r"_p[xyz]$", "m", "world", "position of the body's origin (capture frame)"),
        (r"_q[wxyz]$", "1", "world", "orientation, unit quaternion, body to world"),
        (r"_v[xyz]$", "m/s", "world", "velocity of the origin"),
        (r"_w[xyz]$", "rad/s", "world", "angular velocity"),
        (r"_al[xyz]$", "rad/s2", "world", "angular acceleration"),
        (r"_a[xyz]$", "m/s2", "world", "acceleration of the origin"),
    ],
    "rooted": [
        (r"^root_p[xyz]$", "m", "world", "position of the support point"),
        (r"^root_v[xyz]$", "m/s", "world", "velocity of the support point"),
        (r"^root_a[xyz]$", "m/s2", "world", "acceleration of the support point"),
        (r"_q[wxyz]$", "1", "parent", "orientation relative to the current parent"),
        (r"_w[xyz]$", "rad/s", "body", "angular velocity relative to the current parent"),
        (r"_al[xyz]$", "rad/s2", "body", "time derivative of those components"),
        (r"_j[xyz]$", "m", "parent", "displacement of a joint that translates"),
        (r"_jv[xyz]$", "m/s", "parent", "its velocity"),
        (r"_ja[xyz]$", "m/s2", "parent", "its acceleration"),
    ],
    "anatomy": [
        (r"_deg$", "deg", "anatomical", "joint angle; positive in the sense of its name"),
        (r"_moment$", "N m", "anatomical", "internal moment; positive in the sense of its name"),
    ],
}
_SUFFIXES["predicted"] = _SUFFIXES["grf"]
_SUFFIXES["plates"] = [
    (pattern, unit, axes, f"measured {meaning}")
    for pattern, unit, axes, meaning in _SUFFIXES["grf"]
]


def describe(table: str, column: str) -> dict[str, str]:
    """Return ``unit``, ``axes`` and ``meaning`` of a column of a table of the interface."""
    if column in _FIXED:
        unit, axes, meaning = _FIXED[column]
        return {"unit": unit, "axes": axes, "meaning": meaning}
    for pattern, unit, axes, meaning in _SUFFIXES.get(table, []):
        if re.search(pattern, column):
            return {"unit": unit, "axes": axes, "meaning": meaning}
    return {"unit": "", "axes": "", "meaning": ""}
