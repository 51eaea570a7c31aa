"""Skeleton: a kinematic tree of rigid bodies, and which segment each of them is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np

from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.types.checks import default, read_only, shaped, unchecked


class JointType(IntEnum):
    """How a body moves against its parent; the numbers are known to ``kernels.joints``."""

    FIXED = 0
    REVOLUTE = 1
    PRISMATIC = 2
    UNIVERSAL = 3
    SPHERICAL = 4
    FREE = 5


@dataclass(frozen=True, eq=False)
class Anatomy:
    """Which part of a human each body is, and why we think so.

    Attributes:
        segments: ``(n)`` words, with the side in front where there is one: ``pelvis``,
            ``left_thigh``, ``left_shank``, ``left_foot``, ``left_toes``, ``trunk``, ``neck``,
            ``head``, ``left_clavicle``, ``left_upper_arm``, ``left_forearm``, ``left_hand``,
            ``left_fingers``, ``hip_dummy`` …; empty where unknown.
        confidence: ``(n)`` 0–1.
        reasons: ``(n)`` sentences.
        human: Whether the skeleton as a whole is a person (two legs that hang from a pelvis).
        convention: Naming convention recognised, e.g. ``"CMU"``; empty if none.
    """

    segments: tuple[str, ...]
    confidence: np.ndarray
    reasons: tuple[str, ...]
    human: bool
    convention: str = ""

    def find(self, segment: str) -> tuple[int, ...]:
        """Return the indices of the bodies of one segment, e.g. ``"left_foot"``."""
        return tuple(i for i, s in enumerate(self.segments) if s == segment)


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A kinematic tree of rigid bodies; each body originates at the joint it uses.

    Attributes:
        names: ``(n)`` body names, unique; a joint bears the name of the body that uses it.
        parents: ``(n)`` index of the parent, −1 at the root. May be larger than the child's.
        offset: ``(n, 3)`` m, where the joint stands, in the parent's current frame.
        rest: ``(n, 4)`` rest rotation ``E`` of the joint; the body's rotation is ``R = E J``.
        origin: ``(n, 3)`` m, where the body's frame originates now, in its capture frame.
        joint_types: ``(n)`` of :class:`JointType`.
        axes: ``(n, 2, 3)`` unit axes of revolute, prismatic (the first) and universal joints
            (``J = Rot(axis 0) Rot(axis 1)``), in the joint's frame; zero elsewhere.
        site_body, site_offset: ``(s)``, ``(s, 3)`` End Sites: the body that bears them and where,
            in its capture frame, m.
        channels: ``(n)`` tuples of BVH channel names as the file wrote them, for writing back;
            empty tuples where the skeleton did not come from a BVH.
        anatomy: Who is who, once inferred.
    """

    names: tuple[str, ...]
    parents: np.ndarray
    offset: np.ndarray
    rest: np.ndarray = None  # type: ignore[assignment]
    origin: np.ndarray = None  # type: ignore[assignment]
    joint_types: np.ndarray = None  # type: ignore[assignment]
    axes: np.ndarray = None  # type: ignore[assignment]
    site_body: np.ndarray = None  # type: ignore[assignment]
    site_offset: np.ndarray = None  # type: ignore[assignment]
    channels: tuple[tuple[str, ...], ...] = ()
    anatomy: Anatomy | None = None

    def __post_init__(self) -> None:
        n = len(self.names)
        if n == 0:
            raise MocapRerootError("A skeleton needs at least one body; none was given.")
        if len(set(self.names)) != n:
            twice = sorted({name for name in self.names if self.names.count(name) > 1})
            raise MocapRerootError(f"Body names must be unique; {', '.join(twice)} occur twice.")
        spherical = np.full(n, JointType.SPHERICAL)
        spherical[np.asarray(self.parents) < 0] = JointType.FREE
        unit = np.zeros((n, 4))
        unit[:, 0] = 1.0
        fields: dict[str, tuple[Any, type, tuple[int, ...]]] = {
            "parents": (self.parents, np.int64, (n,)),
            "offset": (self.offset, np.float64, (n, 3)),
            "rest": (default(self.rest, unit), np.float64, (n, 4)),
            "origin": (default(self.origin, np.zeros((n, 3))), np.float64, (n, 3)),
            "joint_types": (default(self.joint_types, spherical), np.int64, (n,)),
            "axes": (default(self.axes, np.zeros((n, 2, 3))), np.float64, (n, 2, 3)),
            "site_body": (default(self.site_body, np.zeros(0)), np.int64, (-1,)),
            "site_offset": (default(self.site_offset, np.zeros((0, 3))), np.float64, (-1, 3)),
        }
        for name, (value, dtype, shape) in fields.items():
            object.__setattr__(self, name, shaped(f"Skeleton.{name}", value, dtype, shape))
        roots = np.flatnonzero(self.parents < 0)
        if len(roots) != 1 or self.parents.max(initial=-1) >= n:
            raise MocapRerootError(
                f"A skeleton has one root and parents among its {n} bodies; "
                f"found {len(roots)} roots and parents up to {self.parents.max()}."
            )
        if len(self.order) != n:
            raise MocapRerootError("The parents of this skeleton form a loop; a tree was expected.")

    @property
    def n_bodies(self) -> int:
        """Number of bodies."""
        return len(self.names)

    @property
    def root(self) -> int:
        """Index of the root body."""
        return int(self.order[0])

    @cached_property
    def order(self) -> np.ndarray:
        """``(n)`` body indices, every parent before its children."""
        children = self.children
        order = [int(np.flatnonzero(self.parents < 0)[0])]
        for body in order:  # grows while it is walked: breadth first
            order.extend(children[body])
        return read_only(order, np.int64)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Indices of the children of every body."""
        lists: list[list[int]] = [[] for _ in self.names]
        for body, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                lists[parent].append(body)
        return tuple(map(tuple, lists))

    @cached_property
    def translating(self) -> np.ndarray:
        """``(k)`` indices of the bodies whose joint translates (free and prismatic), ascending."""
        types = self.joint_types
        slides = (types == JointType.FREE) | (types == JointType.PRISMATIC)
        return read_only(np.flatnonzero(slides), np.int64)

    @cached_property
    def slot(self) -> np.ndarray:
        """``(n)`` row of each body in ``Motion.displacement``, −1 where its joint only turns."""
        slot = np.full(self.n_bodies, -1)
        slot[self.translating] = np.arange(len(self.translating))
        return read_only(slot, np.int64)

    @property
    def parent_names(self) -> list[str]:
        """``(n)`` name of every body's parent, empty at the root."""
        return [self.names[p] if p >= 0 else "" for p in self.parents.tolist()]

    @property
    def segments(self) -> Sequence[str]:
        """``(n)`` part of a person that every body is, empty where unknown."""
        return self.anatomy.segments if self.anatomy is not None else [""] * self.n_bodies

    def with_anatomy(self, anatomy: Anatomy | None) -> Skeleton:
        """Return the same tree with this anatomy; it was checked before."""
        return unchecked(self, anatomy=anatomy)

    def joined(self, **fields: Any) -> Skeleton:
        """Return the same bodies joined otherwise, by arrays that are known to fit.

        Args:
            **fields: Read-only arrays, and channels, by the names of the attributes. That parents
                form a tree, and how long arrays are, is not checked again.
        """
        return unchecked(self, **fields)

    def index(self, body: str | int) -> int:
        """Return the index of a body given by name or index."""
        if isinstance(body, str):
            try:
                return self.names.index(body)
            except ValueError:
                raise UnknownNameError("body", body, self.names) from None
        if not 0 <= int(body) < self.n_bodies:
            raise MocapRerootError(f"Body {body} does not exist: there are {self.n_bodies} bodies.")
        return int(body)

    def chain(self, body: str | int) -> tuple[int, ...]:
        """Return the bodies from one body up to the root, both included."""
        path = [self.index(body)]
        while self.parents[path[-1]] >= 0:
            path.append(int(self.parents[path[-1]]))
        return tuple(path)

    def subtree(self, body: str | int) -> tuple[int, ...]:
        """Return a body and all that hangs below it, parents first."""
        found = [self.index(body)]
        for member in found:
            found.extend(self.children[member])
        return tuple(found)

    def __repr__(self) -> str:
        human = "human " if self.anatomy is not None and self.anatomy.human else ""
        return f"<Skeleton: {human}{self.n_bodies} bodies, root {self.names[self.root]!r}>"
