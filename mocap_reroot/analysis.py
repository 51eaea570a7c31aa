"""analyze(): read, body model, contacts, ground wrenches, root change, inverse dynamics."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from mocap_reroot import results
from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.clip_result import ClipResult
from mocap_reroot.config import Config, all_options, resolve
from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.dynamics.cycles import cycle_blocks
from mocap_reroot.dynamics.inverse import inverse_dynamics
from mocap_reroot.errors import path_text
from mocap_reroot.ground.estimate import estimate_ground
from mocap_reroot.mechanics.kinematics import World, forward
from mocap_reroot.options import with_keywords
from mocap_reroot.reading import read
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.resources.memory import give_back, memory_needed, require_memory
from mocap_reroot.schema import Blocks
from mocap_reroot.types import BodyModel, Contacts, Dynamics, Ground, Motion, Rooted

if TYPE_CHECKING:
    from typing import Unpack

    from mocap_reroot.keywords import Options
    from mocap_reroot.report.clip_tables import ClipTables

log = logging.getLogger("mocap_reroot")


@dataclass(frozen=True, eq=False)
class Analysis(ClipResult):
    """A clip from file to torques: every stage's result, and its tables.

    Attributes:
        config: The configuration that was followed.
        ground: What the ground does, with the motion, body and contacts that go with it.
        rooted: The motion re-rooted at its support, a piece a phase.
        dynamics: Torques and ground forces.
        timings: Seconds a stage.
    """

    config: Config
    ground: Ground
    rooted: Rooted
    dynamics: Dynamics
    timings: dict[str, float] = field(default_factory=dict)

    @property
    def motion(self) -> Motion:
        """The motion that was analysed, with derivatives."""
        return self.ground.motion

    @property
    def body(self) -> BodyModel:
        """Mass model."""
        return self.ground.body

    @property
    def contacts(self) -> Contacts:
        """Who carries when."""
        return self.ground.contacts

    @cached_property
    def cycle_rows(self) -> Blocks | None:
        """What ``cycles.parquet`` is made of."""
        strides = results.stride_columns(self)
        return cycle_blocks(self.dynamics, self.motion, self.rooted.contacts.soles, strides)

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

    def _clip(self) -> ClipTables:
        from mocap_reroot.report.clip_tables import clip_of

        return clip_of(self)

    def save(
        self, folder: str | Path, *, fingerprint: str = "", labels: dict[str, str] | None = None
    ) -> dict[str, Any]:
        """Write tables, summary and report into a folder, which appears when it is complete.

        Args:
            folder: Where; a folder that is there already is replaced.
            fingerprint: Kept in the summary, so that a batch knows what it need not do again.
            labels: Words before every row of the parts of a data set, which a batch asks for.

        Returns:
            dict: The content of ``summary.json``.
        """
        return results.save(self, Path(folder), fingerprint, labels)

    def __repr__(self) -> str:
        path = self.motion.source.path
        name = path_text(path.name) if path else "motion"
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


def require_memory_for(motion: Motion) -> int:
    """Return the bytes that an analysis takes, if there are so many.

    Raises:
        FileError: There are not.
    """
    frames, bodies = motion.n_frames, motion.skeleton.n_bodies
    needed = memory_needed(frames, bodies)
    require_memory(motion.source.path, needed, f"{frames} frames of {bodies} bodies")
    return needed


@with_keywords(list(all_options().values()))
def analyze(
    path: str | Path,
    *,
    config: Config | None = None,
    tell: Callable[[str], None] | None = None,
    **options: Unpack[Options],
) -> Analysis:
    """Run the whole pipeline on one file.

    Args:
        path: Any file that :func:`mocap_reroot.read` takes.
        config: Configuration to start from.
        tell: Called with the name of every stage that begins.
        **options: Options by the name they have on the command line, e.g. ``mass=70.0``,
            ``cutoff=6.0``, ``forces="predicted"``; ``docs/reference/options.md`` has what each
            means. One that is not given, or None, is as ``config`` has it.

    Returns:
        Analysis: Tables as properties (``.torques``, ``.grf``, ``.phases`` …), ``.save(folder)``.

    Raises:
        MocapRerootError: The file or an option cannot be used; says why.
    """
    config = (config or resolve()).with_options(options)
    stage = _Clock(tell)

    def captured() -> Motion:
        with stage("read"):
            return read(path, parameters=config.parameters.plates, **vars(config.reading))

    return analysis_of(captured(), config, stage=stage)


def analysis_of(
    motion: Motion,
    config: Config,
    *,
    stage: _Clock | None = None,
) -> Analysis:
    """Run the pipeline on a motion that was read.

    Args:
        motion: As :func:`mocap_reroot.read` returns it.
        config: What to follow after reading.
        stage: Measures and tells.
    """
    stage = stage or _Clock(None)
    stage.memory = require_memory_for(motion)
    with stage("body"):
        body = body_model(motion, **config.body.model)
    with stage("contacts"):
        contacts = detect_contacts(motion, body, **config.detection)
    if config.contact.pin_feet:
        from mocap_reroot.contact.pinning import pin_feet  # loads scipy, which takes its time

        with stage("pin_feet"):
            motion = pin_feet(motion, contacts)
    with stage("ground"):
        ground = estimate_ground(motion, body, contacts, **config.ground)
    del motion  # a long clip is not held twice
    with stage("reroot"):
        rooted = reroot(ground.motion, ground.contacts)
    with stage("dynamics"):
        dynamics = inverse_dynamics(rooted, ground.body, ground, **config.torques)
    return Analysis(config, ground, rooted, dynamics, stage.times)
