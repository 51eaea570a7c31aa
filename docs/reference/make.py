"""Make the reference pages from the program itself: options, tables, marker sets, conventions.

Run from the project's root: ``python docs/reference/make.py``. A test sees to it that the pages
are up to date.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
import tomllib
from collections.abc import Iterable
from importlib import resources
from pathlib import Path

from mocap_reroot import schema
from mocap_reroot.cli.analysing import run
from mocap_reroot.config import Config
from mocap_reroot.skeletons import markersets

HERE = Path(__file__).resolve().parent
MADE = "<!-- Made by docs/reference/make.py; do not edit. -->\n"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table."""
    lines = [list(head), ["---"] * len(list(head)), *(list(row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def attributes(kind: type) -> dict[str, str]:
    """Return what the docstring of a class says of each of its attributes."""
    text = inspect.getdoc(kind) or ""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in text.partition("Attributes:\n")[2].splitlines():
        entry = re.match(r"    (\w+(?:, \w+)*): (.*)", line)
        if entry:
            names = entry[1].split(", ")
            found |= dict.fromkeys(names, entry[2])
        else:
            found |= {name: f"{found[name]} {line.strip()}".strip() for name in names}
    plain = {"``": "`", '"': "", "None": "not set"}
    for name, said in found.items():
        for old, new in plain.items():
            said = said.replace(old, new)
        found[name] = said
    return found


def options() -> str:
    """Return the page of options."""
    flags = {
        parameter.name: " / ".join([*parameter.opts, *parameter.secondary_opts])
        for parameter in run.params
    }
    parts = [
        "# Options\n",
        "Every option is a key of a TOML file (`--config FILE.toml`), in its section or at the top "
        "level, and an argument of `mr.analyze` by the same name. Most are flags of `run` and "
        "`batch` too. A flag goes over TOML, TOML over the file's own data, that over inference.\n",
    ]
    for stage in dataclasses.fields(Config):
        section = getattr(Config(), stage.name)
        said = attributes(type(section))
        rows = [
            (
                f"`{option.name}`",
                f"`{flags[option.name]}`" if option.name in flags else "",
                _shown(getattr(section, option.name)),
                said[option.name],
            )
            for option in dataclasses.fields(section)
        ]
        parts += [
            f"## `[{stage.name}]`: {(inspect.getdoc(type(section)) or '').splitlines()[0]}\n",
            table(("key", "flag", "default", "meaning"), rows),
        ]
    return "\n".join(parts)


def _shown(value: object) -> str:
    if value is None:
        return "not set"
    if isinstance(value, tuple):
        value = ", ".join(map(str, value))
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def tables() -> str:
    """Return the page of tables, as the schema has them."""
    parts = [
        "# Tables\n",
        "SI units; angles in rad unless a column says `_deg`. `<body>` is the name in the file, "
        "`<foot>` a body that carries. Parquet files hold unit, axes and meaning of every column "
        "(`pyarrow.parquet.read_schema(file).field(column).metadata`). Why torques mean the same "
        "whatever the root, and what is proximal: [results](../results.md).\n",
    ]
    for layout in (*schema.TABLES.values(), schema.INDEX):
        where = " It lies beside the clips of a batch." if layout is schema.INDEX else ""
        parts += [f"## `{layout.name}`\n", f"One row per {layout.per}.{where}\n"]
        parts.append(table(("columns", "unit", "axes", "meaning"), map(_row, layout.columns)))
    return "\n".join(parts)


def _row(column: schema.Column) -> tuple[str, str, str, str]:
    """Return a line of the page: names, unit, axes and meaning."""
    names = " ".join(f"`{name}`" for name in column.names)
    return names, "–" if column.unit == "1" else column.unit, column.axes, column.meaning


def marker_sets() -> str:
    """Return the page of marker sets and naming conventions."""
    rows = [
        (f"`{name}`", chosen.description, _needs(chosen.requires))
        for name in markersets.names()
        for chosen in [markersets.load(name)]
    ]
    folder = resources.files("mocap_reroot.inference") / "conventions"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name)
    contents = [tomllib.loads(file.read_text(encoding="utf-8")) for file in files]
    names = [(str(content["name"]), str(content.get("about", ""))) for content in contents]
    return "\n".join(
        [
            "# Marker sets and naming conventions\n",
            "## Marker sets (C3D, TRC)\n",
            "The set whose landmarks the labels give is chosen; `--markerset NAME` or "
            "`--markerset FILE.toml` overrules it. How to write one: "
            "[marker sets](../marker-sets.md).\n",
            table(("name", "what", "needs"), rows),
            "## Naming conventions (BVH)\n",
            "Known by name. Other skeletons are told by words in their names, by their shape and "
            "by how they move; `--segments FILE.toml` overrules it.\n",
            table(("name", "what"), names),
        ]
    )


def _needs(required: Iterable[str]) -> str:
    """Return the landmarks a set needs, both sides as one, in plain words."""
    unsided = (name.replace("left_", "").replace("right_", "") for name in required)
    return ", ".join(dict.fromkeys(unsided)).replace("|", " or ").replace("_", " ")


PAGES = {"options": options, "tables": tables, "names": marker_sets}


def main() -> int:
    """Write every page."""
    for name, make in PAGES.items():
        (HERE / f"{name}.md").write_text(MADE + make(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
