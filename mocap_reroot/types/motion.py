"""Motion: a skeleton in motion, and the force plates it walked over."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import hypot, isfinite

import numpy as np

from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.types.checks import check_arrays, default, read_only, unchecked
from mocap_reroot.types.model import Generalised
from mocap_reroot.types.skeleton import Skeleton
from mocap_reroot.types.source import Source

FLAGS = (
    "", "rest_pose", "gap", "not_finite", "duplicate", "filled", "clip_end", "inadmissible",
    "no_pressure", "glitch", "rebuilt",
)  # fmt: skip
"""Words a frame can be flagged with; arrays hold their index. The first means sound."""

LEFT_OUT = frozenset(FLAGS.index(word) for word in ("rest_pose", "gap", "not_finite"))
"""Flags of frames that take no part in the analysis: they keep their row, with empty values."""
STATES = (
    "rotation", "displacement", "angular_velocity", "angular_acceleration", "linear_velocity",
    "linear_acceleration",
)  # fmt: skip
"""Attributes of a motion that hold its joints' states, frames last."""
_TAKES_PART = np.array([code not in LEFT_OUT for code in range(256)])


class Framed:
    """What has rows of a file: ``flags`` of its frames, from row ``start`` on."""

    fps: float
    start: int
    flags: np.ndarray

    @property
    def frame(self) -> np.ndarray:
        """``(F)`` row of the file, counted from 0."""
        return np.arange(self.start, self.start + len(self.flags))

    @property
    def time(self) -> np.ndarray:
        """``(F)`` s, on the file's own clock."""
        return self.start_time + self.frame / self.fps  # type: ignore[attr-defined]

    @property
    def flag_words(self) -> np.ndarray:
        """``(F)`` flag of every frame as a word, empty when sound."""
        return np.asarray(FLAGS, dtype=object)[self.flags]


def flag_code(word: str) -> int:
    """Return the number that stands for a flag word."""
    try:
        return FLAGS.index(word)
    except ValueError:
        raise UnknownNameError("flag", word, FLAGS[1:]) from None


@dataclass(frozen=True, eq=False)
class Plates:
    """Measured ground forces, one value a frame of the motion; forces act on the body.

    Attributes:
        corners: ``(p, 4, 3)`` m, world.
        force: ``(p, 3, F)`` N, world axes, averaged over the frame interval.
        moment: ``(p, 3, F)`` N·m, world axes, about the centre of the plate's surface.
        names: ``(p)``.
        outlined: Whether the corners are those of real plates. If not, they are only drawn around
            the pressures, and a force belongs to the foot it is under, wherever its corners are.
    """

    corners: np.ndarray
    force: np.ndarray
    moment: np.ndarray
    names: tuple[str, ...]
    outlined: bool = True

    def __post_init__(self) -> None:
        p, frames = len(self.names), np.shape(self.force)[-1]
        check_arrays(self, corners=(p, 4, 3), force=(p, 3, frames), moment=(p, 3, frames))

    @cached_property
    def centre(self) -> np.ndarray:
        """``(p, 3)`` m, centre of each plate's surface."""
        return read_only(self.corners.mean(axis=1))

    @cached_property
    def normal(self) -> np.ndarray:
        """``(p, 3)`` unit normal of each plate, along the corners' diagonals' cross product."""
        diagonals = self.corners[:, 2] - self.corners[:, 0], self.corners[:, 3] - self.corners[:, 1]
        normal = np.cross(*diagonals)
        return read_only(normal / np.linalg.norm(normal, axis=1, keepdims=True))

    def cut(self, start: int, stop: int) -> Plates:
        """Return frames ``start`` to ``stop``, half open."""
        return replace(self, force=self.force[..., start:stop], moment=self.moment[..., start:stop])

    def __repr__(self) -> str:
        return f"<Plates: {len(self.names)} force plates, {self.force.shape[-1]} frames>"


