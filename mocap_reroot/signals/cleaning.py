"""clean(): rest poses, repeated frames, gaps and jumps: repaired or left out, and reported.

Euler wraps need no repair: quaternions do not see them. A second cleaning finds nothing new.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from mocap_reroot.numerics.frames import runs
from mocap_reroot.signals.discontinuities import jumps, out_of_place, rest_pose_frames
from mocap_reroot.signals.lost_joints import Lost, rebuild
from mocap_reroot.types import FLAGS, LEFT_OUT, Motion, flag_code

SHORTEST_RUN = 5
"""Frames below which a run cannot be smoothed."""

_FILL_SECONDS = 0.1  # the longest hole that is interpolated, and the longest run of repeats
_ROUNDING = 1e-9  # rad and m: less than that is no motion
_TOGETHER = 1 << 15  # frames of all bodies looked at together: they stay in the cache
_SIDE = 3  # frames on each side of a hole that the interpolation looks at
_REST_POSE, _GAP, _GLITCH, _REBUILT = map(flag_code, ("rest_pose", "gap", "glitch", "rebuilt"))
_LEFT_OUT = np.array([code in LEFT_OUT for code in range(len(FLAGS))])


def clean(motion: Motion) -> Motion:
    """Find and mend what is not motion.

    - Frames that are not finite, or in which a joint is thrown out of its place: up to 0.1 s are
      interpolated (``filled``), longer ones left out (``not_finite``).
    - A rest pose kept at the start, from which the body jumps into motion, or at the end: left
      out (``rest_pose``).
    - Frames that repeat the one before while the body moves: interpolated (``duplicate``).
      A pose held for longer than 0.1 s is taken for stillness.
    - Jumps after which the motion does not go on where it was: the clip is cut there (``gap``).
    - Feet, toes, forearms, hands and fingers turned out of their joint's reach by a jump: turned
      back or rebuilt (``rebuilt``; fingers bear too little mass to be flagged).
    - Bodies that flip from one frame to the next: reported (``glitch``), not altered.
    - Runs of fewer than 5 frames between frames left out: left out as well (``gap``).

    Args:
        motion: Joint states, with or without derivatives.

    Returns:
        Motion: The same object if nothing was found; else with new flags, repairs and warnings,
        and without derivatives if states were interpolated.
    """
    if motion.n_frames < 2:
        return motion
    flags = motion.flags.copy()
    repairs: list[str] = []
    warnings: list[str] = []
    steps = _steps(motion)
    _rest_pose(motion, flags, steps, repairs)
    holes = _not_finite(motion, flags, steps, repairs, warnings)
    holes |= _duplicates(motion, flags, steps, repairs)
    _cut_at_jumps(motion, flags, steps, holes, warnings)
    usable = ~_LEFT_OUT[flags] & ~holes
    rotation, lost = rebuild(motion, usable, steps.largest_turn)
    if lost and motion.coordinates is None:  # a model's joints cannot be lost one by one
        _rebuilt(motion, flags, lost, repairs)
        motion = _restated(motion, rotation, motion.displacement)
    _glitches(motion, flags, steps, holes, warnings)
    _islands(motion, flags, holes, warnings)
    holes &= ~_LEFT_OUT[flags]
    repairs = [r for r in repairs if r not in motion.source.repairs]
    warnings = [w for w in warnings if w not in motion.source.warnings]
    if not np.array_equal(flags, motion.flags) or repairs or warnings:
        source = motion.source.adding(repairs=repairs, warnings=warnings)
        motion = replace(motion, flags=flags, source=source)
        if holes.any():
            motion = _with_coordinates(_restated(motion, *_interpolated(motion, holes)), holes)
    return motion


def _restated(motion: Motion, rotation: np.ndarray, displacement: np.ndarray) -> Motion:
    """Return a motion with other joint states, and so without derivatives."""
    return replace(
        motion,
        rotation=rotation,
        displacement=displacement,
        angular_velocity=None,
        angular_acceleration=None,
        linear_velocity=None,
        linear_acceleration=None,
    )


@dataclass(frozen=True, eq=False)
class _Steps:
    """How far the bodies move from frame to frame.

    Attributes:
        turn: ``(F)`` rad, into each frame, summed over the bodies.
        slide: ``(F)`` m, into each frame, summed over the joints that translate.
        largest_turn: ``(n)`` rad, the largest into any frame.
        roughest: ``(n)`` rad, the largest change from one step to the next.
    """

    turn: np.ndarray
    slide: np.ndarray
    largest_turn: np.ndarray
    roughest: np.ndarray


def _steps(motion: Motion) -> _Steps:
    turn, slide = np.zeros(motion.n_frames), np.zeros(motion.n_frames)
    largest = np.empty((2, motion.skeleton.n_bodies))
    together = max(1, _TOGETHER // motion.n_frames)
    for first in range(0, len(motion.rotation), together):
        some = slice(first, first + together)
        step, rough = turn_steps(motion.rotation[some])
        turn += step.sum(axis=0)
        largest[:, some] = np.nanmax(step, axis=1), np.nanmax(rough, axis=1)
    for joint in motion.displacement:
        for channel in joint:
            slide[1:] += np.abs(channel[1:] - channel[:-1])
    return _Steps(turn, slide, *largest)


def turn_steps(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how far bodies ``(…, 4, F)`` turn into each frame, and how abruptly: ``(…, F)``, rad.

    A step is 2 |Δq|, the roughness around a frame 2 |Δ²q|; 0 where there is no neighbour. The signs
    of neighbours mean nothing. What is not finite spreads to its neighbours.
    """
    sign = np.ones_like(q[..., 0, :])
    agree = np.einsum("...cf,...cf->...f", q[..., 1:], q[..., :-1])
    np.cumprod(np.where(agree < 0, -1.0, 1.0), axis=-1, out=sign[..., 1:])
    step, rough = np.zeros((2, *sign.shape))
    change = np.diff(q * sign[..., None, :], axis=-1)
    step[..., 1:] = 2 * np.sqrt(np.einsum("...cf,...cf->...f", change, change))
    change = np.diff(change, axis=-1)
    rough[..., 1:-1] = 2 * np.sqrt(np.einsum("...cf,...cf->...f", change, change))
    return step, rough


