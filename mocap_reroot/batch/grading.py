"""A plausibility grade for a clip, so that a data set can be filtered by physics.

Every figure has three limits. Within the first it is what a good laboratory gets; within the second
the clip can be used with care; within the third it is doubtful; beyond, it is not physics. A clip
is graded by the worst of its figures, and two doubtful ones make it bad.

Where the limits come from:

- centre of pressure: soles are guessed from the skeleton to about 30 mm; nobody stands on a point
  a whole foot's length outside the foot;
- flight: nothing but gravity acts, and 15 % is what smoothing across touch-down leaves;
- skate: a marker on a stance foot rolls and creeps at a few cm/s; at 0.4 m/s it slides;
- vertical force: running peaks at 2–3 body weights, landings at 6, and 10 injure;
- joint moments: strong people hold about 3, 4 and 5 N·m/kg at ankle, knee and hip;
- frames left out (a rest pose, gaps, people out of the volume) say little about the others;
- residuals: 5 % of the external force (Hicks et al. 2015), here of body weight.
"""

from __future__ import annotations

from typing import Any

from mocap_reroot.types import STANDARD_GRAVITY

# figure (path in "quality"), limits of A, B and C, what it means
_LIMITS: tuple[tuple[str, tuple[float, float, float], str], ...] = (
    ("cop_outside_foot_mm", (30, 100, 250), "centre of pressure leaves the foot by {:.0f} mm"),
    ("flight_gravity_error", (0.15, 0.35, 0.7), "flight differs from free fall by {:.0%}"),
    ("foot_skate_mm_s", (80, 200, 400), "stance feet skate at {:.0f} mm/s"),
    ("peak_vertical_force_bw", (3.5, 6, 10), "peak vertical force is {:.1f} body weights"),
    ("joint_moment_nm_kg.ankle", (3, 5, 10), "an ankle bears {:.1f} N·m/kg"),
    ("joint_moment_nm_kg.knee", (4, 7, 14), "a knee bears {:.1f} N·m/kg"),
    ("joint_moment_nm_kg.hip", (5, 9, 18), "a hip bears {:.1f} N·m/kg"),
    ("residual_bw", (0.05, 0.15, 0.5), "forces of {:.0%} of body weight come from nowhere"),
    ("root_invariance_nm", (1e-6, 1e-3, 1), "torques depend on the root by {:.1g} N·m"),
    ("left_out", (0.25, 0.75, 0.95), "{:.0%} of the frames could not be analysed"),
)
_CERTAIN = ("cop_outside_foot_mm", "flight_gravity_error", "foot_skate_mm_s")
"""Without any of these nothing can be said about a clip: it touches no ground and never flies."""


def grade(summary: dict[str, Any]) -> tuple[str, list[str]]:
    """Return A (plausible), B (usable with care), C (doubtful) or D (not physics), with reasons.

    Args:
        summary: The content of ``summary.json``.

    Returns:
        tuple: The letter, and a few words for every figure that is not good, the worst first.
    """
    figures = _figures(summary)
    if not any(name in figures for name in _CERTAIN):
        return "D", ["nothing could be judged: no contacts and no flight"]
    found = []
    for name, limits, words in _LIMITS:
        if name in figures:
            worse = sum(figures[name] > limit for limit in limits)
            if worse:
                found.append((worse, words.format(figures[name])))
    found.sort(key=lambda pair: -pair[0])
    worst = found[0][0] if found else 0
    if [level for level, _ in found].count(2) > 1:
        worst = 3
    return "ABCD"[worst], [words for _, words in found]


def _figures(summary: dict[str, Any]) -> dict[str, float]:
    """Return the numbers to be judged by their names."""
    quality = dict(summary.get("quality") or {})
    weight = summary["mass"] * STANDARD_GRAVITY
    residual = (quality.get("residual_force_n") or {}).get("rms")
    if residual is not None and quality.get("flight_gravity_error") is None:
        quality["residual_bw"] = residual / weight  # in flight it has a figure of its own
    if quality.get("analysed_fraction") is not None:
        quality["left_out"] = 1.0 - quality["analysed_fraction"]
    for joint, value in (quality.get("joint_moment_nm_kg") or {}).items():
        quality[f"joint_moment_nm_kg.{joint}"] = value
    return {name: float(v) for name, v in quality.items() if isinstance(v, int | float)}
