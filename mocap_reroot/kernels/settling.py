"""Loads of several feet that add up to the total, frame by frame.

Vectors of a frame are ``(3)``, those of its feet ``(k, 3)``; ``axes (2, 3)`` are level and with
``up (3)`` a right-handed frame.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel


@kernel
def _dot(u, v):
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


@kernel
def _cross(u, v, out):
    out[0] = u[1] * v[2] - u[2] * v[1]
    out[1] = u[2] * v[0] - u[0] * v[2]
    out[2] = u[0] * v[1] - u[1] * v[0]


@kernel
def _take(source, f, out):
    """Set a vector to that of frame f."""
    for c in range(3):
        out[c] = source[c, f]


@kernel
def _lean(shares, base, up, com, travel, vertical, limits, against):
    """Set ``against (k)`` to the force, along travel, with which each foot pushes on the others.

    Legs push along themselves, towards the centre of mass; the steepest stays within a limit.
    """
    lean, lowest, steepest = limits
    along, high = 0.0, 0.0
    for k in range(len(shares)):
        against[k] = _dot(travel, base[k])
        along += shares[k] * against[k]
        high += shares[k] * _dot(up, base[k])
    height = max(_dot(up, com) - high, lowest)
    most, size = steepest, np.sqrt(_dot(travel, travel))
    for k in range(len(shares)):
        against[k] = (along - against[k]) / height
        most = max(most, size * abs(against[k]))
    for k in range(len(shares)):
        against[k] *= shares[k] * lean * (steepest / most) * max(vertical, 0.0)


@kernel
def _push(shares, on, total, up, vertical, travel, against, level, push):
    """Set ``level, push (k, 3)``: every foot's force across up, and with its share along up.

    They add up to the total's.
    """
    left = 0.0
    for k in range(len(shares)):
        left += against[k]
    for k in range(len(shares)):
        for c in range(3):
            rest = total[c] - up[c] * vertical - left * travel[c]
            level[k, c] = shares[k] * rest + against[k] * travel[c]
            push[k, c] = level[k, c] + up[c] * shares[k] * vertical if on[k] else 0.0


@kernel
def _stand(place, about, up, axes, point, normal, arm, slope):
    """Set arm to the way from about to a place dropped onto its plane, and the plane's slope."""
    steep = _dot(up, normal)
    slope[0], slope[1] = _dot(axes[0], normal) / steep, _dot(axes[1], normal) / steep
    drop = (_dot(place, normal) - _dot(point, normal)) / steep
    for c in range(3):
        arm[c] = place[c] - up[c] * drop - about[c]


@kernel
def _shift(moment, up, axes, vertical, level, push, arm, slope, rest):
    """Shift all pressures together along their planes, so that only a couple along up is left.

    With ``r_k`` from the total's point to foot k's pressure, ``Σ f_k r_k − z_k H_k = up × M``; a
    common shift ``δ`` solves ``(f + Σ H_k m_kᵀ) δ = rest``, ``m_k`` the planes' slopes.
    """
    _cross(up, moment, rest)
    a, b, c, d = vertical, 0.0, 0.0, vertical
    for k in range(len(arm)):
        share, high = _dot(up, push[k]), _dot(up, arm[k])
        for i in range(3):
            rest[i] -= arm[k, i] * share - high * level[k, i]
        x, y = _dot(axes[0], level[k]), _dot(axes[1], level[k])
        a += x * slope[k, 0]
        b += x * slope[k, 1]
        c += y * slope[k, 0]
        d += y * slope[k, 1]
    x, y = _dot(axes[0], rest), _dot(axes[1], rest)
    if not (abs(x) < np.inf and abs(y) < np.inf):  # isfinite() subtracts: fast sums cancel
        return
    x, y = (d * x - b * y) / (a * d - b * c), (a * y - c * x) / (a * d - b * c)
    for k in range(len(arm)):
        drop = slope[k, 0] * x + slope[k, 1] * y
        for i in range(3):
            arm[k, i] += axes[0, i] * x + axes[1, i] * y - up[i] * drop


@kernel
def _impossible(on, push, up, friction):
    """Return whether a foot that carries pulls or slips."""
    for k in range(len(on)):
        vertical = _dot(up, push[k])
        level = np.sqrt(max(_dot(push[k], push[k]) - vertical * vertical, 0.0))
        if on[k] and (vertical < 0 or level > friction * abs(vertical) + 1.0):
            return True
    return False


@kernel
def settle(total, up, axes, plane, on, shares, base, place, body, limits, force, moment, bad):
    """Fill loads with the given shares whose sum is the total.

    What is left along up once all pressures have shifted together is a couple, shared like the
    load; of a body that hardly weighs on the ground the whole moment is left.

    Args:
        total: force, moment, about ``(3, F)``.
        up, axes: ``(3)``, ``(2, 3)``.
        plane: point, normal ``(k, 3, F)``.
        on: ``(k, F)`` whether a foot carries.
        shares: ``(k, F)`` of the vertical force.
        base, place: ``(k, 3, F)`` where each foot would bear, and where it is to.
        body: Centre of mass and direction of travel, ``(3, F)``.
        limits: How much feet lean, the lowest centre of mass, the steepest lean; the least force
            of a known pressure; friction.
        force, moment: ``(k, 3, F)`` out, given as zeros; moment about the total's point.
        bad: ``(F)`` out, given as False: several feet carry, and one of them pulls or slips.
    """
    leaning, least, friction = limits
    feet, frames = on.shape
    here, share, against = np.empty(feet, np.bool_), np.empty(feet), np.empty(feet)
    at, point, normal = np.empty((feet, 3)), np.empty(3), np.empty(3)
    level, push, arm = np.empty((feet, 3)), np.empty((feet, 3)), np.empty((feet, 3))
    slope, turn, rest = np.empty((feet, 2)), np.empty((feet, 3)), np.empty(3)
    whole, couple, about = np.empty(3), np.empty(3), np.empty(3)
    com, travel = np.empty(3), np.empty(3)
    for f in range(frames):
        count = 0
        for k in range(feet):
            here[k], share[k] = on[k, f], shares[k, f]
            count += here[k]
            _take(base[k], f, at[k])
        if count == 0:
            continue
        _take(total[0], f, whole)
        _take(total[1], f, couple)
        _take(total[2], f, about)
        _take(body[0], f, com)
        _take(body[1], f, travel)
        vertical = _dot(up, whole)
        _lean(share, at, up, com, travel, vertical, leaning, against)
        _push(share, here, whole, up, vertical, travel, against, level, push)
        for k in range(feet):
            _take(place[k], f, at[k])
            _take(plane[0][k], f, point)
            _take(plane[1][k], f, normal)
            _stand(at[k], about, up, axes, point, normal, arm[k], slope[k])
        if vertical > least:
            _shift(couple, up, axes, vertical, level, push, arm, slope, rest)
        for k in range(feet):
            _cross(arm[k], push[k], turn[k])
            for c in range(3):
                couple[c] -= turn[k, c]
        for k in range(feet):
            for c in range(3):
                force[k, c, f] = push[k, c]
                moment[k, c, f] = turn[k, c] + (share[k] * couple[c] if here[k] else 0.0)
        bad[f] = count > 1 and _impossible(here, push, up, friction)
