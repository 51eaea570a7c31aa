"""A reporting checklist for joint moments after Derrick et al. 2020 (ISB), filled in for a clip."""

from __future__ import annotations

from typing import Any

from mocap_reroot.report.clip_tables import ClipTables

REFERENCE = (
    "Derrick TR, van den Bogert AJ, Cereatti A, Dumas R, Fantozzi S, Leardini A (2020). ISB "
    "recommendations on the reporting of intersegmental forces and moments during human motion "
    "analysis. Journal of Biomechanics 99:109533."
)
_TABLES = {
    "deleva": "de Leva (1996), adjusted Zatsiorsky-Seluyanov parameters",
    "winter": "Dempster/Winter (2009)",
}
_FORCES = {
    "measured": "Measured by force plates; a loaded foot off the plates has its share predicted "
    "(column source). Plate data are averaged over the frame interval, not low-passed.",
    "predicted": "Predicted from the motion by Newton-Euler on the tree rooted at the support.",
    "none": "None: no contact was found.",
}


def checklist(clip: ClipTables) -> list[tuple[str, str]]:
    """Return what a reader must know to compare moments, with the answer for this clip.

    The items follow the subjects of the recommendations, not the wording of their checklist.
    """
    summary = clip.summary
    config = summary.get("config") or {}
    body, dynamics = config.get("body") or {}, config.get("dynamics") or {}
    inferred = {str(i.get("what")): i for i in summary.get("inferred") or []}
    return [
        (
            "Quantity",
            "Net intersegmental (joint) moments and reaction forces, without muscle forces.",
        ),
        (
            "Internal or external",
            "Internal: the moment that the proximal segment exerts on the distal one.",
        ),
        (
            "Coordinate system",
            "<body>_mx, _my, _mz: axes of the distal body's capture frame."
            + (
                " anatomy.parquet: ISB joint axes as far as the skeleton determines them, "
                "positive in the sense of the column's name."
                if "anatomy" in clip
                else ""
            ),
        ),
        ("Point of reference", "The joint centre: origin of the distal body's capture frame."),
        ("Normalisation", _normalisation(dynamics.get("normalise"))),
        ("Segments and degrees of freedom", _model(clip)),
        ("Joint centres", _centres(clip, inferred)),
        ("Inertial parameters", _parameters(body, inferred)),
        ("Body mass and stature", _mass(clip, inferred)),
        ("Kinematic sampling rate", f"{clip.fps:g} Hz, {clip.n_frames} frames."),
        ("Filter of the kinematics", _filter(config, inferred)),
        (
            "Ground reaction force",
            _FORCES.get(str(summary.get("forces")), str(summary.get("forces"))),
        ),
        (
            "Two feet on the ground",
            "Where forces are predicted, the load is shared by the rule "
            f"“{dynamics.get('sharing')}”; total force and moment exact.",
        ),
        (
            "Method",
            "Recursive Newton-Euler on the tree re-rooted at the supporting foot (predicted) or "
            "on the captured tree with the plates' wrenches (measured).",
        ),
        ("Dynamic consistency", _consistency(summary.get("quality") or {})),
        ("Software", _software(summary.get("versions") or {})),
    ]


def _normalisation(word: Any) -> str:
    if word == "kg":
        return "None in torques.parquet (N·m); divided by body mass in the extra table."
    if word == "bwh":
        return "None in torques.parquet (N·m); by body weight × height in the extra table."
    return "None: N·m and N. The plots of this page can be shown per kg of body mass."


def _model(clip: ClipTables) -> str:
    if "bodies" not in clip:
        return f"{len(clip.joints) + 1} bodies."
    masses = clip["bodies"]["mass"].astype(float)
    return (
        f"{len(masses)} rigid bodies, {int((masses > 0).sum())} of them with mass; three rotations "
        "at every joint of the capture hierarchy."
    )


def _centres(clip: ClipTables, inferred: dict[str, Any]) -> str:
    found = inferred.get("marker_set")
    if found:
        return f"Estimated from markers, marker set {found.get('value')}."
    return f"As in the file's hierarchy (convention: {clip.summary.get('convention') or 'none'})."


def _parameters(body: dict[str, Any], inferred: dict[str, Any]) -> str:
    if body.get("bodies"):
        return f"From the file {body['bodies']}."
    table = _TABLES.get(str(body.get("segment_table")), body.get("segment_table"))
    said = f"{table}, {body.get('sex') or 'mean of both sexes'}, scaled to segment lengths and mass"
    if (inferred.get("segment_masses") or {}).get("value") == "plates":
        said += ", then masses of the parts as the force plates tell"
    return f"{said}."


def _mass(clip: ClipTables, inferred: dict[str, Any]) -> str:
    mass, height = clip.summary["mass"], clip.summary.get("height")
    given = ((clip.summary.get("config") or {}).get("body") or {}).get("mass") is not None
    guessed = any(str(w).startswith("Mass is not known") for w in clip.summary.get("warnings", []))
    weighed = "mass" in inferred
    origin = "given" if given else "estimated" if guessed else "from the file"
    if weighed and not given:
        origin = "weighed on the force plates"
    return f"{mass:.1f} kg ({origin})" + (f", {height:.2f} m." if height else ".")


def _filter(config: dict[str, Any], inferred: dict[str, Any]) -> str:
    smoothing = config.get("smoothing") or {}
    found = inferred.get("cutoff")
    value = found.get("value") if found else smoothing.get("cutoff")
    how = "chosen for least error in the accelerations" if found else "given"
    if smoothing.get("smoother") == "spline":
        return f"Smoothing spline, equivalent cut-off {value} Hz ({how})."
    return f"Zero-lag Butterworth low-pass, two passes, cut-off {value} Hz ({how})."


def _consistency(quality: dict[str, Any]) -> str:
    force, moment = quality.get("residual_force_n") or {}, quality.get("residual_moment_nm") or {}
    if not force:
        return "Not known."
    return (
        f"Residuals on the capture root: force peak {force.get('peak') or 0:.0f} N, RMS "
        f"{force.get('rms') or 0:.1f} N; moment peak {moment.get('peak') or 0:.0f} N·m, RMS "
        f"{moment.get('rms') or 0:.1f} N·m."
    )


def _software(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in versions.items()) + "."
