"""A finished batch as a study: index, tables over all clips, means over subjects, plots."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from mocap_reroot import schema
from mocap_reroot.batch.dataset import moved_table
from mocap_reroot.batch.index import FAILURES, INDEX_FILE
from mocap_reroot.clip_result import Saved
from mocap_reroot.errors import FileError, MocapRerootError, UnknownNameError, path_text
from mocap_reroot.resources.clips import is_below

if TYPE_CHECKING:
    from mocap_reroot.report.cycle_figure import SvgFigure

log = logging.getLogger("mocap_reroot")


def load(folder: str | Path) -> Saved | Study:
    """Open a folder of results: of a clip, or of a batch.

    Args:
        folder: ``out/walk`` as ``run`` wrote it, or the ``out`` of a batch.

    Returns:
        Saved | Study: With the tables and figures that :func:`mocap_reroot.analyze` gives; a
            study has an ``index`` and every table over all clips.

    Raises:
        FileError: It is no folder of results.
    """
    folder = Path(folder)
    if (folder / INDEX_FILE).is_file():
        return Study(folder)
    if not (folder / "summary.json").is_file():
        raise FileError(
            folder,
            "is no folder of results: it has neither summary.json (a clip) nor index.parquet "
            "(a batch).",
            todo="Name one that `mocap-reroot run` or `batch` wrote, such as out/walk or out.",
        )
    return Saved(folder)


class Study:
    """A batch, opened again.

    Attributes:
        folder: Where it lies.
        index: One row a clip: ``clip``, ``subject``, grade, gait, quality … (``index.parquet``).
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            index = pd.read_parquet(folder / INDEX_FILE)
        except (OSError, ValueError) as error:
            raise FileError(folder / INDEX_FILE, f"cannot be read: {error}.") from None
        if "subject" not in index:  # of the version before
            index.insert(1, "subject", "")
        self.index = index[index["clip"].map(is_below)].reset_index(drop=True)

    @property
    def failures(self) -> pd.DataFrame:
        """Files that gave no result, and why: ``failures.csv``."""
        return pd.read_csv(self.folder / FAILURES)

    def __getitem__(self, clip: str) -> Saved:
        """Return one clip by its name in the index."""
        if clip not in set(self.index["clip"]):
            raise UnknownNameError("clip", clip, tuple(self.index["clip"]))
        places = {name: moved_table(self.folder, Path(clip), name) for name in schema.TABLES}
        elsewhere = {name: file for name, file in places.items() if file.is_file()}
        return Saved(self.folder / clip, elsewhere)

    def __iter__(self) -> Iterator[str]:
        return iter(self.index["clip"])

    def __len__(self) -> int:
        return len(self.index)

    def table(self, name: str, *also: str, clips: Sequence[str] | None = None) -> pd.DataFrame:
        """Return a table of all clips that have it, with ``clip`` and ``subject``.

        Args:
            name: As of a clip's table: ``"cycles"``, ``"peaks"``, ``"torques"`` …
            *also: Columns of the index to have beside them, e.g. ``"group"``, ``"grade"``.
            clips: Only these, e.g. ``study.index.query("grade == 'A'")["clip"]``.

        Raises:
            UnknownNameError: There is no such table or clip; offers names.
            MocapRerootError: No clip has such a table, or the index has no such column.
        """
        schema.table(name)
        for column in also:
            if column not in self.index:
                raise MocapRerootError(
                    f"There is no column {column!r} in the index. Add one to the table of subjects "
                    "and run the same batch again with --subjects: clips that are done are not "
                    f"analysed twice. There are: {', '.join(map(str, self.index.columns[:20]))} …"
                )
        wanted = list(self.index["clip"]) if clips is None else list(clips)
        parts = {clip: made for clip in wanted if (made := self[clip].table(name)) is not None}
        if not parts:
            raise MocapRerootError(
                f"{path_text(self.folder)}: no clip has a table {name!r}. Run the batch again "
                f"with --tables core,{name}."
            )
        parts = {clip: made for clip, made in parts.items() if len(made)} or parts
        rows = pd.concat(parts, names=["clip"]).reset_index("clip").reset_index(drop=True)
        about = self.index.set_index("clip")[["subject", *also]]
        for place, column in enumerate(about, start=1):
            rows.insert(place, column, rows["clip"].map(about[column]))
        return rows

    def mean(self, name: str = "cycles", by: str | Sequence[str] = "subject") -> pd.DataFrame:
        """Return mean and standard deviation: by subject over strides, by group over people.

        Args:
            name: ``"cycles"``, ``"peaks"`` or ``"strides"``.
            by: Columns of the table (``"side"``) or of the index (``"subject"``, ``"group"``).
        """
        from mocap_reroot.report.means import mean_and_sd

        groups = [by] if isinstance(by, str) else list(by)
        return mean_and_sd(name, self._with(name, groups), groups)

    def _with(self, name: str, groups: Sequence[str]) -> pd.DataFrame:
        found = self.table(name)
        absent = sorted(set(self.index["clip"]) - set(found["clip"]))
        if absent:
            log.warning(
                "%d of %d clips have no sound stride and are not in this: %s%s. Their strides.csv "
                "and the flags of their tables say why.",
                len(absent), len(self), ", ".join(absent[:5]), " …" if len(absent) > 5 else "",
            )  # fmt: skip
        known = {"clip", "subject", *found.columns}
        return self.table(name, *(g for g in groups if g not in known))

    @property
    def plot(self) -> StudyPlots:
        """Figures: ``.cycles("knee", by="group")``."""
        return StudyPlots(self)

    @cached_property
    def _cycles(self) -> pd.DataFrame | None:
        try:
            return self.table("cycles")
        except MocapRerootError:
            return None

    def __repr__(self) -> str:
        people = len({s for s in self.index["subject"] if s})
        of = f" of {people} subjects" if people else ""
        return f"<Study: {path_text(self.folder)}, {len(self)} clips{of}>"

    def _repr_html_(self) -> str:
        from mocap_reroot.report.notebook import study_html

        return study_html(repr(self), self.index, self._cycles)


class StudyPlots:
    """The figures of a study."""

    def __init__(self, study: Study) -> None:
        self._study = study

    def cycles(self, *what: str, by: str | None = None) -> SvgFigure:
        """Return mean ± standard deviation by gait cycle, as in a paper.

        Args:
            *what: ``"hip"``, ``"knee"``, ``"ankle"``, ``"grf"`` or columns of ``cycles``.
            by: Column of the index or of ``cycles`` that gets a colour a value: ``"group"``.
        """
        from mocap_reroot.report.cycle_figure import cycle_figure

        return cycle_figure(self._study._with("cycles", [by] if by else []), what, by)
