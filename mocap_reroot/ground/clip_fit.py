"""Root and legs of a clip, fitted so that it obeys physics and its stance feet stand.

One least-squares problem over the clip. Linear and angular momentum change as the estimate of the
ground has it; what bears of a stance foot is at the ground and does not slide; legs stay near the
captured ones, and what they are changed by is smooth. All other joints are as captured, at the full
rate: the root makes up for what they do to the momentum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from mocap_reroot.contact.stance_feet import StanceFoot, stance_feet
from mocap_reroot.mechanics.centroidal import Centroidal, angular_momentum
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.numerics.banded import Banded
from mocap_reroot.numerics.frames import runs
from mocap_reroot.numerics.vectors import dot, product, skew
from mocap_reroot.types import STANDARD_GRAVITY, BodyModel, Contacts, Motion

_BACK = np.array([1.0, -1.0, -1.0, -1.0])[:, None]
_WINDOW, _OVERLAP = 2048, 256  # frames that are solved for at once, and that two windows share


@dataclass(frozen=True)
class ClipFit:
    """How far what is asked of a clip may be missed, as standard deviations.

    Attributes:
        steps: Times that the problem is made linear.
        newton: Body weights (× ``arm`` for moments), what moves the body beside what is estimated.
        arm: Of stature.
        place, turn: m, rad; centre of mass and root, from where they were estimated to be.
        slide: m/s of what bears.
        height: m above the ground of what bears.
        pressed: m above the ground of the sole where the pressure is, …
        stray: … which is known to so many m along the sole: the steeper it is, the less it says.
        sink: m, that a soft sole may be below the ground.
        bearing: m higher than the lowest as captured, at which a point of a sole counts a third.
        near: rad, turns of leg joints from the captured ones; …
        toes: … of toes, which few markers tell.
        calm: rad/s², by which these turns are accelerated.
    """

    steps: int = 4
    newton: float = 0.003
    arm: float = 0.4
    place: float = 0.005
    turn: float = 0.01
    slide: float = 0.001
    height: float = 0.0005
    pressed: float = 0.003
    stray: float = 0.05
    sink: float = 0.001
    bearing: float = 0.0002
    near: float = 0.02
    toes: float = 0.03
    calm: float = 60.0


@dataclass(frozen=True, eq=False)
class Wanted:
    """What a clip is fitted to; world axes.

    Attributes:
        near: A motion whose leg joints the clip's are to stay near.
        stances: Who stands when; None leaves all joints but the root as they are.
        place: ``(3, F)`` m, about where the centre of mass is to be.
        centre: ``(3, F)`` m, a path whose accelerations it is to have.
        momentum: ``(3, F)`` kg·m²/s, angular momentum about it.
        root: ``(4, F)`` about how the root is to be turned.
        pressure: ``(3, F)`` m a foot, where it presses while it stands.
    """

    near: Motion
    stances: Contacts | None
    place: np.ndarray
    centre: np.ndarray
    momentum: np.ndarray
    root: np.ndarray
    pressure: dict[int, np.ndarray]


def fitted(
    clip: Motion, body: BodyModel, wanted: Wanted, where: np.ndarray, numbers: ClipFit = ClipFit()
) -> Motion:
    """Return a clip with another path of its root, and other legs where feet are to stand.

    Args:
        clip: To move, without derivatives.
        body: Mass model.
        wanted: What it is to do.
        where: ``(F)`` frames that may be moved.
        numbers: How firmly it is asked for.
    """
    captured = [] if wanted.stances is None else stance_feet(wanted.near, wanted.stances)
    shares = [_lowest(foot, numbers.bearing) for foot in captured]
    for _ in range(numbers.steps):
        problem = _Problem(clip, body, wanted, shares, numbers)
        change = np.zeros((clip.n_frames, problem.unknowns))
        for start, stop in runs(where):
            for k, weight in _windows(start, stop):
                change[k] += weight * problem.solved(k)
        clip = problem.moved(change)
    return clip


def _windows(start: int, stop: int) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield overlapping windows and their weights ``(f, 1)``, which add up to one."""
    first = start
    while True:
        end = stop if stop - start <= _WINDOW + _OVERLAP else start + _WINDOW
        weight = np.ones((end - start, 1))
        if end < stop:
            weight[-_OVERLAP:, 0] = np.linspace(1, 0, _OVERLAP)
        if start > first:
            weight[:_OVERLAP, 0] = np.linspace(0, 1, _OVERLAP)
        yield slice(start, end), weight
        if end == stop:
            return
        start = end - _OVERLAP


