"""reroot(): root change of a motion, to one body or to the support of every phase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, overload

import numpy as np

from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.rerooting.state import STATES, Switch, switch_root
from mocap_reroot.rerooting.support import SUPPORT_JOINTS, held_by
from mocap_reroot.types import Contacts, Motion, Phase, Rooted

Vector = Sequence[float] | np.ndarray


@overload
def reroot(
    motion: Motion, contacts: Contacts, *,
    joint: str = "free", axis: Vector | None = None,
) -> Rooted: ...  # fmt: skip


@overload
def reroot(
    motion: Motion, contacts: None = None, *, root: str | int, at: Vector | None = None,
    joint: str = "free", axis: Vector | None = None,
) -> Motion: ...  # fmt: skip


def reroot(
    motion: Motion,
    contacts: Contacts | None = None,
    *,
    root: str | int | None = None,
    at: Vector | None = None,
    joint: str = "free",
    axis: Vector | None = None,
) -> Motion | Rooted:
    """Root a motion at another body, or at its support, phase by phase.

    World poses, velocities and accelerations of all bodies stay what they were. With the free joint
    the way back is exact too: ``reroot(reroot(m, root=a), root=b)`` is ``reroot(m, root=b)``, and
    ``m`` itself if ``b`` is its root, held by a free joint at its capture origin. A captured root
    held otherwise comes back with a free joint that makes the same movement.

    Args:
        motion: Captured or re-rooted, with or without derivatives.
        contacts: Root every phase at its support (:attr:`Phase.root`, :attr:`Phase.at`).
        root: Name or index of the new root, throughout.
        at: ``(3)`` m, support point in the new root's capture frame; its capture origin if None.
        joint: What holds the new root: ``"free"`` (exact), ``"spherical"``, ``"revolute"`` or
            ``"fixed"``. The last three stand still in the world and discard what they do not
            allow; how much is told in ``motion.source`` (``inferred``, ``warnings``).
        axis: ``(3)`` world direction of a revolute joint; found from the motion if None.

    Returns:
        Motion | Rooted: A motion rooted there; or, given contacts, one motion a phase.

    Raises:
        UnknownNameError: There is no such body or joint; offers names.
        MocapRerootError: Neither or both of root and contacts are given, or a point is not one.
    """
    if joint not in SUPPORT_JOINTS:
        raise UnknownNameError("support joint", joint, SUPPORT_JOINTS)
    if (root is None) == (contacts is None):
        raise MocapRerootError(
            "reroot needs either a root (root='LeftFoot') or contacts, whose phases name their "
            f"roots; {'neither' if root is None else 'both'} were given."
        )
    if contacts is None:
        assert root is not None
        switch = switch_root(motion.skeleton, motion.skeleton.index(root), _point("at", at))
        return held_by(switch.apply(motion), joint, axis)
    if at is not None:
        raise MocapRerootError("at belongs to one root; with contacts every phase has its own.")
    return _by_phase(motion, contacts, joint, axis)


def _by_phase(motion: Motion, contacts: Contacts, joint: str, axis: Vector | None) -> Rooted:
    """Root every phase where it is supported; a tree is built once for phases that share it."""
    if contacts.skeleton.names != motion.skeleton.names:
        raise MocapRerootError(
            "These contacts were found on another skeleton: its bodies are "
            f"{', '.join(contacts.skeleton.names[:5])}, …; detect them on this motion."
        )
    made: dict[tuple[int, bytes], Switch] = {}
    phases: list[Phase] = []
    switches: list[Switch] = []
    for phase in contacts.phase_list:
        if min(phase.stop - motion.start, motion.n_frames) <= max(phase.start - motion.start, 0):
            continue
        at = _point("Phase.at", phase.at)
        key = phase.root, at.tobytes() if at is not None else b""
        if key not in made:
            made[key] = switch_root(motion.skeleton, phase.root, at)
        phases.append(phase)
        switches.append(made[key])

    def piece(k: int) -> Motion:
        return held_by(switches[k].apply(motion, *rooted.span(k)), joint, axis)

    trees = tuple(switch.after for switch in switches)
    rooted = Rooted(tuple(phases), trees, contacts, motion, piece)
    return rooted if joint == "free" else replace(rooted, captured=_as_held(rooted))


def _as_held(rooted: Rooted) -> Motion:
    """Return the captured motion as the joints that hold its supports allow it."""
    captured, root = rooted.captured, rooted.captured.skeleton.root
    states: dict[str, Any] = {
        name: np.array(rows) for name in STATES if (rows := getattr(captured, name)) is not None
    }
    row = int(captured.skeleton.slot[root])
    if row < 0:  # it stands: nothing that holds a foot can be told of it
        return captured
    for k, (_, piece) in enumerate(rooted):
        back = switch_root(piece.skeleton, root).apply(piece)
        frames = slice(*rooted.span(k))
        for name, rows in states.items():
            rows[..., frames] = getattr(back, name)
        stands = back.skeleton.offset[root] - captured.skeleton.offset[root]
        states["displacement"][row, :, frames] += stands[:, None]
    return replace(captured, **states)


def _point(name: str, point: Vector | None) -> np.ndarray | None:
    """Return a finite ``(3)`` array, or None."""
    if point is None:
        return None
    array = np.asarray(point, dtype=float)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise MocapRerootError(f"{name} must be three finite numbers (m); found {point!r}.")
    return array
