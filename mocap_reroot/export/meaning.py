"""What a column means: its unit, its axes and a sentence, as kept in the Parquet files.

The reference in ``docs/reference/tables.md`` is made from it.
"""

from __future__ import annotations

import re

_FIXED = {
    "frame": ("1", "", "frame of the file, counted from 0"),
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
_POWER = "moment times angular velocity relative to the capture parent"
_SUFFIXES: dict[str, list[tuple[str, str, str, str]]] = {
    "torques": [
        (r"_m[xyz]$", "N m", "body", _TORQUE),
        (r"_m[xyz]_lo$", "N m", "body", "least moment of all admissible ways to share the load"),
        (r"_m[xyz]_hi$", "N m", "body", "greatest moment of all admissible ways to share the load"),
        (r"_power$", "W", "", _POWER),
    ],
    "normalised": [
        (r"_m[xyz]_per_kg$", "N m/kg", "body", f"{_TORQUE}; per body mass"),
        (r"_power_per_kg$", "W/kg", "", f"{_POWER}; per body mass"),
        (r"_m[xyz]_per_bwh$", "1", "body", f"{_TORQUE}; per body weight and stature"),
        (r"_power_per_bwh$", "1/s", "", f"{_POWER}; per body weight and stature"),
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
    "correction": [
        (r"^d[xyz]$", "m", "world", "how far the root was moved to be consistent with the forces"),
        (r"^r[xyz]$", "rad", "world", "how far it was turned, rotation vector"),
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
    (pattern, unit, axes, f"{meaning}, by the force plates")
    for pattern, unit, axes, meaning in _SUFFIXES["grf"]
]
_OFFSET = (r"^offset_[xyz]$", "m", "parent", "where the joint stands, in the parent's frame")
_COM = (r"^com_[xyz]$", "m", "body", "centre of mass, in the body's frame")
_SUFFIXES["bodies"] = [
    (r"^body$", "", "", "its name in the file"),
    (r"^parent$", "", "", "the body it hangs from in the capture hierarchy, empty at the root"),
    (r"^segment$", "", "", "part of a person that it is, empty where unknown"),
    (r"^mass$", "kg", "", "its mass"),
    _COM,
    (r"^i[xyz][xyz]$", "kg m2", "body", "inertia about the centre of mass"),
    _OFFSET,
]
_SUFFIXES["rooted_tree"] = [
    (r"^body$", "", "", "name of a body of the phase's tree"),
    (r"^parent$", "", "", "the body it hangs from in this phase, empty at the support"),
    _OFFSET,
    _COM,
]
_SUFFIXES["phases"] = [
    (r"^support$", "", "", "bodies that carry, joined by +; empty in flight"),
    (r"^start_frame$", "1", "", "first frame"),
    (r"^stop_frame$", "1", "", "first frame after it"),
    (r"^(start|stop)_time$", "s", "", "that frame / fps"),
]
_SUFFIXES["events"] = [
    (r"^event$", "", "", "strike: first frame of contact; off: first frame without"),
    (r"^foot$", "", "", "the foot's body"),
    (r"^side$", "", "", "left or right"),
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
