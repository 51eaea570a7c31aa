"""Parents of the bodies after a root change (Stępień et al., section 6.1)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from mocap_reroot.types import Skeleton


def chain_of_inversion(skeleton: Skeleton, top: int) -> tuple[int, ...]:
    """Return the bodies from the new top body up to the old one, both included.

    Every joint along it is turned over; all other joints stay as they are.
    """
    return skeleton.chain(top)


def inverted_parents(skeleton: Skeleton, chain: tuple[int, ...]) -> np.ndarray:
    """Return ``(n)`` parents with the relations along the chain inverted.

    Siblings of a chain body keep their parent (the paper's second option), so that one top body
    carries the whole tree.
    """
    parents = skeleton.parents.copy()
    parents[chain[0]] = -1
    for child, parent in pairwise(chain):
        parents[parent] = child
    return parents
