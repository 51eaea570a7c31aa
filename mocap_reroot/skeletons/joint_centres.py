"""Joint centres from surface markers, by published formulas. Points ``(3, F)``, metres.

Hip centres are given in pelvic axes (x forward, y up, z right; ISB, Wu 2002) from the midpoint
between the two anterior superior iliac spines (ASIS).
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.skeletons.vectors import cross, unit

_SWEEPS = 8  # leave less than a tenth of a millimetre, which the chain then takes up

HIP_METHODS = ("davis", "bell", "harrington")
"""Names of the hip regressions."""

MARKER_BASE = 0.002
"""m, the disc between a marker and the skin."""


def hip_davis(
    side: str, leg_length: float, asis_width: float, asis_depth: float, marker_radius: float
) -> np.ndarray:
    """Return ``(3)`` the hip centre after Davis 1991, as Plug-in Gait computes it.

    Args:
        side: ``"left"`` or ``"right"``.
        leg_length: m, mean of both legs, ASIS to medial malleolus.
        asis_width: m, between the two ASIS.
        asis_depth: m, from the ASIS back to the greater trochanter.
        marker_radius: m.
    """
    theta, beta = 0.5, 0.314  # rad: 28.4° and 18°
    c = 0.115 * leg_length - 0.0153
    forward = c * np.cos(theta) * np.sin(beta) - (asis_depth + marker_radius) * np.cos(beta)
    outward = asis_width / 2 - c * np.sin(theta)
    up = -c * np.cos(theta) * np.cos(beta) - (asis_depth + marker_radius) * np.sin(beta)
    return _sided(side, forward, up, outward)


def asis_depth_from_leg(leg_length: float) -> float:
    """Return m, ASIS back to trochanter, from the leg's length (Plug-in Gait)."""
    return 0.1288 * leg_length - 0.04856


def hip_bell(side: str, asis_width: float, standoff: float) -> np.ndarray:
    """Return ``(3)`` the hip centre after Bell 1990: 19 % back, 30 % down, 14 % inside the ASIS.

    Args:
        side: ``"left"`` or ``"right"``.
        asis_width: m, between the two ASIS.
        standoff: m, how far the markers' centres stand before the skin over the ASIS.
    """
    return _sided(side, -0.19 * asis_width - standoff, -0.30 * asis_width, 0.36 * asis_width)


def hip_harrington(
    side: str, asis_width: float, pelvic_depth: float, standoff: float
) -> np.ndarray:
    """Return ``(3)`` the hip centre after Harrington 2007, from pelvic width and depth.

    The regression was made from bones; centres of markers stand before the ASIS and behind the
    PSIS.

    Args:
        side: ``"left"`` or ``"right"``.
        asis_width: m, between the two ASIS.
        pelvic_depth: m, from the markers of the ASIS back to those of the PSIS, midpoints.
        standoff: m, from the skin to the centre of a marker.
    """
    return _sided(
        side,
        -0.24 * (pelvic_depth - 2 * standoff) - 0.0099 - standoff,
        -0.30 * asis_width - 0.0109,
        0.33 * asis_width + 0.0073,
    )


def lumbar(asis_width: float) -> np.ndarray:
    """Return ``(3)`` the joint L5/S1 after Dumas 2007, mean of the sexes, same axes and origin."""
    return np.array([-0.3375, 0.0085, 0.0]) * asis_width


def lumbar_above_hips(hip_width: float) -> np.ndarray:
    """Return ``(3)`` the same from the middle of the hips, by how far they are apart, m.

    In the same tables hips are 11.7 % behind, 35.3 % below and 36.65 % beside the middle of the
    ASIS.
    """
    return (np.array([-0.3375 + 0.117, 0.0085 + 0.353, 0.0]) / 0.733) * hip_width


def chord(
    proximal: np.ndarray, wand: np.ndarray, lateral: np.ndarray, distance: float
) -> np.ndarray:
    """Return the joint centre beside a lateral marker (Plug-in Gait's chord function).

    The centre lies in the plane of proximal joint, wand and marker, ``distance`` from the marker,
    on the side away from the wand, where it sees marker and proximal joint at a right angle.

    Args:
        proximal: ``(3, F)`` the joint above.
        wand: ``(3, F)`` a marker on the outside of the segment.
        lateral: ``(3, F)`` the marker on the outside of the joint.
        distance: m, half the joint's width and the marker's radius.
    """
    along = proximal - lateral
    length = np.linalg.norm(along, axis=0)
    direction = unit(along)
    inward = -(wand - lateral)
    inward = unit(inward - (inward * direction).sum(axis=0) * direction)
    # Right triangle with hypotenuse `length` and leg `distance`; its height stands on the chord.
    cosine = distance / np.where(length > distance, length, np.nan)
    sine = np.sqrt(1 - cosine**2)
    return lateral + distance * (cosine * direction + sine * inward)


def beside(
    lateral: np.ndarray, along: np.ndarray, inward: np.ndarray, distance: float
) -> np.ndarray:
    """Return the point ``distance`` inside a lateral marker, square to the segment's direction."""
    along = unit(along)
    inward = inward - (inward * along).sum(axis=0) * along
    return lateral + distance * unit(inward)


def constant_lengths(
    root: np.ndarray,
    middle: np.ndarray,
    end: np.ndarray,
    lengths: tuple[float, float],
    share: float = 0.5,
) -> tuple[np.ndarray, np.ndarray]:
    """Return a limb's middle and end joint moved as little as constant bone lengths allow.

    Skin slides by centimetres over a bent knee. Aiming bone after bone would leave all of it to
    the last joint; here both joints give way (position-based constraints, a few sweeps).

    Args:
        root, middle, end: ``(3, F)`` m, measured centres; the root stays.
        lengths: m, of the two bones.
        share: How much of the second bone's error its end takes; the middle takes the rest.
    """
    for _ in range(_SWEEPS):
        middle = root + lengths[0] * unit(middle - root)
        bone = end - middle
        error = bone - lengths[1] * unit(bone)
        middle, end = middle + (1 - share) * error, end - share * error
    return middle, end


def flexion_axis(
    proximal: np.ndarray, joint: np.ndarray, distal: np.ndarray, steady: np.ndarray
) -> np.ndarray:
    """Return the normal of a bent limb's plane; towards ``steady`` where the limb is straight.

    For an elbow it points to the right on both sides of the body.
    """
    normal = cross(unit(joint - proximal), unit(distal - joint))
    return unit(normal + 0.2 * unit(steady))


def _sided(side: str, forward: float, up: float, outward: float) -> np.ndarray:
    return np.array([forward, up, outward if side == "right" else -outward])
