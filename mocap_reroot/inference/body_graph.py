"""The skeleton as an undirected graph of bodies and joints, independent of its root."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from math import dist

from mocap_reroot.inference.sampling import Poses

Place = tuple[float, ...]
"""Three coordinates in a body's frame."""

_ZERO = 0.004
"""Share of the body's size below which a bone has no length."""
_ORIGIN = (0.0, 0.0, 0.0)
_MOST_BRANCHES = 24  # long ones from one body; a centipede is searched for no legs


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
    lengths: tuple[float, ...]
    bodies: frozenset[int]
    n_bodies: int

    @property
    def reach(self) -> float:
        """How far the end is, along the bones."""
        return sum(self.lengths)


class Graph:
    """The bodies as an undirected graph, with the place of every joint in both its bodies.

    Attributes:
        parents, neighbours: Of every body.
        size: As of :class:`Poses`.
        zero: Length below which a bone has none.
    """

    def __init__(self, poses: Poses) -> None:
        """Take the shape of a tree in plain numbers: bones are few, arrays of three cost more."""
        self.parents = parents = poses.parents.tolist()
        self.size = poses.size
        self.zero = _ZERO * self.size
        self._offset = [tuple(at) for at in poses.offset.tolist()]
        self._site_offset = [tuple(at) for at in poses.site_offset.tolist()]
        self.neighbours: list[list[int]] = [[] for _ in parents]
        for body, parent in enumerate(parents):
            if parent >= 0:
                self.neighbours[parent].append(body)
                self.neighbours[body].append(parent)
        self._sites: list[list[int]] = [[] for _ in parents]
        for site, body in enumerate(poses.site_body.tolist()):
            self._sites[body].append(site)
        self._farthest: dict[tuple[int, int], tuple[float, tuple[int, ...], int]] = {}
        self._branches: dict[tuple[int, int], Branch] = {}
        self._beyond: dict[tuple[int, int], frozenset[int]] = {}
        self._beside: dict[tuple[int, int], tuple[tuple[int, int, bool], ...]] = {}

    @cached_property
    def mirrored(self) -> list[tuple[Branch, Branch]]:
        """Every two branches of one body that are alike and long enough to be limbs."""
        pairs = []
        for hub, neighbours in enumerate(self.neighbours):
            long = [v for v in neighbours if self.farthest(hub, v)[0] > 0.15 * self.size]
            if not 1 < len(long) <= _MOST_BRANCHES:
                continue
            branches = [self.branch(hub, v) for v in long]
            pairs += [(a, b) for a, b in combinations(branches, 2) if self.similar(a, b)]
        return pairs

    @cached_property
    def rigid_ends(self) -> list[int]:
        """Bodies that bear no other and coincide with their parent."""
        return [
            body
            for body, parent in enumerate(self.parents)
            if parent >= 0
            and len(self.neighbours[body]) == 1
            and self.farthest(parent, body)[0] <= self.zero
        ]

    def beside(self, branch: Branch) -> tuple[tuple[int, int, bool], ...]:
        """Return what hangs beside the path of a branch, from the hub outwards.

        A body's neighbour towards the hub, the body, and whether it has no length.
        """
        edge = branch.hub, branch.first
        if edge not in self._beside:
            found, stack = [], [edge]
            while stack:
                origin, body = stack.pop()
                if body not in branch.path:
                    found.append((origin, body, self.farthest(origin, body)[0] <= self.zero))
                stack.extend((body, v) for v in self.neighbours[body] if v != origin)
            self._beside[edge] = tuple(found)
        return self._beside[edge]

    def similar(self, a: Branch, b: Branch) -> bool:
        """Whether two branches have the same long bones in the same order.

        Three alike are enough: one hand may hold a sword, or have no fingers.
        """
        bones = [[bone for bone in branch.lengths if bone > self.zero] for branch in (a, b)]
        common = min(3, *map(len, bones))
        if common == 0 or (common < 3 and not 0.75 < a.reach / b.reach < 1.33):
            return False
        first, second = (lengths[:common] for lengths in bones)
        apart = sum(abs(one - other) for one, other in zip(first, second, strict=True))
        return apart < 0.2 * sum(first)

    def joint(self, u: int, v: int) -> int:
        """Return the body whose origin is the joint between neighbours: the child of the two."""
        return v if self.parents[v] == u else u

    def place(self, body: int, other: int) -> Place:
        """Return ``(3)`` where the joint with a neighbour stands in a body."""
        return self._offset[other] if self.parents[other] == body else _ORIGIN

    def farthest(self, u: int, v: int) -> tuple[float, tuple[int, ...], int]:
        """Return reach, path and end (a site as −1 − index) of what lies beyond ``u → v``."""
        if (u, v) in self._farthest:
            return self._farthest[u, v]
        stack = [(u, v)]  # no recursion: a chain may be longer than the interpreter's
        while stack:
            origin, body = edge = stack[-1]
            further = ((body, w) for w in self.neighbours[body] if w != origin)
            missing = [step for step in further if step not in self._farthest]
            if edge not in self._farthest and not missing:
                self._farthest[edge] = self._measured(*edge)
            if edge in self._farthest:
                stack.pop()
            else:
                stack += missing
        return self._farthest[u, v]

    def _measured(self, u: int, v: int) -> tuple[float, tuple[int, ...], int]:
        """Return :meth:`farthest` from what is known of the bodies beyond."""
        start = self.place(v, u)
        best: tuple[float, tuple[int, ...], int] = (0.0, (v,), self.joint(u, v))
        for site in self._sites[v]:
            way = dist(self._site_offset[site], start)
            if way > best[0]:
                best = (way, (v,), -1 - site)
        for w in self.neighbours[v]:
            if w != u:
                beyond, path, end = self._farthest[v, w]
                way = beyond + dist(self.place(v, w), start)
                if way > best[0] or (way == best[0] and len(path) + 1 > len(best[1])):
                    best = (way, (v, *path), end)
        return best

    def branch(self, u: int, v: int) -> Branch:
        """Return the branch that leaves ``u`` through ``v``."""
        if (u, v) not in self._branches:
            self._branches[u, v] = self._branch(u, v)
        return self._branches[u, v]

    def _branch(self, u: int, v: int) -> Branch:
        _, path, end = self.farthest(u, v)
        chain = (u, *path)
        joints = [self.joint(p, q) for p, q in pairwise(chain)]
        lengths = []
        for k, body in enumerate(path):
            start = self.place(body, chain[k])
            if k + 1 < len(path):
                stop = self.place(body, path[k + 1])
            else:
                stop = self._site_offset[-1 - end] if end < 0 else start
            lengths.append(dist(stop, start))
        return Branch(
            u, v, path, (*joints, end), tuple(lengths), self.beyond(u, v), len(self.parents)
        )

    def beyond(self, u: int, v: int) -> frozenset[int]:
        """Return every body that is reached through ``u → v``."""
        if (u, v) not in self._beyond:
            found, stack = {v}, [(u, v)]
            while stack:
                origin, body = stack.pop()
                for other in self.neighbours[body]:
                    if other != origin:
                        found.add(other)
                        stack.append((body, other))
            self._beyond[u, v] = frozenset(found)
        return self._beyond[u, v]

    def way(self, start: int, stop: int) -> tuple[int, ...]:
        """Return the bodies from one to another, both included."""
        path = [start]
        while path[-1] != stop:
            path.append(
                next(v for v in self.neighbours[path[-1]] if stop in self.beyond(path[-1], v))
            )
        return tuple(path)
