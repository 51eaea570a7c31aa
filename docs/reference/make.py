"""Make the reference pages from the program itself: options, tables, marker sets, modules.

Run from the project's root: ``python docs/reference/make.py``. A test sees to it that the pages
are up to date.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
import tomllib
from collections.abc import Iterable
from importlib import resources
from pathlib import Path

from mocap_reroot import schema
from mocap_reroot.config import Config, all_options, sections
from mocap_reroot.options import Option, options_of
from mocap_reroot.parameters import Parameters
from mocap_reroot.skeletons import markersets

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "mocap_reroot"
KEYWORDS = PACKAGE / "keywords.py"
HOUSE = HERE.parent / "house.md"
MADE = "<!-- Made by docs/reference/make.py; do not edit. -->\n"
MODULES = "<!-- modules: made by docs/reference/make.py; do not edit below. -->\n"
"""What follows this line of ``house.md`` is made."""


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table."""
    lines = [list(head), ["---"] * len(list(head)), *(list(row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def options() -> str:
    """Return the page of options."""
    parts = [
        "# Options\n",
        "Every option is a flag of `run` and `batch`, a key of a TOML file (`--config FILE.toml`), "
        "in its section or at the top level, and a keyword of `mr.analyze`. A flag goes over TOML, "
        "TOML over the file's own data, that over inference.\n",
    ]
    for stage in sections():
        section = type(getattr(Config(), stage.name))
        rows = [
            (
                f"`{one.name}`",
                f"`{one.flag}`" + (f" / `--no-{one.flag[2:]}`" if one.is_switch else ""),
                _shown(one.default),
                _values(one),
                one.meaning,
            )
            for one in options_of(stage.name, section)
        ]
        parts += [
            f"## `[{stage.name}]`: {(inspect.getdoc(section) or '').splitlines()[0]}\n",
            table(("key", "flag", "default", "values", "meaning"), rows),
        ]
    return "\n".join(parts)


def parameters() -> str:
    """Return the page of tuned numbers: their values, and the docstrings that explain them."""
    parts = [
        "# Tuned numbers\n",
        "One set a stage. `[parameters.STAGE]` of a TOML file (`--config FILE.toml`) sets them, "
        "for instance `friction = 0.6` in `[parameters.ground]`; what was changed is written "
        "beside the results. How much depends on those of the ground: "
        "[accuracy](../accuracy.md); how they were chosen: "
        "[decision 31](../decisions/0031-the-ground-in-one-problem-numbers.md).\n",
    ]
    for stage in dataclasses.fields(Parameters):
        numbers = getattr(Parameters(), stage.name)
        told = _attributes(inspect.getdoc(type(numbers)) or "")
        rows = [(f"`{n}`", f"{v:.4g}", told[n]) for n, v in vars(numbers).items()]
        about = (inspect.getdoc(type(numbers)) or "").partition("Attributes:")[0].strip()
        parts += [
            f"## `[parameters.{stage.name}]`\n", about + "\n",
            table(("name", "value", "unit and meaning"), rows),
        ]  # fmt: skip
    return "\n".join(parts)


def _attributes(docstring: str) -> dict[str, str]:
    """Return what a docstring says of each attribute; several may share a line."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in docstring.partition("Attributes:\n")[2].splitlines():
        if line.startswith("    ") and not line.startswith("     "):
            before, _, meaning = line.strip().partition(": ")
            names = before.split(", ")
            found |= dict.fromkeys(names, meaning)
        else:
            found |= {name: f"{found[name]} {line.strip()}" for name in names}
    return found


def _values(one: Option) -> str:
    words = [f"`{word}`" for word in one.choices]
    words += ["a number"] if float in one.kinds else []
    return ", ".join(words) or ("a file" if one.file else "")


def keywords() -> str:
    """Return a module for type checkers and editors: the keywords of ``mr.analyze``."""
    lines = [
        '"""Keywords of ``mr.analyze``, for type checkers and editors.',
        "",
        "Made from the configuration by docs/reference/make.py; do not edit.",
        '"""',
        "",
        "from pathlib import Path",
        "from typing import Literal, TypedDict",
        "",
        "",
        "class Options(TypedDict, total=False):",
        '    """Every option, by the name that it has on the command line and in TOML."""',
        "",
    ]
    lines += [f"    {one.name}: {one.annotation}" for one in all_options().values()]
    return "\n".join(lines) + "\n"


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


def house() -> str:
    """Return the map of the house: what was written of it, and the list of modules.

    Files of the corridor and rooms are in the order of its tables, those of a room in the order in
    which its ``__init__`` names them.
    """
    written = HOUSE.read_text(encoding="utf-8").partition(MODULES)[0]
    holds = re.findall(r"^\| (`\w+\.py`.*?) \| ", written, re.M)
    corridor = [PACKAGE / name for row in holds for name in re.findall(r"\w+\.py", row)]
    parts = [written + MODULES, table(("file", "what it does"), map(_module, corridor))]
    for room in re.findall(r"^\| `(\w+)/` \|", written, re.M):
        start = PACKAGE / room / "__init__.py"
        names = re.findall(r"``(\w+)``", _docstring(start))
        files = (PACKAGE / room / f"{name}.py" for name in dict.fromkeys(names))
        rows = map(_module, filter(Path.is_file, files))
        parts += [f"**`{room}/`** {_first_line(start)}\n", table(("file", "what it does"), rows)]
    return "\n".join(parts)


def _docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


def _first_line(path: Path) -> str:
    return _docstring(path).partition("\n")[0].replace("``", "`")


def _module(path: Path) -> tuple[str, str]:
    """Return a line of the list: the file, and the first line of its docstring."""
    return f"`{path.name}`", _first_line(path)


PAGES = {
    "options": options, "parameters": parameters, "tables": tables, "names": marker_sets,
}  # fmt: skip


def main() -> int:
    """Write every page."""
    for name, make in PAGES.items():
        (HERE / f"{name}.md").write_text(MADE + make(), encoding="utf-8")
    KEYWORDS.write_text(keywords(), encoding="utf-8")
    HOUSE.write_text(house(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
