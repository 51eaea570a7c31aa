"""SMPL, SMPL-H and SMPL-X body models: where the joints of a subject of some shape are.

Joints are regressed from the vertices of the body, and these follow the shape: template plus shape
directions times coefficients. Only what joints and the ends of bones need is kept. Arrays are read
one by one from ``.npz`` files, and nothing in them is unpickled.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from mocap_reroot.errors import FileError
from mocap_reroot.importers.files import opening
from mocap_reroot.resources.memory import require_memory

_COPIES = 6
"""How often what is made of an array is held as doubles at the same time, at most."""

_SIDES = ("left_", "right_")
_FINGERS = tuple(
    f"{side}{finger}{n}"
    for side in _SIDES
    for finger in ("index", "middle", "pinky", "ring", "thumb")
    for n in (1, 2, 3)
)
BODY = (
    "pelvis", "left_hip", "right_hip", "spine1", "left_knee", "right_knee", "spine2", "left_ankle",
    "right_ankle", "spine3", "left_foot", "right_foot", "neck", "left_collar", "right_collar",
    "head", "left_shoulder", "right_shoulder", "left_elbow", "right_elbow", "left_wrist",
    "right_wrist",
)  # fmt: skip
FACE = ("jaw", "left_eye_smplhf", "right_eye_smplhf")
LAYOUTS = {
    22: BODY,
    24: (*BODY, "left_hand", "right_hand"),
    52: (*BODY, *_FINGERS),
    55: (*BODY, *FACE, *_FINGERS),
}
"""Number of joints to their names: the body alone, SMPL, SMPL-H, SMPL-X."""
KEYS = ("v_template", "shapedirs", "J_regressor", "kintree_table")
"""Arrays that a model must have; ``weights`` besides them tells where bones end."""
_MOST_SHAPES = 300
"""Coefficients of shape that are used; SMPL-X stores those of the face behind them."""
_MINE = 0.5
"""Share of a vertex's weight from which on it belongs to a body."""
_EXPECTED = "a SMPL, SMPL-H or SMPL-X model"
_CONVERT = "Convert it to .npz with plain arrays: docs/reading.md, AMASS, says how."


class Arrays:
    """The arrays of an ``.npz`` file, read when they are asked for.

    Args:
        path: The file.
        about: What was expected in it, for messages.

    Raises:
        FileError: It is no ``.npz`` file.
    """

    def __init__(self, path: Path, about: str) -> None:
        self.path, self.about = path, about
        with opening(path):
            path.open("rb").close()
        try:
            self._file = np.load(path, allow_pickle=False)
            self._sizes = {
                entry.filename.removesuffix(".npy"): entry.file_size
                for entry in self._file.zip.infolist()
            }
        except Exception as error:  # whatever a damaged archive makes of itself
            reason = str(error)[:200]
            raise FileError(path, f"it is no .npz file ({reason}); {about} was expected.") from None

    def __enter__(self) -> Arrays:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __contains__(self, name: str) -> bool:
        return name in self._sizes

    def get(self, name: str) -> np.ndarray:
        """Return an array.

        Raises:
            FileError: It is not there, holds objects, or is damaged.
        """
        if name not in self:
            listed = ", ".join(list(self._sizes)[:20]) or "none"
            raise FileError(
                self.path, f"there is no array {name!r}; {self.about} was expected, found {listed}."
            )
        require_memory(self.path, _COPIES * 8 * self._sizes[name] / 4, f"the array {name!r}")
        try:
            found = self._file[name]
        except Exception as error:  # NumPy compiles headers: they fail in as many ways as that can
            if "allow_pickle" in str(error):
                raise FileError(
                    self.path,
                    f"the array {name!r} holds objects of Python, which are not opened: "
                    "they can run any program.",
                    todo="Save plain numbers: see docs/reading.md, AMASS.",
                ) from None
            reason = str(error)[:200] or type(error).__name__
            raise FileError(self.path, f"the array {name!r} cannot be read ({reason}).") from None
        if not isinstance(found, np.ndarray) or found.dtype.kind not in "fiubUS":
            raise FileError(self.path, f"the array {name!r} cannot be read (no plain array).")
        return found

    def numbers(self, name: str) -> np.ndarray:
        """Return an array of numbers, as doubles."""
        found = self.get(name)
        if found.dtype.kind not in "fiub":
            raise FileError(self.path, f"the array {name!r} holds no numbers.")
        return found.astype(np.float64)


