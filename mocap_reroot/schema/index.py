"""The index of a batch: what it says of every clip."""

from __future__ import annotations

from mocap_reroot.schema.layout import Column, Table

INDEX = Table(
    "index", "clip", "",
    (
        Column("clip", "", "", "folder of the clip's results, below that of the batch"),
        Column("file", "", "", "the file it was read from"),
        Column("frames", "1", "", "frames of the file"),
        Column("fps", "Hz", "", "frames a second"),
        Column("seconds", "s", "", "how long it lasts"),
        Column("convention", "", "", "how the bodies are named, empty if by no known convention"),
        Column("unit", "", "", "unit of length that the file was taken to have"),
        Column("up", "", "world", "unit vector, the other way than gravity"),
        Column("mass", "kg", "", "mass of the body"),
        Column("height", "m", "", "stature of the body"),
        Column("forces", "", "", "measured if plates were used in any frame, predicted, or none"),
        Column("phases", "1", "", "number of support phases"),
        Column("grade", "", "", "how plausible the result is, A to D; – if not judged"),
        Column("grade_reasons", "", "", "why it is not better, the worst first"),
        Column("warnings", "1", "", "number of warnings in summary.json"),
        Column("repairs", "1", "", "number of repairs in summary.json"),
        Column("quality_root_invariance_nm", "N m", "",
               "how far torques depend on the root of the tree, at most"),
        Column("quality_cop_outside_foot_mm", "mm", "",
               "how far the centre of pressure leaves the foot, 95th percentile, single support"),
        Column("quality_flight_gravity_error", "1", "",
               "how far flight differs from free fall, of g, median"),
        Column("quality_foot_skate_mm_s", "mm/s", "", "how fast stance feet slide, median"),
        Column("quality_residual_force_n_{peak,rms}", "N", "", "force that no contact explains"),
        Column("quality_residual_moment_nm_{peak,rms}", "N m", "",
               "moment that no contact explains"),
        Column("quality_peak_vertical_force_bw", "1", "",
               "greatest vertical ground force, of body weight"),
        Column("quality_joint_moment_nm_kg_{ankle,knee,hip}", "N m/kg", "",
               "greatest moment at either side's joint, per body mass"),
        Column("quality_analysed_fraction", "1", "", "share of the frames that were analysed"),
        Column("gait_strides", "1", "", "number of strides"),
        Column("gait_cadence_steps_min", "1/min", "", "steps a minute, from the median stride"),
        Column("gait_speed_m_s", "m/s", "", "median speed of the strides"),
        Column("time_{read,body,contacts,ground,reroot,dynamics,tables}", "s", "",
               "how long this stage took"),
        Column("quality_<figure>", "", "", "a figure of `quality` in summary.json"),
        Column("gait_<figure>", "", "", "a figure of `gait` in summary.json"),
        Column("time_<stage>", "s", "", "how long this stage took"),
    ),
    frames=False,
)  # fmt: skip
"""``index.parquet`` of a batch; the first columns are always there, those with a ``<`` may be."""
