"""The bodies as an undirected graph whose edges are the joints: the same from whatever root."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from mocap_reroot.prepare.sampling import Poses

_ZERO = 0.004
"""Share of the body's size below which a bone has no length."""


@dataclass(frozen=True, eq=False)
class Branch:
    """What hangs from a body in one direction.

    Attributes:
        hub, first: The body it hangs from and its first body.
        path: Bodies from ``first`` to the farthest end.
        joints: ``(len(path) + 1)`` for each body of the path the body whose origin is the joint
            towards the hub; the last entry is the site or body at the end, −1 − site for sites.
        lengths: ``(len(path))`` from joint to joint.
        bodies: All bodies of the branch.
        n_bodies: Number of bodies of the whole tree.
    """

    hub: int
    first: int
    path: tuple[int, ...]
    joints: tuple[int, ...]
    lengths: np.ndarray
    bodies: frozenset[int]
    n_bodies: int

    @property
    def reach(self) -> float:
        """How far the end is, along the bones."""
        return float(self.lengths.sum())


@dataclass
class Graph:
    """The bodies as an undirected graph, with the place of every joint in both its bodies."""

    poses: Poses
    neighbours: list[list[int]] = field(init=False)
    zero: float = field(init=False)

    def __post_init__(self) -> None:
        self.neighbours = [[] for _ in self.poses.names]
        for body, parent in enumerate(self.poses.parents):
            if parent >= 0:
                self.neighbours[parent].append(body)
                self.neighbours[body].append(int(parent))
        self.zero = _ZERO * self.poses.size
        self._memo: dict[tuple[int, int], tuple[float, tuple[int, ...], int]] = {}

    def joint(self, u: int, v: int) -> int:
        """Return the body whose origin is the joint between neighbours: the child of the two."""
        return v if self.poses.parents[v] == u else u

    def place(self, body: int, other: int) -> np.ndarray:
        """Return ``(3)`` where the joint with a neighbour stands in a body."""
        below = self.poses.parents[other] == body
        return self.poses.offset[other] if below else np.zeros(3)

    def farthest(self, u: int, v: int) -> tuple[float, tuple[int, ...], int]:
        """Return reach, path and end (a site as −1 − index) of what lies beyond ``u → v``."""
        key = (u, v)
        if key not in self._memo:
            start = self.place(v, u)
            best: tuple[float, tuple[int, ...], int] = (0.0, (v,), self.joint(u, v))
            for site in np.flatnonzero(self.poses.site_body == v):
                way = float(np.linalg.norm(self.poses.site_offset[site] - start))
                if way > best[0]:
                    best = (way, (v,), -1 - int(site))
            for w in self.neighbours[v]:
                if w != u:
                    beyond, path, end = self.farthest(v, w)
                    way = beyond + float(np.linalg.norm(self.place(v, w) - start))
                    if way > best[0] or (way == best[0] and len(path) + 1 > len(best[1])):
                        best = (way, (v, *path), end)
            self._memo[key] = best
        return self._memo[key]

    def branch(self, u: int, v: int) -> Branch:
        """Return the branch that leaves ``u`` through ``v``."""
        _, path, end = self.farthest(u, v)
        chain = (u, *path)
        joints = [self.joint(p, q) for p, q in pairwise(chain)]
        lengths = []
        for k, body in enumerate(path):
            start = self.place(body, chain[k])
            if k + 1 < len(path):
                stop = self.place(body, path[k + 1])
            else:
                stop = self.poses.site_offset[-1 - end] if end < 0 else start
            lengths.append(float(np.linalg.norm(stop - start)))
        return Branch(
            u, v, path, (*joints, end), np.array(lengths), self.beyond(u, v), self.poses.n_bodies
        )

    def beyond(self, u: int, v: int) -> frozenset[int]:
        """Return every body that is reached through ``u → v``."""
        found, stack = {v}, [(u, v)]
        while stack:
            origin, body = stack.pop()
            for other in self.neighbours[body]:
                if other != origin:
                    found.add(other)
                    stack.append((body, other))
        return frozenset(found)

    def way(self, start: int, stop: int) -> tuple[int, ...]:
        """Return the bodies from one to another, both included."""
        path = [start]
        while path[-1] != stop:
            path.append(
                next(v for v in self.neighbours[path[-1]] if stop in self.beyond(path[-1], v))
            )
        return tuple(path)

    def world(self, joint: int) -> np.ndarray:
        """Return ``(3, S)`` where a joint (or a site, −1 − index) is in the sampled frames."""
        poses = self.poses
        return poses.site_position[-1 - joint] if joint < 0 else poses.position[joint]
