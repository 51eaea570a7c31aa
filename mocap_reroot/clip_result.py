"""ClipResult: tables, grade and plots of one clip, just analysed or opened again from disk."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from mocap_reroot import schema
from mocap_reroot.errors import MocapRerootError, path_text

if TYPE_CHECKING:
    from mocap_reroot.report.clip_tables import ClipTables
    from mocap_reroot.report.figures import Plots
    from mocap_reroot.report.verdict import Verdict


def _table(name: str, meaning: str) -> property:
    """Return an attribute that is a table; an error where it does not apply."""

    def whole(result: ClipResult) -> pd.DataFrame:
        return result._whole(name)

    return property(whole, doc=f"{meaning}: ``{name}``.")


def _table_or_none(name: str, meaning: str) -> property:
    """Return an attribute that is a table, or None where it does not apply."""

    def table(result: ClipResult) -> pd.DataFrame | None:
        return result.table(name)

    return property(table, doc=f"{meaning}: ``{name}``; None where it does not apply.")


class ClipResult:
    """Tables and figures of a clip: what :func:`mocap_reroot.analyze` gives and ``load`` opens."""

    @property
    def summary(self) -> dict[str, Any]:
        """What ``summary.json`` holds."""
        raise NotImplementedError

    def table(self, name: str) -> pd.DataFrame | None:
        """Return a table of the interface by its file's name, or None where it does not apply.

        Raises:
            UnknownNameError: There is no such table; offers names.
        """
        raise NotImplementedError

    def _clip(self) -> ClipTables:
        """Return the tables that figures are drawn from."""
        raise NotImplementedError

    def _whole(self, name: str) -> pd.DataFrame:
        found = self.table(name)
        if found is None:
            raise MocapRerootError(
                f"There is no table {name!r} of this clip: it was not written, or does not apply. "
                "Run it with --tables all."
            )
        return found

    torques = _table("torques", "Joint torques and powers")
    grf = _table("grf", "Ground reaction of each foot")
    reactions = _table("reactions", "Joint reaction forces")
    kinematics = _table("kinematics", "Poses and derivatives in the world")
    phases = _table("phases", "Support phases")
    events = _table("events", "Foot strikes and foot offs")
    bodies = _table("bodies", "The mass model")
    rooted_tree = _table("rooted_tree", "The support-rooted trees, a row a phase and body")
    anatomy = _table_or_none("anatomy", "Anatomical angles and moments, of a person")
    strides = _table_or_none("strides", "Strides with their gait parameters")
    cycles = _table_or_none("cycles", "Curves of the legs by percent of each sound stride")
    peaks = _table_or_none("peaks", "Least, greatest and mean of these curves")
    plates = _table_or_none("plates", "Measured ground reaction of each foot")
    predicted = _table_or_none("predicted", "What the motion alone gives, where plates were used")

    @property
    def normalised(self) -> pd.DataFrame:
        """Torques and powers over body mass, or as ``normalise`` asked: ``normalised.parquet``."""
        found = self.table("normalised")
        if found is not None:
            return found
        torques = self.torques
        ends = ("_mx", "_my", "_mz", "_power")
        columns = [c for c in torques.columns if c.endswith(ends)]
        scaled = (torques[columns] / float(self.summary["mass"])).add_suffix("_per_kg")
        return pd.concat([torques[["frame", "time", "flag"]], scaled], axis=1)

    @property
    def verdict(self) -> Verdict:
        """Whether its physics can be believed, and why: grade, reasons and a light a figure."""
        from mocap_reroot.report.verdict import judge

        return judge(self.summary)

    @property
    def plot(self) -> Plots:
        """Figures: ``.cycles("knee")``, ``.torques("LeftLeg")``, ``.grf()``, ``.phases()`` …"""
        from mocap_reroot.report.figures import Plots

        return Plots(self._clip())

    def _repr_html_(self) -> str:
        from mocap_reroot.report.notebook import clip_html

        return clip_html(repr(self), self)


class Saved(ClipResult):
    """A result folder, opened again.

    Attributes:
        folder: Where its tables lie.
        elsewhere: Files of tables that a data set holds instead, by the table's name.
    """

    def __init__(self, folder: str | Path, elsewhere: dict[str, Path] | None = None) -> None:
        from mocap_reroot.report.clip_tables import read_summary

        self.folder, self.elsewhere = Path(folder), elsewhere or {}
        self._summary = read_summary(self.folder)

    @property
    def summary(self) -> dict[str, Any]:
        """What ``summary.json`` holds."""
        return self._summary

    def table(self, name: str) -> pd.DataFrame | None:
        """Return a table of the interface by its file's name; None where it was not written.

        Raises:
            UnknownNameError: There is no such table; offers names.
            FileError: Its file cannot be read.
        """
        from mocap_reroot.report.clip_tables import read_table

        found = read_table(self.folder, schema.table(name))
        if found is None and name in self.elsewhere:
            found = pd.read_parquet(self.elsewhere[name]).drop(columns=["clip", "subject"])
        return found

    def _clip(self) -> ClipTables:
        return self._tables

    @cached_property
    def _tables(self) -> ClipTables:
        from mocap_reroot.report.clip_tables import read_clip

        clip = read_clip(self.folder)
        for name in clip.lacking & self.elsewhere.keys():
            clip.tables[name] = self._whole(name)
        return clip

    def __repr__(self) -> str:
        found = self.summary
        seconds = found["frames"] / found["fps"]
        return (
            f"<Saved: {path_text(self.folder)}, {seconds:.2f} s, {found['mass']:.1f} kg, "
            f"grade {found.get('grade', '–')}>"
        )
