"""What one clip gave, just computed or opened again: tables, verdict, figures."""

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

    @property
    def torques(self) -> pd.DataFrame:
        """Joint torques and powers: ``torques.parquet``."""
        return self._whole("torques")

    @property
    def grf(self) -> pd.DataFrame:
        """Ground reaction of each foot: ``grf.parquet``."""
        return self._whole("grf")

    @property
    def reactions(self) -> pd.DataFrame:
        """Joint reaction forces: ``reactions.parquet``."""
        return self._whole("reactions")

    @property
    def kinematics(self) -> pd.DataFrame:
        """Poses and derivatives in the world: ``kinematics.parquet``."""
        return self._whole("kinematics")

    @property
    def phases(self) -> pd.DataFrame:
        """Support phases: ``phases.csv``."""
        return self._whole("phases")

    @property
    def events(self) -> pd.DataFrame:
        """Foot strikes and foot offs: ``events.csv``."""
        return self._whole("events")

    @property
    def bodies(self) -> pd.DataFrame:
        """The mass model: ``bodies.csv``."""
        return self._whole("bodies")

    @property
    def rooted_tree(self) -> pd.DataFrame:
        """The support-rooted trees, a row a phase and body: ``rooted_tree.csv``."""
        return self._whole("rooted_tree")

    @property
    def anatomy(self) -> pd.DataFrame | None:
        """Anatomical angles and moments: ``anatomy.parquet``; None if it is not a person."""
        return self.table("anatomy")

    @property
    def strides(self) -> pd.DataFrame | None:
        """Strides with their gait parameters: ``strides.csv``."""
        return self.table("strides")

    @property
    def cycles(self) -> pd.DataFrame | None:
        """Curves of the legs by percent of each sound stride: ``cycles.parquet``."""
        return self.table("cycles")

    @property
    def peaks(self) -> pd.DataFrame | None:
        """Least, greatest and mean of these curves: ``peaks.csv``."""
        return self.table("peaks")

    @property
    def plates(self) -> pd.DataFrame | None:
        """Measured ground reaction of each foot: ``plates.parquet``; None without force plates."""
        return self.table("plates")

    @property
    def predicted(self) -> pd.DataFrame | None:
        """What the motion alone would give, where plates were used; None elsewhere."""
        return self.table("predicted")

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
