"""The tables, one entry each: file, rows, columns, and the attributes that hold their values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mocap_reroot.schema.layout import Column, Each, Table

_HEAD = {
    "frame": Column("frame", "1", "", "frame of the file, counted from 0", "frame"),
    "time": Column("time", "s", "", "start_time + frame / fps", "time"),
    "phase": Column("phase", "1", "", "number of the phase in phases.csv, -1 where left out",
                    "phase"),
    "mode": Column("mode", "", "", "single, double, multi, flight or none; counts limbs", "mode"),
    "root": Column("root", "", "", "body the tree is rooted at in this frame", "root"),
    "source": Column("source", "", "", "where the ground force comes from: predicted, measured, "
                     "mixed or none", "source"),
    "flag": Column("flag", "", "", "empty when sound, else a word", "flag_words"),
}  # fmt: skip
"""Columns that many tables begin with."""


def _head(*names: str, of: str = "") -> tuple[Column, ...]:
    """Return the first columns of a table, whose values the noun or its attribute ``of`` has."""
    columns = (_HEAD[name] for name in names)
    return tuple(replace(c, path=f"{of}.{c.path}") if of else c for c in columns)


def _joints(*columns: Column, of: str = "") -> Each:
    """Return columns of every joint: of all bodies but the capture root."""
    stem = f"{of}." if of else ""
    return Each(f"{stem}joint_names", columns, rows=f"{stem}joints")


_TORQUE = (
    "moment that the capture parent (proximal) exerts on the body (distal) at the joint, "
    "whatever the root of the tree in this frame"
)
_POWER = "moment times angular velocity relative to the capture parent"
_BAND = _joints(
    Column("<body>_m{xyz}_{lo,hi}", "N m", "body",
           "least and greatest moment of all admissible ways to share the load", "band"),
)  # fmt: skip
_GROUND: tuple[Column | Each, ...] = (
    *_head("frame", "time", "mode", "source", "flag"),
    Each("foot_names", (
        Column("<foot>_on", "", "", "whether the foot carries", "foot_on"),
        Column("<foot>_f{xyz}", "N", "world", "ground reaction force on the foot", "ground_force"),
        Column("<foot>_p{xyz}", "m", "world", "centre of pressure on the ground, empty below 20 N",
               "ground_pressure"),
        Column("<foot>_tn", "N m", "up", "couple that remains at the centre of pressure, along up",
               "ground_couple"),
    )),
    Column("residual_f{xyz}", "N", "world", "force on the capture root that no contact explains",
           "residual_force"),
    Column("residual_m{xyz}", "N m", "world", "the same, moment about the capture root's origin",
           "residual_moment"),
    Column("external_body", "", "", "the body a push from elsewhere acts on, empty if not known",
           "external_body"),
    Column("external_f{xyz}", "N", "world", "push from elsewhere: a chair, a bar, a partner",
           "external_force"),
    Column("external_m{xyz}", "N m", "world", "the same, moment about the capture root's origin",
           "external_moment"),
)  # fmt: skip


def _by_plates(part: Column | Each) -> Column | Each:
    """Return a column of ground forces as plates measured it."""
    if isinstance(part, Each):
        return replace(part, columns=tuple(map(_measured, part.columns)))
    return part if part.name in _HEAD else _measured(part)


def _measured(column: Column) -> Column:
    return replace(column, meaning=f"{column.meaning}, by the force plates")


_LIMBS = (
    "{hip_flexion,hip_adduction,hip_rotation,knee_flexion,knee_adduction,knee_rotation,"
    "ankle_dorsiflexion,ankle_inversion,ankle_rotation,shoulder_flexion,shoulder_adduction,"
    "shoulder_rotation,elbow_flexion,elbow_adduction,elbow_pronation}"
)
_LEG = (
    "{hip_flexion,hip_adduction,hip_rotation,knee_flexion,knee_adduction,knee_rotation,"
    "ankle_dorsiflexion,ankle_inversion,ankle_rotation}"
)
_TRUNK = "{trunk_flexion,trunk_bending,trunk_rotation}"
_ANGLE = ("deg", "anatomical", "joint angle; positive in the sense of its name")
_MOMENT = ("N m", "anatomical", "internal moment; positive in the sense of its name")
_OFFSET = Column("offset_{xyz}", "m", "parent", "where the joint stands, in the parent's frame",
                 "offset")  # fmt: skip
_COM = Column("com_{xyz}", "m", "body", "centre of mass, in the body's frame", "com")
_STRIDE = (
    Column("stride", "1", "", "number of the stride, counted from 0"),
    Column("side", "", "", "left or right"),
)
_SPAN = (
    Column("start_frame", "1", "", "first frame", "start_frame"),
    Column("stop_frame", "1", "", "first frame after it", "stop_frame"),
    Column("{start,stop}_time", "s", "", "start_time + that frame / fps", "times"),
)


def _per(unit: str, moment: str, power: str) -> tuple[Column, ...]:
    """Return the columns of torques and powers over the size of a person."""
    said = {"kg": "per body mass", "bwh": "per body weight and stature"}[unit]
    return (
        Column(f"<body>_m{{xyz}}_per_{unit}", moment, "body", f"{_TORQUE}; {said}",
               f"{unit}.torque"),
        Column(f"<body>_power_per_{unit}", power, "", f"{_POWER}; {said}", f"{unit}.power"),
    )  # fmt: skip


_ALL = (
    Table(
        "torques", "frame", "dynamics",
        (
            *_head("frame", "time", "phase", "mode", "root", "source", "flag"),
            _joints(
                Column("<body>_m{xyz}", "N m", "body", _TORQUE, "torque"),
                Column("<body>_power", "W", "", _POWER, "power"),
            ),
            _BAND,
        ),
        core=True, report=True,
    ),
    Table(
        "reactions", "frame", "dynamics",
        (
            *_head("frame", "time", "flag"),
            _joints(
                Column("<body>_f{xyz}", "N", "body",
                       "force that the capture parent exerts on the body at the joint", "force"),
            ),
        ),
    ),
    Table(
        "anatomy", "frame; where the skeleton is a person's", "dynamics.extra",
        (
            *_head("frame", "time", "flag"),
            Column(f"<side>_{_LIMBS}_deg", *_ANGLE),
            Column(f"{_TRUNK}_deg", *_ANGLE),
            Column("pelvis_{tilt,obliquity,rotation}_deg", "deg", "anatomical",
                   "angle of the pelvis against the way it faces on the whole; positive forwards, "
                   "right side up, left side back"),
            Column(f"<side>_{_LIMBS}_moment", *_MOMENT),
            Column(f"{_TRUNK}_moment", *_MOMENT),
        ),
        core=True, report=True,
    ),
    Table(
        "coordinates", "frame; with a model", "dynamics.extra",
        (
            *_head("frame", "time", "flag"),
            Column("<coordinate>_value", "rad or m", "", "coordinate of the model"),
            Column("<coordinate>_speed", "rad/s or m/s", "",
                   "its speed, as OpenSim has it: its rate, but for ball and free joints, where it "
                   "is along the axes of the parent's frame"),
            Column("<coordinate>_acceleration", "rad/s2 or m/s2", "",
                   "time derivative of the speed"),
            Column("<coordinate>_force", "N m or N", "",
                   "generalised force along the speed, as OpenSim's inverse dynamics has it; of "
                   "the coordinates of the root: what no contact explains"),
        ),
    ),
    Table("grf", "frame", "dynamics", _GROUND, core=True, report=True),
    Table(
        "correction", "frame; where the root's path was estimated", "ground.corrected",
        (
            *_head("frame", "time", of="motion"),
            Column("d{xyz}", "m", "world",
                   "how far the root was moved to be consistent with the forces", "moved"),
            Column("r{xyz}", "rad", "world", "how far it was turned, rotation vector", "turned"),
        ),
        report=True,
    ),
    Table(
        "feasibility", "frame", "dynamics.extra",
        (
            *_head("frame", "time", "flag", of="dynamics"),
            Column("friction_used", "1", "", "tangential over normal ground force, the largest of "
                   "the limbs", "friction_used"),
            Column("support_margin_m", "m", "", "how far the pressure is within the support "
                   "polygon, seen from above; negative outside", "support_margin_m"),
            Column("torque_nm_kg", "N m/kg", "", "the largest of the joints' moments, per body "
                   "mass", "torque_nm_kg"),
            Column("joint_speed", "rad/s", "", "the largest of the joints' angular velocities",
                   "joint_speed"),
            Column("unexplained", "1", "", "residual and push from elsewhere, of weight; moments "
                   "by 0.4 stature", "unexplained"),
        ),
    ),
    Table(
        "plates", "frame; where the file has force plates", "dynamics.extra",
        tuple(map(_by_plates, _GROUND)), core=True, report=True,
    ),
    Table(
        "predicted", "frame; what the motion alone would give, where plates were used",
        "dynamics.extra", _GROUND, report=True,
    ),
    Table(
        "normalised", "frame; with `--normalise`", "dynamics.extra",
        (
            *_head("frame", "time", "flag", of="dynamics"),
            _joints(*_per("kg", "N m/kg", "W/kg"), of="dynamics"),
            _joints(*_per("bwh", "1", "1/s"), of="dynamics"),
        ),
        asked=True,
    ),
    Table(
        "contacts", "frame", "rooted.contacts",
        (
            *_head("frame", "time", "flag"),
            Each("part_names", (
                Column("<foot>_contact", "", "", "whether this part carries the body", "touching"),
                Column("<foot>_score", "1", "", "how sure that is, 0 to 1", "score"),
            )),
        ),
        core=True, report=True,
    ),
    Table(
        "kinematics", "frame; capture hierarchy, world axes", "motion",
        (
            *_head("frame", "time", "flag", of="motion"),
            Each("motion.skeleton.names", (
                Column("<body>_p{xyz}", "m", "world",
                       "position of the body's origin (capture frame)", "position"),
                Column("<body>_q{wxyz}", "1", "world",
                       "orientation, unit quaternion, body to world", "orientation"),
                Column("<body>_v{xyz}", "m/s", "world", "velocity of the origin", "velocity"),
                Column("<body>_w{xyz}", "rad/s", "world", "angular velocity", "angular_velocity"),
                Column("<body>_a{xyz}", "m/s2", "world", "acceleration of the origin",
                       "acceleration"),
                Column("<body>_al{xyz}", "rad/s2", "world", "angular acceleration",
                       "angular_acceleration"),
            )),
        ),
        report=True,
    ),
    Table(
        "rooted", "frame; the support-rooted tree", "rooted",
        (
            *_head("frame", "time", "phase", "root"),
            Each("names", (
                Column("<body>_q{wxyz}", "1", "parent",
                       "orientation relative to the current parent", "rotation"),
                Column("<body>_w{xyz}", "rad/s", "body",
                       "angular velocity relative to the current parent", "angular_velocity"),
                Column("<body>_al{xyz}", "rad/s2", "body", "time derivative of those components",
                       "angular_acceleration"),
            )),
            Each("sliding_names", (
                Column("<body>_j{xyz}", "m", "parent", "displacement of a joint that translates",
                       "displacement"),
                Column("<body>_jv{xyz}", "m/s", "parent", "its velocity", "linear_velocity"),
                Column("<body>_ja{xyz}", "m/s2", "parent", "its acceleration",
                       "linear_acceleration"),
            )),
            Column("root_p{xyz}", "m", "world", "position of the support point", "root_position"),
            Column("root_v{xyz}", "m/s", "world", "velocity of the support point", "root_velocity"),
            Column("root_a{xyz}", "m/s2", "world", "acceleration of the support point",
                   "root_acceleration"),
        ),
    ),
    Table(
        "rooted_tree", "phase and body", "rooted",
        (
            *_head("phase", "root"),
            Column("body", "", "", "name of a body of the phase's tree", "body"),
            Column("parent", "", "", "the body it hangs from in this phase, empty at the support",
                   "parent"),
            _OFFSET,
            _COM,
        ),
        frames=False, csv=True,
    ),
    Table(
        "bodies", "body", "body",
        (
            Column("body", "", "", "its name in the file", "skeleton.names"),
            Column("parent", "", "", "the body it hangs from in the capture hierarchy, empty at "
                   "the root", "skeleton.parent_names"),
            Column("segment", "", "", "part of a person that it is, empty where unknown",
                   "skeleton.segments"),
            Column("mass", "kg", "", "its mass", "mass"),
            _COM,
            Column("i{xx,yy,zz,xy,xz,yz}", "kg m2", "body", "inertia about the centre of mass",
                   "moments_of_inertia"),
            replace(_OFFSET, path="skeleton.offset"),
        ),
        frames=False, csv=True, core=True, report=True,
    ),
    Table(
        "phases", "phase", "rooted.contacts.phase_rows",
        (
            *_head("phase", "mode", "root"),
            Column("support", "", "", "bodies that carry, joined by +; empty in flight", "support"),
            *_SPAN,
        ),
        frames=False, csv=True, core=True, report=True,
    ),
    Table(
        "strides", "stride: from a strike of a foot to its next one", "rooted.contacts.stride_rows",
        (
            *_STRIDE,
            Column("start_frame", "1", "", "frame of the strike"),
            Column("stop_frame", "1", "", "frame of the next strike"),
            Column("{start,stop}_time", "s", "", "start_time + that frame / fps"),
            Column("foot", "", "", "the foot's body"),
            Column("off_frame", "1", "", "first frame without contact"),
            Column("{stride,stance,swing}_time", "s", "", "how long it lasts"),
            Column("stance_fraction", "1", "", "share of the stride that the foot stands"),
            Column("double_support_fraction", "1", "", "share with two feet or more down"),
            Column("flight_fraction", "1", "", "share with no foot down"),
            Column("stride_length", "m", "", "level way from one footprint to the next"),
            Column("step_length", "m", "", "from the other foot's last print, along that way"),
            Column("step_width", "m", "", "from the other foot's last print, across that way"),
            Column("step_time", "s", "", "from the other foot's last strike to the next strike"),
            Column("speed", "m/s", "", "stride length over stride time"),
            Column("sound", "1", "", "true if no frame of it is flagged"),
        ),
        frames=False, csv=True, core=True,
    ),
    Table(
        "cycles", "stride and percent; sound strides of a person", "cycle_rows",
        (
            *_STRIDE,
            Column("percent", "1", "", "of the stride, 0 to 100 in steps of 1"),
            Column(f"{_LEG}_deg", *_ANGLE),
            Column(f"{_LEG}_nm_kg", "N m/kg", *_MOMENT[1:]),
            Column("{hip,knee,ankle}_power_w_kg", "W/kg", "", _POWER),
            Column("grf_vertical_bw", "1", "up", "ground force on the foot, of body weight"),
            Column("grf_forward_bw", "1", "pelvis",
                   "the same, the way the pelvis faces over the stride"),
            Column("grf_lateral_bw", "1", "pelvis", "the same, level and outwards of this leg"),
        ),
        frames=False, core=True, report=True,
    ),
    Table(
        "peaks", "stride and quantity; sound strides of a person", "peak_rows",
        (
            *_STRIDE,
            Column("quantity", "", "", "which curve: a column of cycles"),
            Column("least", "its own", "", "least value of the curve"),
            Column("least_at", "1", "", "percent of the stride where it has it"),
            Column("greatest", "its own", "", "greatest value of the curve"),
            Column("greatest_at", "1", "", "percent of the stride where it has it"),
            Column("mean", "its own", "", "mean of the curve over the stride"),
        ),
        frames=False, csv=True, core=True,
    ),
    Table(
        "events", "event", "rooted.contacts.event_rows",
        (
            Column("event", "", "", "strike: first frame of contact; off: first frame without",
                   "event"),
            Column("foot", "", "", "the foot's body", "foot"),
            Column("side", "", "", "left or right", "side"),
            *_head("frame", "time"),
        ),
        frames=False, csv=True, core=True, report=True,
    ),
)  # fmt: skip

TABLES: dict[str, Table] = {table.name: table for table in _ALL}
"""Every table of a clip's folder by name, in the order of the reference."""


def _names(tables: Iterable[Table]) -> tuple[str, ...]:
    return (*(table.name for table in tables), "summary")


WRITTEN = _names(table for table in _ALL if not table.asked)
"""What ``--tables all`` means."""
CORE = _names(table for table in _ALL if table.core)
"""What ``--tables core`` means."""