def _frames(motion: Motion, frames: np.ndarray, limit: int = 6) -> str:
    """Return words for ascending frames, or for those of a mask, in rows of the file."""
    mask = frames
    if frames.dtype != bool:
        mask = np.zeros(motion.n_frames, bool)
        mask[frames] = True
    parts = [
        f"{motion.start + a}" if b == a + 1 else f"{motion.start + a}–{motion.start + b - 1}"
        for a, b in runs(mask)
    ]
    shown = ", ".join(parts[:limit]) + (" …" if len(parts) > limit else "")
    return f"frame {shown}" if mask.sum() == 1 else f"frames {shown}"


def _not_finite(
    motion: Motion,
    flags: np.ndarray,
    steps: _Steps,
    repairs: list[str],
    warnings: list[str],
) -> np.ndarray:
    bad = ~np.isfinite(steps.turn + steps.slide)  # a sum is if all its terms are; or beside such
    if bad.any():
        total = motion.rotation.sum(axis=(0, 1)) + motion.displacement.sum(axis=(0, 1))
        bad = ~np.isfinite(total)
    out = (flags == _REST_POSE) | (flags == _GAP)
    misplaced, after = out_of_place(motion, ~bad & ~out)
    if misplaced.any():
        repairs.append(f"A joint is out of all reach in {_frames(motion, misplaced)}: not used.")
    flags[after & (flags == 0)] = _GAP  # told by _seams
    bad |= misplaced
    holes = np.zeros_like(bad)
    if not bad.any():
        return holes
    longest = max(1, round(_FILL_SECONDS * motion.fps))
    usable = ~bad & ~out
    for a, b in runs(bad & ~out):
        sides = usable[max(0, a - _SIDE) : a].sum(), usable[b : b + _SIDE].sum()
        holes[a:b] = b - a <= longest and min(sides) == _SIDE
    flags[holes] = flag_code("filled")
    left = bad & ~out & ~holes
    flags[left] = flag_code("not_finite")
    if holes.any():
        repairs.append(f"No numbers in {_frames(motion, holes)}: interpolated.")
    if left.any():
        warnings.append(f"No numbers in {_frames(motion, left)}: left out.")
    return holes


