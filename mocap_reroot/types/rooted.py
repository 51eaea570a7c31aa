"""Rooted: a motion re-rooted at its support, one tree a phase."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mocap_reroot.types.contacts import Contacts, Phase
from mocap_reroot.types.motion import Motion
from mocap_reroot.types.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Rooted:
    """A motion re-rooted at its support: a sequence of ``(phase, Motion)``.

    Trees are built once; a phase's motion is made when it is asked for, so that a long clip is
    never held twice.

    Attributes:
        phases: In order; they tile the clip.
        trees: One a phase, on top of its root, held by a free joint; phases with the same support
            share one.
        contacts: What the phases were made from.
        captured: The motion before re-rooting. If joints that are not free hold the supports, the
            motion that they allow, seen from the capture root.
        make: From the number of a phase in ``phases`` to its motion.
    """

    phases: tuple[Phase, ...]
    trees: tuple[Skeleton, ...]
    contacts: Contacts
    captured: Motion
    make: Callable[[int], Motion]

    def span(self, index: int) -> tuple[int, int]:
        """Return a phase's frames, half open, counted from the captured motion's first."""
        start, phase = self.captured.start, self.phases[index]
        return max(phase.start - start, 0), min(phase.stop - start, self.captured.n_frames)

    @property
    def pieces(self) -> tuple[tuple[Phase, Motion], ...]:
        """All phases with their motions, held at once."""
        return tuple(self)

    def __len__(self) -> int:
        return len(self.phases)

    def __getitem__(self, index: int) -> tuple[Phase, Motion]:
        index = range(len(self))[index]
        return self.phases[index], self.make(index)

    def __iter__(self) -> Iterator[tuple[Phase, Motion]]:
        return ((phase, self.make(k)) for k, phase in enumerate(self.phases))

    def __repr__(self) -> str:
        roots = {self.captured.skeleton.names[phase.root] for phase in self.phases}
        return f"<Rooted: {len(self)} phases, rooted at {', '.join(sorted(roots))}>"
