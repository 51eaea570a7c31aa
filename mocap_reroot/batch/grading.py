"""A plausibility grade for a clip, so that a data set can be filtered by physics.

The limits are those of the literature where there are any: OpenSim's guidance for residuals (peak
below 10–25 N and 75 N·m), the sole for the centre of pressure, free fall for flight.
"""

from __future__ import annotations

from typing import Any

# figure, good below, doubtful below (above: bad), what it means
_LIMITS: tuple[tuple[str, float, float, str], ...] = (
    ("cop_outside_foot_mm", 20.0, 60.0, "centre of pressure leaves the foot by {:.0f} mm"),
    ("flight_gravity_error", 0.15, 0.35, "flight differs from free fall by {:.0%}"),
    ("foot_skate_mm_s", 60.0, 250.0, "stance feet skate at {:.0f} mm/s"),
    ("peak_vertical_force_bw", 3.5, 6.0, "peak vertical force is {:.1f} body weights"),
    ("root_invariance_nm", 1e-6, 1e-3, "torques depend on the root by {:.1g} N·m"),
    ("peak_ankle_moment_nm_kg", 3.0, 5.0, "an ankle moment of {:.1f} N·m/kg"),
    ("peak_knee_moment_nm_kg", 4.0, 7.0, "a knee moment of {:.1f} N·m/kg"),
)


def grade(summary: dict[str, Any]) -> tuple[str, list[str]]:
    """Return A (plausible), B (usable with care), C (doubtful) or D (not physics), with reasons.

    Args:
        summary: The content of ``summary.json``.
    """
    quality = summary.get("quality") or {}
    doubts, faults, known = [], [], 0
    for name, good, doubtful, words in _LIMITS:
        value = quality.get(name)
        if not isinstance(value, int | float):
            continue
        known += 1
        if value > doubtful:
            faults.append(words.format(value))
        elif value > good:
            doubts.append(words.format(value))
    share = quality.get("analysed_fraction")
    if isinstance(share, int | float) and share < 0.5:
        faults.append(f"only {share:.0%} of the frames could be analysed")
    if known == 0:
        return "D", ["nothing could be judged: no contacts and no flight"]
    if faults:
        return ("D" if len(faults) > 1 else "C"), faults + doubts
    return ("B" if doubts else "A"), doubts