class _Problem:
    """The rows of a clip; unknowns of a frame: the root's place and turn, turns of leg joints.

    Joints turn about axes of their parents, the root about those of the world.
    """

    def __init__(
        self,
        clip: Motion,
        body: BodyModel,
        wanted: Wanted,
        shares: list[np.ndarray],
        numbers: ClipFit,
    ) -> None:
        self.clip, self.body, self.wanted, self.numbers = clip, body, wanted, numbers
        self.feet = [] if wanted.stances is None else stance_feet(clip, wanted.stances)
        self.shares = shares
        skeleton = clip.skeleton
        legs = {b for foot in self.feet for b in (*skeleton.chain(foot.foot)[:3], *foot.bodies)}
        self.toes = {b for foot in self.feet for b in foot.bodies if b != foot.foot}
        self.joints = [skeleton.root, *sorted(legs - {skeleton.root})]
        self.unknowns = 3 + 3 * len(self.joints)

    def solved(self, k: slice) -> np.ndarray:
        """Return ``(f, u)`` m, rad: the change of some frames."""
        numbers, wanted, fps = self.numbers, self.wanted, self.clip.fps
        part = self.clip.cut(k.start, k.stop)
        self.world = world = forward(part)
        rows = Banded(part.n_frames, self.unknowns)
        placed = Centroidal.of(world, self.body)
        way, spin = self._whole(placed)
        rows.add([way], (wanted.place[:, k] - placed.centre).T, numbers.place)
        lacks = (wanted.centre[:, k] - placed.centre).T
        newton = numbers.newton * STANDARD_GRAVITY / fps**2
        rows.add([way[:-2], -2 * way[1:-1], way[2:]], np.diff(lacks, 2, axis=0), newton)
        momentum = wanted.momentum[:, k]
        lacks = (momentum[:, 1:] + momentum[:, :-1]) / 2 - angular_momentum(world, self.body)
        newton *= self.body.total_mass * numbers.arm * self.body.height
        rows.add([spin[:-2], -2 * spin[1:-1], spin[2:]], np.diff(lacks).T / fps, newton)
        back, sigma, calm = np.zeros((part.n_frames, self.unknowns)), *self._spread
        for column, joint, _ in self._axes():
            root = joint == self.joints[0]
            was = wanted.root[:, k] if root else wanted.near.rotation[joint][:, k]
            back[:, column] = -_vector(product(part.rotation[joint], was * _BACK)).T
        rows.hold((1,), back, sigma)
        rows.hold((1, -2, 1), np.diff(back, 2, axis=0), calm / fps**2)
        for foot, share in zip(self.feet, self.shares, strict=True):
            on, press = foot.in_stance[k], wanted.pressure[foot.foot][:, k]
            self._stand(rows, foot.cut(k.start, k.stop), on, share[:, k], press)
        return rows.solved()

    @property
    def _spread(self) -> tuple[np.ndarray, np.ndarray]:
        """``(u)`` rad and ``(u)`` rad/s²: how far turns may be from what they are to be near."""
        numbers = self.numbers
        near = [numbers.toes if joint in self.toes else numbers.near for joint in self.joints[1:]]
        calm = np.full(self.unknowns, numbers.calm)
        calm[:6] = np.inf
        return np.repeat([np.inf, numbers.turn, *near], 3), calm

    def _stand(
        self,
        rows: Banded,
        foot: StanceFoot,
        on: np.ndarray,
        share: np.ndarray,
        pressure: np.ndarray,
    ) -> None:
        """Add that a foot stands: what bears is at the ground and does not slide."""
        numbers, height, normal = self.numbers, foot.height, foot.normal.T
        points = [self._point(b, p) for b, p in zip(foot.bodies, foot.corners, strict=True)]
        up = np.array([np.einsum("fc,fcu->fu", normal, point) for point in points])

        def level(weight: np.ndarray, at: float, sigma: float) -> None:
            rise = np.einsum("kf,kfu->fu", weight, up)[:, None]
            rows.add([rise], (weight * (at - height)).sum(axis=0)[:, None], sigma)

        level(on * share, 0.0, numbers.height)
        firm = 1 / np.hypot(1, np.sin(foot.level) * numbers.stray / numbers.pressed)
        level(on * firm * _beneath(foot, pressure), 0.0, numbers.pressed)
        for k, deep in enumerate(height < -numbers.sink):
            level(np.eye(len(up))[k][:, None] * deep, -numbers.sink, numbers.height)
        between = (on[1:] * on[:-1] * (share[:, 1:] + share[:, :-1]) / 2)[..., None]
        slid = (between * np.diff(foot.corners).swapaxes(1, 2)).sum(axis=0)
        ways = [
            sum(w[..., None] * p for w, p in zip(between, part, strict=True))
            for part in ([-p[:-1] for p in points], [p[1:] for p in points])
        ]
        rows.add(ways, -slid, numbers.slide / self.clip.fps)

    def _whole(self, placed: Centroidal) -> tuple[np.ndarray, np.ndarray]:
        """Return ``(f, 3, u)`` how the unknowns move the centre of mass, and their momentum."""
        way, spin = np.zeros((2, placed.centre.shape[1], 3, self.unknowns))
        way[..., :3] = np.eye(3)
        for column, joint, axes in self._axes():
            way[..., column], spin[..., column] = (m @ axes for m in placed.turning(joint))
        return way, spin

    def _point(self, body: int, place: np.ndarray) -> np.ndarray:
        """Return ``(f, 3, u)`` how the unknowns move a point ``(3, f)`` of a body."""
        result = np.zeros((place.shape[1], 3, self.unknowns))
        result[..., :3] = np.eye(3)
        chain = self.clip.skeleton.chain(body)
        for column, joint, axes in self._axes():
            if joint in chain:
                result[..., column] = -skew(place - self.world.position[joint]) @ axes
        return result

    def _axes(self) -> Iterator[tuple[slice, int, np.ndarray]]:
        """Yield columns, joint, and the axes it turns about, ``(f, 3, 3)`` or ``(3, 3)``."""
        for k, joint in enumerate(self.joints):
            parent = self.clip.skeleton.parents[joint]
            axes = np.eye(3) if parent < 0 else self.world.matrix[parent]
            yield slice(3 + 3 * k, 6 + 3 * k), joint, axes

    def moved(self, change: np.ndarray) -> Motion:
        """Return the clip after a change ``(F, u)``."""
        skeleton = self.clip.skeleton
        rotation, displacement = self.clip.rotation.copy(), self.clip.displacement.copy()
        displacement[skeleton.slot[skeleton.root]] += change[:, :3].T
        for k, joint in enumerate(self.joints):
            half = change[:, 3 + 3 * k : 6 + 3 * k].T / 2
            turn = np.concatenate([np.ones((1, len(change))), half])
            rotation[joint] = product(turn / np.sqrt((turn**2).sum(axis=0)), rotation[joint])
        return replace(self.clip, rotation=rotation, displacement=displacement)