@dataclass(frozen=True, eq=False)
class Motion(Framed):
    """A skeleton in motion. Joint states are relative to the current parent.

    Attributes:
        skeleton: The tree.
        fps: Frames per second.
        up: ``(3)`` unit vector; gravity points the other way.
        rotation: ``(n, 4, F)`` quaternions ``R = E J``, body to parent (root: to world).
        displacement: ``(k, 3, F)`` m, how far the joint has slid from ``offset``, in the parent's
            axes; rows belong to ``skeleton.translating``.
        angular_velocity: ``(n, 3, F)`` rad/s against the parent, in the body's own axes, or None.
        angular_acceleration: ``(n, 3, F)`` rad/s², time derivative of those components, or None.
        linear_velocity, linear_acceleration: ``(k, 3, F)`` m/s, m/s², time derivatives of
            ``displacement``, or None.
        flags: ``(F)`` index into :data:`FLAGS`.
        start: Row of the file at which this motion starts (phases of a clip start later).
        plates: Measured ground forces, or None.
        source: Where it came from.
        coordinates: Those of the model that it moves by, or None: then every joint is its own.
    """

    skeleton: Skeleton
    fps: float
    up: np.ndarray
    rotation: np.ndarray
    displacement: np.ndarray
    angular_velocity: np.ndarray | None = None
    angular_acceleration: np.ndarray | None = None
    linear_velocity: np.ndarray | None = None
    linear_acceleration: np.ndarray | None = None
    flags: np.ndarray = None  # type: ignore[assignment]
    start: int = 0
    plates: Plates | None = None
    source: Source = field(default_factory=Source)
    coordinates: Generalised | None = None

    def __post_init__(self) -> None:
        n, k = self.skeleton.n_bodies, len(self.skeleton.translating)
        frames = np.shape(self.rotation)[-1]
        sizes = ((n, 4), (k, 3), (n, 3), (n, 3), (k, 3), (k, 3))
        shapes = {name: (*size, frames) for name, size in zip(STATES, sizes, strict=True)}
        known = {name: shape for name, shape in shapes.items() if getattr(self, name) is not None}
        check_arrays(self, up=(3,), **known)
        object.__setattr__(self, "flags", default(self.flags, np.zeros(frames)))
        check_arrays(self, np.uint8, flags=(frames,))
        if not (isfinite(self.fps) and self.fps > 0):
            raise MocapRerootError(f"fps must be a positive number; found {self.fps}.")
        if abs(hypot(*self.up) - 1) > 1e-9:
            raise MocapRerootError(f"up must be a unit vector; found {self.up}.")

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return int(self.rotation.shape[-1])

    @property
    def has_derivatives(self) -> bool:
        """Whether velocities and accelerations are known (see :func:`mocap_reroot.smooth`)."""
        return self.angular_acceleration is not None

    @property
    def start_time(self) -> float:
        """s, when the file's first row was recorded, on its own clock."""
        return self.source.start_time

    @property
    def analysed(self) -> np.ndarray:
        """``(F)`` True where the frame takes part in the analysis."""
        return np.asarray(_TAKES_PART[self.flags])

    def cut(self, start: int, stop: int) -> Motion:
        """Return frames ``start`` to ``stop`` (half open, counted from this motion's first)."""
        parts = {
            k: v[..., start:stop] for k in (*STATES, "flags") if (v := getattr(self, k)) is not None
        }
        plates = self.plates.cut(start, stop) if self.plates is not None else None
        followed = self.coordinates.cut(start, stop) if self.coordinates is not None else None
        return replace(self, **parts, plates=plates, start=self.start + start, coordinates=followed)

    def moved(
        self, skeleton: Skeleton, states: tuple[np.ndarray | None, ...], start: int, stop: int
    ) -> Motion:
        """Return frames ``start`` to ``stop`` with the states that a kernel made for another tree.

        The arrays are taken as they are, without checks: short phases are many.

        Args:
            skeleton: The other tree of the same bodies.
            states: Rotation, displacement, angular velocity and acceleration, linear velocity and
                acceleration of those frames, fresh, contiguous and of the right shapes.
            start, stop: Half open, counted from this motion's first frame.
        """
        plates = self.plates
        if plates is not None and stop - start != self.n_frames:
            plates = plates.cut(start, stop)
        for array in states:
            if array is not None:
                array.flags.writeable = False
        return unchecked(
            self, skeleton=skeleton, **dict(zip(STATES, states, strict=True)),
            flags=self.flags[start:stop], start=self.start + start, plates=plates, coordinates=None,
        )  # fmt: skip

    def __repr__(self) -> str:
        seconds = self.n_frames / self.fps
        root = self.skeleton.names[self.skeleton.root]
        extra = ", with derivatives" if self.has_derivatives else ""
        extra += f", {len(self.plates.names)} force plates" if self.plates else ""
        return (
            f"<Motion: {self.n_frames} frames, {self.fps:g} fps, {seconds:.2f} s, "
            f"{self.skeleton.n_bodies} bodies, root {root!r}{extra}>"
        )
