"""Segment inertias of the user: a table in the format of ``bodies.csv``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from mocap_reroot.errors import FileError, UnknownNameError
from mocap_reroot.resources.csv_text import as_meant
from mocap_reroot.types import BodyModel

_COM = ("com_x", "com_y", "com_z")
_INERTIA = {
    "ixx": (0, 0),
    "iyy": (1, 1),
    "izz": (2, 2),
    "ixy": (0, 1),
    "ixz": (0, 2),
    "iyz": (1, 2),
}
_NUMBERS = ("mass", *_COM, *_INERTIA)
_IGNORED = ("parent", "segment", "offset_x", "offset_y", "offset_z")


def read_bodies(path: str | Path, model: BodyModel) -> BodyModel:
    """Return a body model with the rows of a file in place of its own.

    Args:
        path: CSV with the columns ``body, mass, com_x … com_z, ixx … iyz``; the other columns of
            ``bodies.csv`` may be there. Bodies without a row keep what they have.
        model: What to start from.

    Raises:
        FileError: Not readable, an unknown column or body, or a body that cannot exist.
    """
    path = Path(path)
    table = _read(path)
    names = list(model.skeleton.names)
    mass, com, inertia = model.mass.copy(), model.com.copy(), model.inertia.copy()
    for line, row in enumerate(table.to_dict("records"), start=2):
        if row["body"] not in names:
            unknown = UnknownNameError("body", str(row["body"]), names)
            raise FileError(path, str(unknown), line=line)
        values = _numbers(path, line, row)
        body = names.index(row["body"])
        mass[body] = values["mass"]
        com[body] = [values[c] for c in _COM]
        for column, (a, b) in _INERTIA.items():
            inertia[body, a, b] = inertia[body, b, a] = values[column]
        _check_physical(path, line, row["body"], mass[body], inertia[body])
    if not mass.sum() > 0:
        raise FileError(path, "the masses of all bodies add up to 0 kg; expected some mass.")
    warnings = list(model.warnings)
    if abs(mass.sum() / model.total_mass - 1) > 1e-3:
        warnings.append(
            f"Masses from {path.name} make {mass.sum():.2f} kg in all, not {model.total_mass:.2f}."
        )
    missing = len(set(names) - set(table["body"]))
    title = f"{path.name}" + (f"; {missing} bodies: {model.table}" if missing else "")
    return replace(
        model, mass=mass, com=com, inertia=inertia, table=title, warnings=tuple(warnings),
        mass_from="bodies",
    )  # fmt: skip


def _read(path: Path) -> pd.DataFrame:
    try:
        table = as_meant(pd.read_csv(path, keep_default_na=False, dtype=str, skipinitialspace=True))
    except FileNotFoundError:
        raise FileError(path, "there is no such file.", todo="Check the path.") from None
    except (OSError, UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise FileError(path, f"not a table of bodies ({error}).") from error
    known = ("body", *_NUMBERS, *_IGNORED)
    for column in table.columns:
        if column not in known:
            raise FileError(path, str(UnknownNameError("column", str(column), known)), line=1)
    absent = [column for column in ("body", *_NUMBERS) if column not in table.columns]
    if absent:
        raise FileError(
            path,
            f"the columns {', '.join(absent)} are missing.",
            line=1,
            todo="Start from the bodies.csv of a result folder.",
        )
    twice = table["body"][table["body"].duplicated()]
    if len(twice):
        raise FileError(path, f"body {twice.iloc[0]!r} has two rows.", line=int(twice.index[0]) + 2)
    return table


def _numbers(path: Path, line: int, row: dict[str, str]) -> dict[str, float]:
    values = {}
    for column in _NUMBERS:
        try:
            values[column] = float(row[column])
        except ValueError:
            values[column] = np.nan
        if not np.isfinite(values[column]):
            raise FileError(
                path, f"{column} of {row['body']} is {row[column]!r}; expected a number.", line=line
            )
    return values


def _check_physical(path: Path, line: int, body: str, mass: float, inertia: np.ndarray) -> None:
    if mass < 0:
        raise FileError(path, f"{body} has a negative mass, {mass:g} kg.", line=line)
    low, middle, high = np.linalg.eigvalsh(inertia)
    slack = 1e-6 * max(high, 0) + 1e-12
    if low < -slack or high > low + middle + slack:
        raise FileError(
            path,
            f"no body can have the inertia of {body}: its principal moments are {low:.3g}, "
            f"{middle:.3g} and {high:.3g} kg·m², but none may be negative or exceed the sum of "
            "the other two.",
            line=line,
            todo="Give it about the centre of mass, in the body's axes.",
        )
