"""Body mass from force plates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.ground.plates import misfit
from mocap_reroot.numerics.frames import runs
from mocap_reroot.types import STANDARD_GRAVITY, BodyModel, Inference, Measured, Total

SHORTEST = 0.4
"""s: about one step; over less, errors of the accelerations do not even out."""

END = 0.1
"""s at the ends of a clip, where accelerations are known less well."""
EDGE = 0.08
"""s by which plates and the motion may disagree when a foot touches."""
SURE = 0.02
"""Of the mass, to which walks and runs are weighed; trials of one session agree within 0.005."""


@dataclass(frozen=True, eq=False)
class Borne:
    """What moves a person, and what plates bore of it.

    Attributes:
        total: What the motion asks for.
        measured: What the plates gave.
        known: ``(F)`` plates bore the whole person, and the motion is known.
    """

    total: Total
    measured: Measured
    known: np.ndarray

    @property
    def residual_force(self) -> np.ndarray:
        """``(3, F)`` N, what the motion asks for beyond the plates."""
        return np.asarray(self.total.force - self.measured.loads.force.sum(axis=0))

    @property
    def residual_moment(self) -> np.ndarray:
        """``(3, F)`` N·m, the same, about the origin of the root."""
        moment = self.measured.loads.about(self.total.about).moment
        return np.asarray(self.total.moment - moment.sum(axis=0))


def borne_by_plates(total: Total, measured: Measured | None) -> Borne | None:
    """Return what plates bore of a person; None without plates or feet."""
    if measured is None:
        return None
    sums = measured.loads.force.sum(axis=0) + measured.loads.moment.sum(axis=0)
    finite = np.isfinite(total.force + total.moment + sums).all(axis=0)
    return Borne(total, measured, measured.whole & finite)


def weigh(borne: Borne | None, fps: float, body: BodyModel) -> Inference | None:
    """Return the mass, kg, that the plates tell where they carried the whole person, or None.

    What the ground pushes in all is the mass times what the motion needs for each kilogram, of
    which gravity is most: the quotient of both, summed over all such frames, is the mass. Flights
    from one stance on plates to the next belong to it: smoothing spreads accelerations over them.

    Args:
        borne: What plates bore of what the motion asks for.
        fps: Frames per second.
        body: Mass model of any mass; only how it is distributed counts.
    """
    weight = body.total_mass * STANDARD_GRAVITY
    if borne is None or misfit(borne.measured, borne.total, weight, fps):
        return None
    pushed, known = borne.total.up @ borne.measured.loads.force.sum(axis=0), borne.known
    seconds = known.sum() / fps
    if seconds < SHORTEST:
        return None
    flights = _flights_between(borne, fps)
    known, there = known | flights, runs(flights)
    if len(there) > 1:  # whole strides, from one flight to another: what is slow evens out
        first, last = sum(there[0]) // 2, sum(there[-1]) // 2
    else:
        first, last = round(END * fps), len(known) - round(END * fps)
    if known[first:last].sum() / fps >= SHORTEST:
        known[:first] = known[last:] = False
    ratio = float(pushed[known].sum() / borne.total.vertical[known].sum())
    mass = ratio * body.total_mass
    evidence = f"the force plates carried {mass:.1f} kg in {seconds:.2f} s on them alone"
    return Inference("mass", round(mass, 2), 0.9, evidence)


def other_mass(found: Inference | None, body: BodyModel) -> tuple[str, ...]:
    """Return a sentence if plates weigh something else than the mass that is given."""
    if found is None or abs(found.value / body.total_mass - 1) < SURE:
        return ()
    return (
        f"The mass is given as {body.total_mass:.1f} kg, but {found.evidence}: the difference, "
        f"{100 * abs(found.value / body.total_mass - 1):.0f} % of body weight, stays as residual. "
        f"Give --mass {found.value:.1f} (mass=) to go by the plates.",
    )


def _flights_between(borne: Borne, fps: float) -> np.ndarray:
    """Return ``(F)`` flights that begin and end on plates."""
    free = ~borne.measured.loaded.any(axis=0) & borne.measured.alone & ~borne.measured.unmeasured
    free &= np.isfinite(borne.total.force).all(axis=0)
    between, edge = np.zeros_like(free), round(EDGE * fps) + 1
    for a, b in runs(free):
        before, after = borne.known[max(a - edge, 0) : a], borne.known[b : b + edge]
        if before.any() and after.any():
            between[a - 1 - before[::-1].argmax() : b + after.argmax()] = True
    return between
