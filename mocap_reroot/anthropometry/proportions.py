"""Segment lengths of a human skeleton, and the stature that follows from them."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np

from mocap_reroot.anthropometry.rigid_parts import SHORT, Bone, norm
from mocap_reroot.anthropometry.segment_table import SegmentTable
from mocap_reroot.types import Skeleton

_TRUNK_TO_LEG = (0.5, 1.0)  # trunk / leg in people is 0.70–0.77; beyond this a bone is missing
_SHOULDERS = 0.05  # of stature (de Leva: cervicale over the shoulder joints, by his lengths)
# Of stature: the base of the neck, half-way from C7 to the sternal notch, over the middle of the
# shoulder joints as markers place them; 0.009-0.027 in the eight people of decision 0011.
_NECK_OVER_SHOULDERS = 0.02
_SHANK_TO_THIGH = 1.1  # where nothing shows how long the shank is


class Proportions:
    """Who is where in a human skeleton, in its rest pose.

    Args:
        skeleton: With anatomy.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        assert skeleton.anatomy is not None
        self.skeleton = skeleton
        self.segments = skeleton.anatomy.segments
        self._shown: dict[tuple[int, int | None], list[Bone]] = {}

    def first(self, segment: str) -> int | None:
        """Return the body of a segment that is nearest to the root, or None."""
        return self._first.get(segment)

    @cached_property
    def _first(self) -> dict[str, int]:
        order = [int(b) for b in self.skeleton.order]
        return {self.segments[b]: b for b in reversed(order)}

    @cached_property
    def rest_rotation(self) -> np.ndarray:
        """``(n, 3, 3)`` body to world in the rest pose."""
        turned, parents = _matrices(self.skeleton.rest), self.skeleton.parents.tolist()
        for body in self.skeleton.order.tolist():
            if parents[body] >= 0:
                turned[body] = turned[parents[body]] @ turned[body]
        return turned

    @cached_property
    def rest_position(self) -> np.ndarray:
        """``(n, 3)`` m, of the bodies' origins in the rest pose."""
        offset, parents = self.skeleton.offset, self.skeleton.parents
        bone = np.matmul(self.rest_rotation[parents], offset[:, :, None])[:, :, 0]
        place, above = np.zeros((self.skeleton.n_bodies, 3)), parents.tolist()
        for body in self.skeleton.order.tolist()[1:]:
            place[body] = place[above[body]] + bone[body]
        return place

    def local(self, body: int, vector: np.ndarray) -> np.ndarray:
        """Return a vector of the rest pose in a body's axes."""
        return np.asarray(self.rest_rotation[body].T @ vector)

    @cached_property
    def left(self) -> np.ndarray:
        """``(3)`` unit vector from the right to the left hip (or shoulder), rest pose."""
        for segment in ("thigh", "upper_arm", "clavicle"):
            pair = self.first(f"left_{segment}"), self.first(f"right_{segment}")
            if pair[0] is not None and pair[1] is not None:
                across = self.rest_position[pair[0]] - self.rest_position[pair[1]]
                if norm(across) > SHORT:
                    return np.asarray(across / norm(across))
        return np.array([1.0, 0, 0])

    def bone(self, body: int, start: np.ndarray, vector: np.ndarray) -> Bone:
        """Return a bone of a body; start and vector in its frame."""
        return Bone(body, np.asarray(start), np.asarray(vector), self._lefts[body])

    @cached_property
    def _lefts(self) -> np.ndarray:
        """``(n, 3)`` unit vectors to the left in the rest pose, in the bodies' axes."""
        return np.asarray(self.left @ self.rest_rotation)

    def tip(self, body: int) -> np.ndarray | None:
        """Return ``(3)`` the farthest End Site of a body, in its frame, or None."""
        return self._tips.get(body)

    @cached_property
    def _tips(self) -> dict[int, np.ndarray]:
        """Farthest End Site of every body that has one."""
        tips: dict[int, np.ndarray] = {}
        for body, site in zip(
            self.skeleton.site_body.tolist(), self.skeleton.site_offset, strict=True
        ):
            if norm(site) > max(SHORT, norm(tips[body]) if body in tips else 0.0):
                tips[body] = site
        return tips

    def path(self, top: int, below: int) -> list[Bone]:
        """Return the bones from a body's origin down to the origin of a body below it."""
        chain = [below]
        while chain[-1] != top:
            chain.append(int(self.skeleton.parents[chain[-1]]))
        chain.reverse()
        offset = self.skeleton.offset
        return [self.bone(a, np.zeros(3), offset[b]) for a, b in pairwise(chain)]

    def limb(self, segment: str, following: str, fallback: float) -> list[Bone]:
        """Return the bones of a limb segment, to the next one or to its End Site.

        Args:
            segment: e.g. ``"left_thigh"``; must be there.
            following: e.g. ``"left_shank"``.
            fallback: m, its length if the skeleton does not show it.
        """
        top, below = self.first(segment), self.first(following)
        assert top is not None
        shown = self._shown.get((top, below))
        if shown is None:
            shown = self._shown[top, below] = self._limb(top, below)
        return shown or [self.bone(top, np.zeros(3), self._continued(top) * fallback)]

    def _limb(self, top: int, below: int | None) -> list[Bone]:
        """Return the bones from a body to one below it, or to its End Site; none: not shown."""
        if below is not None and top in self.skeleton.chain(below):
            bones = self.path(top, below)
            if sum(bone.length for bone in bones) > SHORT:
                return bones
        tip = self.tip(top)
        return [] if tip is None else [self.bone(top, np.zeros(3), tip)]

    def _continued(self, body: int) -> np.ndarray:
        """Return the unit direction in which the bone above a body comes in, in its axes."""
        parent = self.skeleton.parents[body]
        offset = self.skeleton.offset[body] if parent >= 0 else np.zeros(3)
        length = norm(offset)
        if length < SHORT:
            return self.local(body, -self.upward)
        return self.local(body, self.rest_rotation[parent] @ offset / length)

    @cached_property
    def mid_hip(self) -> np.ndarray:
        """``(3)`` m, between the hip joints, rest pose; the pelvis' origin without legs."""
        hips = [b for side in ("left", "right") if (b := self.first(f"{side}_thigh")) is not None]
        if len(hips) < 2:
            return np.asarray(self.rest_position[self.pelvis])
        return np.asarray(self.rest_position[hips].mean(axis=0))

    @cached_property
    def pelvis(self) -> int:
        """Body of the pelvis: the one so named, else the root."""
        named = self.first("pelvis")
        return self.skeleton.root if named is None else named

    @cached_property
    def neck_base(self) -> int | None:
        """Lowest body of neck and head, or None."""
        named = (self.first("neck"), self.first("head"))
        return next((body for body in named if body is not None), None)

    @cached_property
    def upper_body(self) -> bool:
        """Whether any body is part of the trunk above the pelvis, the head or an arm."""
        arms = ("clavicle", "upper_arm", "forearm", "hand")
        names = ("trunk", "neck", "head", *(f"{s}_{n}" for s in ("left", "right") for n in arms))
        return any(self.first(name) is not None for name in names)

    @cached_property
    def neck_gap(self) -> float | None:
        """How far below the base of the neck the trunk ends, of stature; None: anywhere.

        Without neck and head the trunk ends at the shoulder joints, if there are any.
        """
        if self.neck_base is not None:
            return 0.0
        arms = any(self.first(f"{side}_upper_arm") is not None for side in ("left", "right"))
        return _NECK_OVER_SHOULDERS if arms else None

    @cached_property
    def upward(self) -> np.ndarray:
        """``(3)`` unit vector up the trunk in the rest pose."""
        arms = [self.first(f"{side}_upper_arm") for side in ("left", "right")]
        spine = [int(b) for b in self.skeleton.order if self.segments[b] == "trunk"]
        for tops in ([self.neck_base], arms, spine[-1:]):
            there = [top for top in tops if top is not None]
            if there and len(there) == len(tops):
                rise = self.rest_position[there].mean(axis=0) - self.mid_hip
                if norm(rise) > 0.02:
                    return np.asarray(rise / norm(rise))
        down = self.limb_vector("left_thigh", "left_shank")
        return -down if down is not None else np.array([0.0, 1, 0])

    def limb_vector(self, segment: str, following: str) -> np.ndarray | None:
        """Return the unit direction of a limb segment in the rest pose, or None."""
        pair = self.first(segment), self.first(following)
        if pair[0] is None or pair[1] is None:
            return None
        vector = self.rest_position[pair[1]] - self.rest_position[pair[0]]
        length = norm(vector)
        return np.asarray(vector / length) if length > SHORT else None

    @cached_property
    def trunk(self) -> list[Bone]:
        """Bones from the middle of the hips up to the base of the neck.

        Without neck and head up to the middle of the shoulders, else to the end of the last body.
        """
        spine = [int(b) for b in self.skeleton.order if self.segments[b] == "trunk"]
        top = self.neck_base
        chain = self._spine(spine[-1] if spine and top is None else top)
        if top is None:
            chain.append(-1)
        bones = [self._trunk_bone(a, b) for a, b in pairwise([self.pelvis, *chain])]
        if sum(bone.length for bone in bones) < 0.01:  # no extent: a stub upwards
            first = self._trunk_start
            bones = [self.bone(self.pelvis, first, self.local(self.pelvis, self.upward) * 0.01)]
        return bones

    def _spine(self, top: int | None) -> list[int]:
        """Return the bodies from above the pelvis (or beside it) up to a body of the trunk."""
        below = set(self.skeleton.chain(self.pelvis))
        chain: list[int] = []
        while top is not None and top not in below:
            chain.append(top)
            top = int(self.skeleton.parents[top])
        return chain[::-1]

    @property
    def _trunk_start(self) -> np.ndarray:
        """``(3)`` m, the middle of the hips in the pelvis' frame."""
        return self.local(self.pelvis, self.mid_hip - self.rest_position[self.pelvis])

    def _trunk_bone(self, body: int, above: int) -> Bone:
        """Return the bone of a body of the trunk, up to the next (−1: to the body's own end)."""
        start = self._trunk_start if body == self.pelvis else np.zeros(3)
        if above >= 0:
            place = self.rest_position[above] - self.rest_position[body]
            return self.bone(body, start, self.local(body, place) - start)
        arms = [b for s in ("left", "right") if (b := self.first(f"{s}_upper_arm")) is not None]
        tip = self.tip(body)
        if arms:
            place = self.rest_position[arms].mean(axis=0) - self.rest_position[body]
            return self.bone(body, start, self.local(body, place) - start)
        end = self.local(body, self.upward) * 0.01 if tip is None else tip - start
        return self.bone(body, start, end)

    @cached_property
    def trunk_length(self) -> float:
        """m, from the middle of the hips to the base of the neck, along the spine."""
        return sum(bone.length for bone in self.trunk)

    @cached_property
    def leg_length(self) -> float:
        """m, hip to ankle, mean of both sides; NaN without legs."""
        lengths = []
        for side in ("left", "right"):
            if self.first(f"{side}_thigh") is None or self.first(f"{side}_shank") is None:
                continue
            thigh = self.limb(f"{side}_thigh", f"{side}_shank", np.nan)
            own = sum(bone.length for bone in thigh)
            shank = self.limb(f"{side}_shank", f"{side}_foot", _SHANK_TO_THIGH * own)
            lengths.append(own + sum(bone.length for bone in shank))
        return float(np.mean(lengths)) if lengths else float("nan")

    def stature(self, table: SegmentTable) -> tuple[float, str]:
        """Return m, estimated from the bones, and how.

        Legs and trunk together are a fixed share of stature. If their proportion is not human
        (some conversions lack a bone of the spine), the legs alone decide.
        """
        legs = table["thigh"].length + table["shank"].length
        spine = sum(table[f"{part}_trunk"].length for part in ("upper", "middle", "lower"))
        share = self.trunk_length / self.leg_length
        if _TRUNK_TO_LEG[0] <= share <= _TRUNK_TO_LEG[1] and self.neck_gap is not None:
            whole = legs + spine - (_SHOULDERS if self.neck_base is None else 0.0)
            return (self.leg_length + self.trunk_length) / whole, "legs and trunk"
        return self.leg_length / legs, "legs"


def _matrices(q: np.ndarray) -> np.ndarray:
    """Return ``(n, 3, 3)`` rotation matrices of quaternions ``(n, 4)``."""
    w, x, y, z = q.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.ascontiguousarray(np.array(rows).transpose(2, 0, 1))
