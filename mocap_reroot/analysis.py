"""The sentence: read, smooth, find the contacts, re-root at them, and ask Newton."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from mocap_reroot import results
from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.config import Config, resolve
from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.contact.phases import with_carrier
from mocap_reroot.dynamics.inverse import inverse_dynamics
from mocap_reroot.ground.carriers import settle_carriers
from mocap_reroot.ground.segment_masses import predicted_by, weigh_segments
from mocap_reroot.ground.weighing import weigh
from mocap_reroot.kernels.memory import give_back
from mocap_reroot.mechanics.kinematics import World, forward, kinematic_frame
from mocap_reroot.reading import read
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.resources.memory import memory_needed, require_memory
from mocap_reroot.signals.cleaning import clean
from mocap_reroot.signals.smoothing import smooth
from mocap_reroot.types import BodyModel, Contacts, Dynamics, Motion, Rooted

if TYPE_CHECKING:
    from mocap_reroot.report.figures import Plots

log = logging.getLogger("mocap_reroot")


@dataclass(frozen=True, eq=False)
class Analysis:
    """A clip from file to torques: every stage's result, and its tables.

    Attributes:
        config: The configuration that was followed.
        motion: The smoothed motion, with derivatives.
        body: Mass model.
        contacts: Who carries when.
        rooted: The motion re-rooted at its support, a piece a phase.
        dynamics: Torques and ground forces.
        timings: Seconds a stage.
    """

    config: Config
    motion: Motion
    body: BodyModel
    contacts: Contacts
    rooted: Rooted
    dynamics: Dynamics
    timings: dict[str, float] = field(default_factory=dict)

    @property
    def torques(self) -> pd.DataFrame:
        """Joint torques and powers: ``torques.parquet``."""
        return self.dynamics.torques

    @property
    def grf(self) -> pd.DataFrame:
        """Ground reaction of each foot: ``grf.parquet``."""
        return self.dynamics.grf

    @property
    def reactions(self) -> pd.DataFrame:
        """Joint reaction forces: ``reactions.parquet``."""
        return self.dynamics.reactions

    @property
    def phases(self) -> pd.DataFrame:
        """Support phases: ``phases.csv``."""
        return self.rooted.contacts.phases

    @property
    def events(self) -> pd.DataFrame:
        """Foot strikes and foot offs: ``events.csv``."""
        return self.rooted.contacts.events

    @property
    def bodies(self) -> pd.DataFrame:
        """The mass model: ``bodies.csv``."""
        return self.body.bodies

    @property
    def kinematics(self) -> pd.DataFrame:
        """Poses and derivatives in the world: ``kinematics.parquet``."""
        return kinematic_frame(self.motion)

    @property
    def rooted_tree(self) -> pd.DataFrame:
        """The support-rooted trees, a row a phase and body: ``rooted_tree.csv``."""
        found = self.table("rooted_tree")
        assert found is not None  # every clip has trees
        return found

    @property
    def anatomy(self) -> pd.DataFrame | None:
        """Anatomical angles and moments: ``anatomy.parquet``; None if it is not a person."""
        return self.table("anatomy")

    @property
    def plates(self) -> pd.DataFrame | None:
        """Measured ground reaction of each foot: ``plates.parquet``; None without force plates."""
        return self.table("plates")

    @property
    def world(self) -> World:
        """The captured bodies placed in the world."""
        return forward(self.motion)

    def table(self, name: str) -> pd.DataFrame | None:
        """Return a table of the interface by its file's name, or None where it does not apply.

        Raises:
            UnknownNameError: There is no such table; offers names.
        """
        return results.table(self, name)

    @property
    def summary(self) -> dict[str, Any]:
        """What ``summary.json`` holds."""
        return results.summary(self)

    @property
    def plot(self) -> Plots:
        """Figures: ``.torques("LeftLeg")``, ``.grf()``, ``.phases()``, ``.skeleton(frame)`` …"""
        from mocap_reroot.report.figures import Plots

        return Plots(self)

    def save(self, folder: str | Path, *, fingerprint: str = "") -> dict[str, Any]:
        """Write tables, summary and report into a folder, which appears when it is complete.

        Args:
            folder: Where; a folder that is there already is replaced.
            fingerprint: Kept in the summary, so that a batch knows what it need not do again.

        Returns:
            dict: The content of ``summary.json``.
        """
        return results.save(self, Path(folder), fingerprint)

    def __repr__(self) -> str:
        name = self.motion.source.path.name if self.motion.source.path else "motion"
        seconds = self.motion.n_frames / self.motion.fps
        return (
            f"<Analysis: {name}, {seconds:.2f} s, {self.body.total_mass:.1f} kg, "
            f"{len(self.rooted)} phases>"
        )


class _Clock:
    """Measures every stage, tells of each as it begins, and gives back what it has freed.

    Attributes:
        times: s, by stage.
        memory: Bytes that the clip takes at its peak, once it is known.
    """

    def __init__(self, tell: Callable[[str], None] | None) -> None:
        self.times: dict[str, float] = {}
        self.memory = 0
        self.tell = tell

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        begin = time.perf_counter()
        if self.tell is not None:
            self.tell(stage)
        yield
        give_back(self.memory)
        self.times[stage] = time.perf_counter() - begin
        log.debug("%s: %.3f s", stage, self.times[stage])


def analyze(
    path: str | Path,
    *,
    config: Config | None = None,
    tell: Callable[[str], None] | None = None,
    **options: Any,
) -> Analysis:
    """Run the whole pipeline on one file.

    Args:
        path: BVH, C3D or TRC.
        config: Configuration to start from.
        tell: Called with the name of every stage that begins.
        **options: Options by the name they have on the command line, e.g. ``mass=70.0``,
            ``cutoff=6.0``, ``forces="predicted"``.

    Returns:
        Analysis: Tables as properties (``.torques``, ``.grf``, ``.phases`` …), ``.save(folder)``.

    Raises:
        MocapRerootError: The file or an option cannot be used; says why.
    """
    config = (config or resolve()).with_options(options)
    clock = _Clock(tell)
    with clock("read"):
        captured = clean(read(path, **vars(config.reading)))
    n_frames, n_bodies = captured.n_frames, captured.skeleton.n_bodies
    clock.memory = memory_needed(n_frames, n_bodies)
    require_memory(path, clock.memory, f"{n_frames} frames of {n_bodies} bodies")
    if config.contact.pin_feet:
        return _with_parts_weighed(_with_feet_pinned(captured, config, clock), clock)
    motion, body, contacts = _see(captured, config, clock)
    del captured  # a long clip is not held twice
    return _with_parts_weighed(_explain(motion, body, contacts, config, clock), clock)


def _see(captured: Motion, config: Config, clock: _Clock) -> tuple[Motion, BodyModel, Contacts]:
    """Return how a captured body moves, what it weighs, and where it touches the ground."""
    with clock("smooth"):
        motion = smooth(captured, config.smoothing.cutoff, method=config.smoothing.smoother)
    with clock("body"):
        body = body_model(motion.skeleton, source=motion.source, **config.body.model)
    with clock("contacts"):
        contacts = detect_contacts(captured, **config.contact.detection)
    unknown = config.body.mass is None and config.body.bodies is None and motion.source.mass is None
    if motion.plates is not None and unknown:
        with clock("weight"):
            motion, body = _weighed(motion, body, contacts, config)
    return motion, body, contacts


def _explain(
    motion: Motion, body: BodyModel, contacts: Contacts, config: Config, clock: _Clock
) -> Analysis:
    """Return what moves it: who carries, the trees rooted there, and their dynamics."""
    with clock("carriers"):
        carriers = settle_carriers(motion, body, contacts)
        contacts = with_carrier(contacts, carriers.carrier, carriers.notes)
    with clock("reroot"):
        rooted = reroot(motion, contacts)
    with clock("dynamics"):
        dynamics = inverse_dynamics(rooted, body, **vars(config.dynamics))
    return Analysis(config, motion, body, contacts, rooted, dynamics, clock.times)


def _with_feet_pinned(captured: Motion, config: Config, clock: _Clock) -> Analysis:
    """Analyse twice: the contacts of the first time tell where feet are held the second time."""
    from mocap_reroot.contact.pinning import pin_feet  # these load scipy, which takes its time
    from mocap_reroot.contact.pinning_report import pinning_effect

    found = _explain(*_see(captured, config, clock), config, clock)
    with clock("pin_feet"):
        captured = pin_feet(captured, found.contacts)
    pinned = _explain(*_see(captured, config, clock), config, clock)
    effect = pinning_effect(found.dynamics, pinned.dynamics)
    source = pinned.motion.source.adding(inferred=[effect])
    return replace(pinned, motion=replace(pinned.motion, source=source))


def _with_parts_weighed(found: Analysis, clock: _Clock) -> Analysis:
    """Ask Newton once more if the plates that are used tell what the parts of the body weigh."""
    given = found.config.body.segment_masses == "table" or found.config.body.bodies is not None
    if given or "measured" not in found.dynamics.source:
        return found
    with clock("segment_masses"):
        weighed = weigh_segments(found.motion, found.body, found.contacts)
        if weighed is None:
            return found
        body, why = weighed
        source = found.motion.source.adding(inferred=[why])
        found = replace(found, motion=replace(found.motion, source=source))
        if body is found.body:
            return found
        dynamics = inverse_dynamics(found.rooted, body, **vars(found.config.dynamics))
        return replace(found, body=body, dynamics=predicted_by(found.dynamics, dynamics))


def _weighed(
    motion: Motion, body: BodyModel, contacts: Contacts, config: Config
) -> tuple[Motion, BodyModel]:
    """Return motion and body with the mass that the force plates tell, if they do."""
    found = weigh(motion, body, contacts)
    if found is None:
        return motion, body
    source = motion.source.adding(inferred=(found,))
    options = config.body.model | {"mass": found.value}
    return replace(motion, source=source), body_model(motion.skeleton, source=source, **options)
