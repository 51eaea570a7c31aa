"""A short page with tables and figures: one HTML file, no script, no network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from mocap_reroot.report.cycle_figure import SvgFigure

_STYLE = """
body { font-family: sans-serif; max-width: 60em; margin: 2em auto; color: #222; line-height: 1.45; }
table { border-collapse: collapse; font-size: 90%; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2em 0.8em; text-align: right; border-bottom: 1px solid #ddd; }
th { background: #f4f4f4; }
figure { margin: 1.5em 0; } figcaption { color: #444; margin-top: 0.4em; }
svg { max-width: 100%; height: auto; border: 1px solid #eee; }
"""


class Picture(NamedTuple):
    """A figure with the name of its file (without suffix) and a caption."""

    name: str
    figure: Figure
    caption: str


class Table(NamedTuple):
    """A table with a caption; ``<name>.csv`` has all rows, the page the first ``rows``."""

    name: str
    frame: pd.DataFrame
    caption: str
    rows: int = 40


def axes(x: str, y: str, *, equal: bool = False, size: tuple[float, float] = (6.4, 4.2)) -> Any:
    """Return labelled Matplotlib axes in a figure of their own; ``equal``: one scale for both."""
    figure = SvgFigure(figsize=size)
    figure.set_layout_engine("constrained")
    made = figure.subplots()
    made.set(xlabel=x, ylabel=y, aspect="equal" if equal else "auto")
    made.grid(color="#eeeeee")
    return made


def sticks(lines: np.ndarray) -> np.ndarray:
    """Return ``(3, 3 n)`` one path through lines ``(n, 2, 3)``, broken between them by NaN."""
    gap = np.full((len(lines), 1, 3), np.nan)
    return np.concatenate([lines, gap], axis=1).reshape(-1, 3).T


def write_page(out_dir: str | Path, title: str, parts: Sequence[str | Picture | Table]) -> Path:
    """Write ``index.html``, every table as CSV and every figure as SVG; return the page's path.

    Args:
        out_dir: Made if it does not exist.
        title: Heading.
        parts: Paragraphs, pictures and tables, in order.
    """
    folder = Path(out_dir)
    folder.mkdir(parents=True, exist_ok=True)
    html = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
    ]
    for part in parts:
        if isinstance(part, str):
            html.append(f"<p>{escape(part)}</p>")
        elif isinstance(part, Picture):
            part.figure.savefig(path := folder / f"{part.name}.svg")
            svg = path.read_text(encoding="utf-8")
            svg = svg[svg.index("<svg") :]  # within a page there is no XML declaration
            html.append(f"<figure>{svg}<figcaption>{escape(part.caption)}</figcaption></figure>")
        else:
            html.append(_table(folder, part))
    page = folder / "index.html"
    page.write_text("\n".join([*html, "</body></html>"]), encoding="utf-8")
    return page


def _table(folder: Path, part: Table) -> str:
    part.frame.to_csv(folder / f"{part.name}.csv", index=False)
    said = f"{escape(part.caption)} (<a href='{part.name}.csv'>{part.name}.csv</a>"
    if not part.rows:
        return f"<p>{said}, {len(part.frame)} rows)</p>"
    shown = part.frame.head(part.rows).to_html(
        index=False, border=0, float_format=lambda x: f"{x:.6g}", na_rep=""
    )
    more = len(part.frame) > part.rows
    rest = f" The first {part.rows} of {len(part.frame)} rows." if more else ""
    return f"<figure>{shown}<figcaption>{said}).{rest}</figcaption></figure>"