def _lowest(foot: StanceFoot, bearing: float) -> np.ndarray:
    """Return ``(k, F)`` shares of the points of a sole: the lowest bears."""
    share = np.exp(-(foot.height - foot.height.min(axis=0)) / bearing)
    return np.asarray(share / share.sum(axis=0))


def _beneath(foot: StanceFoot, pressure: np.ndarray) -> np.ndarray:
    """Return ``(k, f)`` shares of the points of a sole that make up the point above a pressure.

    Heel, ball and tip are lines across the foot; between them the sole is straight.
    """
    lines = foot.corners.reshape(-1, 2, *foot.corners.shape[1:]).mean(axis=1)
    ahead = lines[1] - lines[0]
    ahead = ahead - foot.normal * dot(foot.normal, ahead)
    ahead = ahead / np.maximum(np.sqrt(dot(ahead, ahead)), 1e-9)
    at = np.maximum.accumulate([dot(line - lines[0], ahead) for line in lines], axis=0)
    press = np.clip(np.nan_to_num(dot(pressure - lines[0], ahead)), 0.0, at[-1])
    result = np.zeros((len(lines), len(press)))
    for k, (rear, fore) in enumerate(pairwise(at)):
        inside = (press >= rear) & (press <= fore) & ~result.any(axis=0)
        part = np.clip((press - rear) / np.maximum(fore - rear, 1e-9), 0.0, 1.0)
        result[k] += np.where(inside, 1 - part, 0.0)
        result[k + 1] += np.where(inside, part, 0.0)
    return np.repeat(result / 2, 2, axis=0)


def _vector(q: np.ndarray) -> np.ndarray:
    """Return rotation vectors ``(3, F)`` of quaternions ``(4, F)``."""
    q = q * np.where(q[0] < 0, -1.0, 1.0)
    size = np.sqrt(dot(q[1:], q[1:]))
    return np.asarray(q[1:] * (2 * np.arctan2(size, q[0]) / np.maximum(size, 1e-15)))
