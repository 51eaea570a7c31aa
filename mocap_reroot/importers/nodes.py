"""A tree of nodes with transforms, as glTF and FBX store it, to a Hierarchy.

Nodes have translation, rotation and scale against their parent, constant or in every frame. Joints
are some of them; what lies above the topmost joint goes into its place in the world, scales go into
the offsets, and bodies keep the axes of their nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from mocap_reroot.errors import FileError, printable
from mocap_reroot.importers.channels import hierarchy_of_rotations
from mocap_reroot.importers.files import unique
from mocap_reroot.numerics.vectors import product, turn
from mocap_reroot.types import Hierarchy

_STILL = 1e-5
"""Of the longest bone: what single precision makes of a joint that does not slide."""
_EVEN = 1e-4
"""By how much the scales along three axes may differ and still count as one scale."""


def _unit() -> np.ndarray:
    return np.array([[1.0], [0.0], [0.0], [0.0]])


@dataclass(eq=False)
class Node:
    """A node; ``m`` is the number of frames, or 1 for what stays as it is.

    Attributes:
        name: As in the file.
        parent: Index, −1 at the top.
        translation, rotation, scale: ``(3, m)``, ``(4, m)`` w, x, y, z, ``(3, m)``.
        rest_translation, rest_rotation: ``(3)``, ``(4)`` where the node is without animation.
        bind: ``(4, 4)`` joint to the space of the mesh when it was bound to it, or None.
        is_site: Whether it only marks the end of its parent.
    """

    name: str
    parent: int = -1
    translation: np.ndarray = field(default_factory=lambda: np.zeros((3, 1)))
    rotation: np.ndarray = field(default_factory=_unit)
    scale: np.ndarray = field(default_factory=lambda: np.ones((3, 1)))
    rest_translation: np.ndarray | None = None
    rest_rotation: np.ndarray | None = None
    bind: np.ndarray | None = None
    is_site: bool = False

    def __post_init__(self) -> None:
        if self.rest_translation is None:
            self.rest_translation = self.translation[:, 0]
        if self.rest_rotation is None:
            self.rest_rotation = self.rotation[:, 0]


def in_order(path: Path, nodes: Sequence[Node]) -> list[int]:
    """Return the indices of nodes, each followed by all that hangs below it.

    Raises:
        FileError: Parents form a loop.
    """
    children: list[list[int]] = [[] for _ in nodes]
    for index, node in enumerate(nodes):
        if node.parent >= 0:
            children[node.parent].append(index)
    order: list[int] = []
    ahead = [index for index, node in enumerate(nodes) if node.parent < 0][::-1]
    while ahead:
        order.append(ahead.pop())
        ahead.extend(reversed(children[order[-1]]))
    if len(order) != len(nodes):
        raise FileError(
            path, "its nodes form a loop; a tree was expected.", todo="Export it again."
        )
    return order


def skeleton_nodes(
    nodes: Sequence[Node], order: Sequence[int], joints: Iterable[int]
) -> tuple[list[int], list[str]]:
    """Return the nodes of the largest skeleton, parents first, and the tops of the others.

    What stands between two joints belongs to the skeleton.

    Args:
        nodes: All of the file.
        order: From :func:`in_order`.
        joints: Indices of the nodes that are known to be joints.
    """
    known = set(joints)
    top = [-1] * len(nodes)  # the topmost joint above a node, or the node itself
    for index in order:
        above = nodes[index].parent
        if above >= 0 and top[above] >= 0:
            top[index] = top[above]
        elif index in known:
            top[index] = index
    holds = [index in known for index in range(len(nodes))]
    for index in reversed(order):  # what bears a joint, and hangs from one
        if holds[index] and nodes[index].parent >= 0:
            holds[nodes[index].parent] = True
    members: dict[int, list[int]] = {}
    for index in order:
        if holds[index] and top[index] >= 0:
            members.setdefault(top[index], []).append(index)
    if not members:
        return [], []
    largest = max(members, key=lambda index: len(members[index]))
    return members[largest], [nodes[index].name for index in members if index != largest]


def hierarchy_of(
    path: Path, nodes: Sequence[Node], order: Sequence[int], chosen: Sequence[int], frames: int
) -> tuple[Hierarchy, list[str]]:
    """Return the tree of the chosen nodes with its channels, and repairs in words.

    Args:
        path: For errors.
        nodes: All of the file, sites among them.
        order: From :func:`in_order`.
        chosen: The joints, a tree, parents first.
        frames: How many there are.
    """
    scale, even = _scales(nodes, order)
    repairs = [] if even else [_UNEVEN]
    row = {index: body for body, index in enumerate(chosen)}
    parents = np.array([row.get(nodes[index].parent, -1) for index in chosen])
    slides = [_slide(nodes[index], scale) for index in chosen]
    rest_slides = np.array([_rest_slide(nodes[index], scale) for index in chosen])
    reach = max((float(np.linalg.norm(v)) for v in rest_slides[1:]), default=0.0)
    offset = rest_slides.copy()
    offset[0] = 0.0
    rest = _rest_rotations(nodes, chosen, parents)
    rotation = np.empty((len(chosen), 4, frames))
    turns = [nodes[index].rotation for index in chosen]
    turns[0], place = _root(nodes, chosen[0], scale, frames)
    for body, turned in enumerate(turns):
        rotation[body] = product(rest[body][:, None] * _CONJUGATE, turned)
    moving = {0: place}
    for body, slide in enumerate(slides[1:], 1):
        if _stands(slide, _STILL * reach):
            offset[body] = np.median(slide, axis=1)
        else:
            moving[body] = slide
    sites = [
        (row[node.parent], _rest_slide(node, scale))
        for node in nodes
        if node.is_site and node.parent in row
    ]
    hierarchy = hierarchy_of_rotations(
        _names(nodes[index].name for index in chosen), parents, offset, rotation, moving,
        sites=sites, rest=rest, order="ZXY",
    )  # fmt: skip
    return hierarchy, repairs


_CONJUGATE = np.array([[1.0], [-1.0], [-1.0], [-1.0]])
_UNEVEN = (
    "Some nodes are stretched more along one axis than along another; their mean scale was taken."
)


def _scales(nodes: Sequence[Node], order: Sequence[int]) -> tuple[list[np.ndarray], bool]:
    """Return ``(m)`` the scale of the space below every node, and whether no node is skewed."""
    even = True
    found: list[np.ndarray] = [np.ones(1)] * len(nodes)
    for index in order:
        own = nodes[index].scale
        mean = np.cbrt(np.abs(own).prod(axis=0))
        bears = len(mean) and np.isfinite(mean).all()
        even &= not bears or bool((np.abs(own - mean) <= _EVEN * mean).all())
        above = nodes[index].parent
        found[index] = mean if above < 0 else found[above] * mean
    return found, even


def _slide(node: Node, scale: list[np.ndarray]) -> np.ndarray:
    """Return ``(3, m)`` where a node stands in its parent's axes, file units."""
    return node.translation * (scale[node.parent] if node.parent >= 0 else 1.0)


