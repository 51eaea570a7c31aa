"""A reporting checklist for joint moments after Derrick et al. 2020 (ISB), filled in for a clip."""

from __future__ import annotations

from functools import cache
from typing import Any

from mocap_reroot.report.clip_tables import ClipTables
from mocap_reroot.resources.package_data import read_toml


@cache
def texts() -> dict[str, Any]:
    """Return what the checklist asks and answers; ``reference`` is where it comes from."""
    return read_toml("report", "checklist.toml")


def checklist(clip: ClipTables) -> list[tuple[str, str]]:
    """Return what a reader must know to compare moments, with the answer for this clip.

    The items follow the subjects of the recommendations, not the wording of their checklist.
    """
    summary, known = clip.summary, texts()
    config = summary.get("config") or {}
    dynamics = config.get("dynamics") or {}
    inferred = {str(i.get("what")): i for i in summary.get("inferred") or []}
    normalised = dynamics.get("normalise") or "none"
    answers = {
        "anatomy": known["anatomy"] if "anatomy" in clip else "",
        "normalisation": known["normalisation"].get(normalised, known["normalisation"]["none"]),
        "model": _model(clip),
        "centres": _centres(summary, inferred),
        "parameters": _parameters(config.get("body") or {}, inferred),
        "mass": _mass(clip, inferred),
        "fps": clip.fps,
        "frames": clip.n_frames,
        "filter": _filter(config.get("smoothing") or {}, inferred),
        "forces": known["forces"].get(str(summary.get("forces")), str(summary.get("forces"))),
        "sharing": known["sharing"].get(str(dynamics.get("ground")), known["sharing"]["filtered"]),
        "consistency": _consistency(summary.get("quality") or {}),
        "software": ", ".join(f"{n} {v}" for n, v in (summary.get("versions") or {}).items()) + ".",
    }
    return [(item, text.format(**answers)) for item, text in known["items"]]


def _model(clip: ClipTables) -> str:
    if "bodies" not in clip:
        return f"{len(clip.joints) + 1} bodies."
    masses = clip["bodies"]["mass"].astype(float)
    return (
        f"{len(masses)} rigid bodies, {int((masses > 0).sum())} of them with mass; three rotations "
        "at every joint of the capture hierarchy."
    )


def _centres(summary: dict[str, Any], inferred: dict[str, Any]) -> str:
    if found := inferred.get("marker_set"):
        return f"Estimated from markers, marker set {found.get('value')}."
    return f"As in the file's hierarchy (convention: {summary.get('convention') or 'none'})."


def _parameters(body: dict[str, Any], inferred: dict[str, Any]) -> str:
    if body.get("bodies"):
        return f"From the file {body['bodies']}."
    table = texts()["tables"].get(str(body.get("segment_table")), body.get("segment_table"))
    said = f"{table}, {body.get('sex') or 'mean of both sexes'}, scaled to segment lengths and mass"
    if (inferred.get("segment_masses") or {}).get("value") == "plates":
        said += ", then masses of the parts as the force plates tell"
    return f"{said}."


def _mass(clip: ClipTables, inferred: dict[str, Any]) -> str:
    mass, height = clip.summary["mass"], clip.summary.get("height")
    assumed = any(str(w).startswith("Mass is not known") for w in clip.summary.get("warnings", []))
    origin = "estimated" if assumed else "from the file"
    if "mass" in inferred:
        origin = "weighed on the force plates"
    if ((clip.summary.get("config") or {}).get("body") or {}).get("mass") is not None:
        origin = "given"
    return f"{mass:.1f} kg ({origin})" + (f", {height:.2f} m." if height else ".")


def _filter(smoothing: dict[str, Any], inferred: dict[str, Any]) -> str:
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