@dataclass(frozen=True, eq=False)
class BodyShape:
    """A body model as far as it is used.

    Attributes:
        names, parents: Of the joints, parents first.
        joints: ``(n, 3)`` m, of the mean shape.
        joints_by_shape: ``(n, 3, s)`` m per coefficient of shape.
        end_body: ``(e)`` bodies that bear the end of a bone.
        ends, ends_by_shape: ``(e, 3)``, ``(e, 3, s)`` where it is, like the joints.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    joints: np.ndarray
    joints_by_shape: np.ndarray
    end_body: tuple[int, ...]
    ends: np.ndarray
    ends_by_shape: np.ndarray

    def shaped(self, betas: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return joints ``(n, 3)`` and ends ``(e, 3)``, m, of a person with these coefficients."""
        used = min(len(betas), self.joints_by_shape.shape[2])
        shape = betas[:used]
        return (
            self.joints + self.joints_by_shape[..., :used] @ shape,
            self.ends + self.ends_by_shape[..., :used] @ shape,
        )


def read_model(path: str | Path) -> BodyShape:
    """Read a body model; the last few are remembered.

    Raises:
        FileError: It is none, or has to be converted first.
    """
    path = Path(path)
    if path.suffix.lower() != ".npz":
        raise FileError(
            path,
            f"body models are read from .npz files, not from {path.suffix or 'this'}: what holds "
            "objects of Python can run any program when it is opened.",
            todo=_CONVERT,
        )
    with opening(path, "the model"):
        found = path.stat()
    return _model(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=4)  # the clips of a data set share their models
def _model(path: Path, changed: int, size: int) -> BodyShape:
    with Arrays(path, _EXPECTED) as arrays:
        if "J_regressor" not in arrays and "poses" in arrays:
            raise FileError(path, f"it holds a motion, not a model; {_EXPECTED} was expected.")
        template, shapes, regressor, tree = (arrays.numbers(key) for key in KEYS)
        weights = arrays.numbers("weights") if "weights" in arrays else None
    n = len(regressor)
    vertices = len(template)
    if shapes.ndim == 3:
        shapes = shapes[..., :_MOST_SHAPES]
    fits = (
        template.shape == (vertices, 3)
        and shapes.shape[:2] == (vertices, 3)
        and shapes.ndim == 3
        and regressor.shape == (n, vertices)
        and tree.shape == (2, n)
        and (weights is None or weights.shape == (vertices, n))
    )
    if not fits or n not in LAYOUTS:
        listed = ", ".join(f"{key} {np.shape(a)}" for key, a in zip(KEYS, (
            template, shapes, regressor, tree), strict=True))  # fmt: skip
        raise FileError(
            path,
            f"its arrays do not make {_EXPECTED} with 24, 52 or 55 joints: {listed}.",
            todo=_CONVERT,
        )
    if not all(np.isfinite(a).all() for a in (template, shapes, regressor)):
        raise FileError(path, "the model holds numbers that are not finite.", todo=_CONVERT)
    parents = _parents(path, tree[0])
    joints = regressor @ template
    ends = [] if weights is None else _ends(LAYOUTS[n], parents, joints, template, weights)
    at = [vertex for _, vertex in ends]
    return BodyShape(
        names=LAYOUTS[n],
        parents=parents,
        joints=joints,
        joints_by_shape=np.einsum("nv,vcs->ncs", regressor, shapes, optimize=True),
        end_body=tuple(body for body, _ in ends),
        ends=template[at],
        ends_by_shape=shapes[at],
    )


def _parents(path: Path, row: np.ndarray) -> tuple[int, ...]:
    """Return the parents; the root's is −1, however the file writes it."""
    parents = [-1, *(int(p) if np.isfinite(p) else -1 for p in row[1:])]
    if any(not 0 <= parent < body for body, parent in enumerate(parents) if body):
        raise FileError(path, "kintree_table is no tree with parents before their children.")
    return tuple(parents)


def _ends(
    names: tuple[str, ...],
    parents: tuple[int, ...],
    joints: np.ndarray,
    template: np.ndarray,
    weights: np.ndarray,
) -> list[tuple[int, int]]:
    """Return the bodies whose bone ends at a vertex, and that vertex.

    A bone without a child ends at the vertex of its own that is farthest from its joint; so does
    the head. The heel is the vertex of the foot that is farthest from the toes' joint.
    """
    found = []
    for body, name in enumerate(names):
        mine = np.flatnonzero(weights[:, body] > _MINE)
        start = joints[body]
        if name in FACE or not len(mine):
            continue
        if name.endswith("ankle"):
            start = joints[parents.index(body)] if body in parents else start
        elif body in parents and name != "head":
            continue
        away = np.linalg.norm(template[mine] - start, axis=1)
        found.append((body, int(mine[away.argmax()])))
    return found