def _rest_slide(node: Node, scale: list[np.ndarray]) -> np.ndarray:
    assert node.rest_translation is not None
    return node.rest_translation * (scale[node.parent][0] if node.parent >= 0 else 1.0)


def _root(
    nodes: Sequence[Node], root: int, scale: list[np.ndarray], frames: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(4, F)`` and ``(3, F)``, orientation and place of the top joint in the world."""
    turned = np.tile(nodes[root].rotation, (1, frames // nodes[root].rotation.shape[1]))
    place = _slide(nodes[root], scale)
    above = nodes[root].parent
    while above >= 0:
        node = nodes[above]
        turned = product(node.rotation, turned)
        place = turn(node.rotation, place) + _slide(node, scale)
        above = node.parent
    return turned, np.array(np.broadcast_to(place, (3, frames)))


def _rest_rotations(
    nodes: Sequence[Node], chosen: Sequence[int], parents: np.ndarray
) -> np.ndarray:
    """Return ``(n, 4)`` rotation against the parent at rest: as bound to a mesh, else as drawn."""
    rest = np.empty((len(chosen), 4))
    for body, index in enumerate(chosen):
        node, above = nodes[index], nodes[index].parent
        assert node.rest_rotation is not None
        rest[body] = node.rest_rotation
        if parents[body] >= 0:
            bound, bearer = node.bind, nodes[above].bind
            if bound is not None and bearer is not None:
                found = _turn_between(bearer, bound)
                rest[body] = rest[body] if found is None else found
            continue
        while above >= 0:
            drawn = nodes[above].rest_rotation
            assert drawn is not None
            rest[body] = product(drawn, rest[body])
            above = nodes[above].parent
    return rest / np.linalg.norm(rest, axis=1, keepdims=True)


def _turn_between(bearer: np.ndarray, bound: np.ndarray) -> np.ndarray | None:
    """Return ``(4)`` the rotation of one bound joint against another; None if one is degenerate."""
    one, other = bearer[:3, :3], bound[:3, :3]
    lengths = np.linalg.norm([one, other], axis=1)
    if not (np.isfinite(lengths).all() and lengths.min() > 0):
        return None
    turned = (one / lengths[0]).T @ (other / lengths[1])
    if np.abs(turned.T @ turned - np.eye(3)).max() > 1e-3 or np.linalg.det(turned) < 0:
        return None
    return quaternion_of(turned)


def quaternion_of(matrix: np.ndarray) -> np.ndarray:
    """Return ``(4)`` w, x, y, z of a rotation matrix."""
    q = Rotation.from_matrix(matrix).as_quat(scalar_first=True)
    return q * np.sign(q[np.abs(q).argmax()])


def decompose(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return translation ``(3)``, rotation ``(4)`` and scale ``(3)`` of a ``(4, 4)`` matrix."""
    scale = np.linalg.norm(matrix[:3, :3], axis=0)
    if np.linalg.det(matrix[:3, :3]) < 0:
        scale = scale * [-1, 1, 1]
    safe = np.where(scale == 0, 1.0, scale)
    return matrix[:3, 3].copy(), quaternion_of(matrix[:3, :3] / safe), scale


def _stands(slide: np.ndarray, tolerance: float) -> bool:
    known = slide[:, np.isfinite(slide).all(axis=0)]
    return known.shape[1] == 0 or bool(np.ptp(known, axis=1).max() <= tolerance)


def _names(stated: Iterable[str]) -> tuple[str, ...]:
    """Return unique names without the namespaces that programs put in front of them."""
    whole = [printable(name).strip() for name in stated]
    bare = [name.rsplit(":", 1)[-1].rsplit("|", 1)[-1].strip() for name in whole]
    short = bare if len(set(bare)) == len(bare) else whole
    return tuple(unique(" ".join(n.split()) or f"joint_{body}" for body, n in enumerate(short)))