def _rest_pose(motion: Motion, flags: np.ndarray, steps: _Steps, repairs: list[str]) -> None:
    """Flag a rest pose kept at the start or at the end."""
    moving = steps.largest_turn > 1e-6
    if not moving.any():
        return
    mean = steps.turn / int(moving.sum())
    backwards = np.concatenate([[0.0], mean[:0:-1]])  # the steps of the clip played so
    for last, step in ((False, mean), (True, backwards)):
        if flags[-1 if last else 0] != 0:
            continue
        stop, jump = rest_pose_frames(step, partial(_at_rest, motion, moving, last), motion.fps)
        if stop == 0:
            continue
        kept = np.arange(motion.n_frames) < stop
        how, frame = "starts in a rest pose and jumps into motion at", stop
        if last:
            kept = kept[::-1]
            how, frame = "jumps into a rest pose after", motion.n_frames - 1 - stop
        flags[kept] = _REST_POSE
        repairs.append(
            f"The clip {how} frame {motion.start + frame} ({jump:.0f} times the usual step): "
            f"{_frames(motion, kept)} left out."
        )


def _at_rest(motion: Motion, moving: np.ndarray, last: bool, frame: int) -> float:
    """Return the share of bodies exactly at rest in a frame, or in one counted from the end."""
    turned = motion.rotation[moving, :, -1 - frame if last else frame]
    dot = np.abs((turned * motion.skeleton.rest[moving]).sum(axis=1))
    return float(np.mean(np.abs(dot - 1) < 1e-9))


def _duplicates(motion: Motion, flags: np.ndarray, steps: _Steps, repairs: list[str]) -> np.ndarray:
    moved = steps.turn + steps.slide
    still = moved == 0
    still[0] = False
    still &= flags == 0
    holes = np.zeros(motion.n_frames, dtype=bool)
    longest = max(1, round(_FILL_SECONDS * motion.fps))
    for a, b in runs(still):
        # In motion before and after, and short: frames were dropped, the body did not pause.
        if a < 2 or b > motion.n_frames - 2 or b - a > longest:
            continue
        sound = flags[a - 2 : b + 2] == 0
        holes[a:b] = sound.all() and min(moved[a - 1], moved[b]) > _ROUNDING
    if not holes.any():
        return holes
    flags[holes] = flag_code("duplicate")
    repairs.append(
        f"{int(holes.sum())} frames repeat the one before in the midst of motion "
        f"({_frames(motion, holes)}): interpolated."
    )
    return holes


def _cut_at_jumps(
    motion: Motion,
    flags: np.ndarray,
    steps: _Steps,
    holes: np.ndarray,
    warnings: list[str],
) -> None:
    """Cut the clip where the motion jumps and does not come back: nothing may reach across."""
    told = (flags == _GAP) & (motion.flags != _GAP)
    usable = ~_LEFT_OUT[flags] & ~holes
    found = jumps(motion, steps.turn, steps.largest_turn > 1e-6, usable)
    flags[found] = _GAP
    found |= told
    if found.any():
        warnings.append(
            f"The motion jumps at {_frames(motion, found)} and does not come back: the clip is "
            "cut there, as at a gap."
        )


def _rebuilt(motion: Motion, flags: np.ndarray, lost: list[Lost], repairs: list[str]) -> None:
    """Flag and tell what was rebuilt."""
    for joint in lost:
        frames = joint.frames
        back, made = int(joint.turned.sum()), int(joint.bridged.sum())
        if not motion.skeleton.segments[joint.body].endswith("fingers"):
            flags[frames & (flags == 0)] = _REBUILT
        ways = [f"{back} turned back by half a turn"] * (back > 0)
        ways += [f"{made} rebuilt from the frames around"] * (made > 0)
        repairs.append(
            f"{motion.skeleton.names[joint.body]} is turned out of its joint's reach in "
            f"{int(frames.sum())} of {motion.n_frames} frames ({_frames(motion, frames, 4)}): "
            f"{', '.join(ways)}."
        )


def _glitches(
    motion: Motion,
    flags: np.ndarray,
    steps: _Steps,
    holes: np.ndarray,
    warnings: list[str],
) -> None:
    """Report bodies that flip within a frame or two: no joint starts and stops so fast.

    A turn counts if its change from one step to the next exceeds 20° (more below 65 Hz, where a
    fast limb can do that) and half of the steps themselves, so that fast but steady turns pass.
    """
    limit = max(0.35, 1500 / motion.fps**2)
    suspects = np.flatnonzero(steps.roughest > limit)
    if len(suspects) == 0:
        return
    aside = _LEFT_OUT[flags] | holes
    aside |= np.roll(aside, 1) | np.roll(aside, -1)
    found: list[tuple[float, str, np.ndarray]] = []
    for body in suspects.tolist():
        step, rough = turn_steps(motion.rotation[body])
        around = 0.5 * (step + np.append(step[1:], 0.0))
        at = np.flatnonzero((rough > limit) & (rough > around) & ~aside)
        if len(at) == 0:
            continue
        flags[at[flags[at] == 0]] = _GLITCH
        worst = at[rough[at].argmax()]
        fastest = float(max(step[worst], step[worst + 1])) * motion.fps
        found.append((fastest, motion.skeleton.names[body], at))
    if found:
        worst_first = sorted(found, key=lambda flip: flip[:2], reverse=True)
        shown = [
            f"{name} at {_frames(motion, at, 3)} (up to {fastest:.0f} rad/s)"
            for fastest, name, at in worst_first[:4]
        ]
        more = f", and {len(found) - 4} more" if len(found) > 4 else ""
        warnings.append(
            f"Flips from one frame to the next: {'; '.join(shown)}{more}. "
            "Torques there mean little."
        )


def _islands(motion: Motion, flags: np.ndarray, holes: np.ndarray, warnings: list[str]) -> None:
    """Leave out pieces with too few frames of their own; those that are bridged do not count."""
    out = _LEFT_OUT[flags]
    if not out.any():
        return
    small = np.zeros(len(flags), dtype=bool)
    for a, b in runs(~out):
        small[a:b] = b - a - holes[a:b].sum() < SHORTEST_RUN
    if small.any():
        flags[small] = flag_code("gap")
        warnings.append(
            f"Too few frames between gaps for derivatives ({_frames(motion, small)}): left out."
        )


def _interpolated(motion: Motion, holes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rotation and displacement with the holes bridged by polynomials.

    Each hole is crossed by the polynomial (quintic at most) through three sound frames on each
    side, so that the bridge has the neighbours' velocity and acceleration. Several holes close
    together are bridged from what is sound around each of them, of the same piece.
    """
    from scipy.interpolate import BarycentricInterpolator

    from mocap_reroot.kernels.rotations import make_continuous

    rotation, displacement = np.empty(motion.rotation.shape), motion.displacement.copy()
    rotation[...] = motion.rotation
    make_continuous(rotation)
    sound, spans = np.flatnonzero(~holes & motion.analysed), np.cumsum(~motion.analysed)
    for a, b in runs(holes):
        middle = np.searchsorted(sound, a)
        nodes = sound[max(0, middle - _SIDE) : middle + _SIDE]
        nodes = nodes[spans[nodes] == spans[a]]
        for values in (rotation, displacement):
            bridge = BarycentricInterpolator(nodes, values[..., nodes], axis=-1)
            values[..., a:b] = bridge(np.arange(a, b))
    bridged = rotation[..., holes]
    rotation[..., holes] = bridged / np.linalg.norm(bridged, axis=1, keepdims=True)
    return rotation, displacement


def _with_coordinates(motion: Motion, holes: np.ndarray) -> Motion:
    """Return a motion whose model's coordinates, if it has one, are bridged as its states are."""
    if motion.coordinates is None:
        return motion
    value, sound = motion.coordinates.value.copy(), np.flatnonzero(~holes & motion.analysed)
    for row in value:
        row[holes] = np.interp(np.flatnonzero(holes), sound, row[sound])
    return replace(motion, coordinates=replace(motion.coordinates, value=value))
