"""A short page with tables and figures: one HTML file, no script, no network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pandas as pd

from mocap_reroot.papers.figure import Figure

_STYLE = """
body { font-family: sans-serif; max-width: 60em; margin: 2em auto; color: #222; line-height: 1.45; }
table { border-collapse: collapse; font-size: 90%; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2em 0.8em; text-align: right; border-bottom: 1px solid #ddd; }
th { background: #f4f4f4; }
figure { margin: 1.5em 0; } figcaption { color: #444; margin-top: 0.4em; }
svg { max-width: 100%; height: auto; border: 1px solid #eee; }
"""


@dataclass
class Picture:
    """A figure with the name of its file (without suffix) and a caption."""

    name: str
    figure: Figure
    caption: str


@dataclass
class Table:
    """A table with the name of its file (without suffix) and a caption.

    Attributes:
        name: ``<name>.csv`` is written.
        frame: The data.
        caption: What it is.
        rows: How many rows the page shows (the file has them all); 0 for none.
    """

    name: str
    frame: pd.DataFrame
    caption: str
    rows: int = 40


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
            svg = part.figure.svg()
            (folder / f"{part.name}.svg").write_text(svg, encoding="utf-8")
            html.append(f"<figure>{svg}<figcaption>{escape(part.caption)}</figcaption></figure>")
        else:
            html.append(_table(folder, part))
    page = folder / "index.html"
    page.write_text("\n".join([*html, "</body></html>"]), encoding="utf-8")
    return page


def _table(folder: Path, part: Table) -> str:
    part.frame.to_csv(folder / f"{part.name}.csv", index=False)
    link = f"<a href='{part.name}.csv'>{part.name}.csv</a>"
    if not part.rows:
        return f"<p>{escape(part.caption)} ({link}, {len(part.frame)} rows)</p>"
    shown = part.frame.head(part.rows).to_html(
        index=False, border=0, float_format=lambda x: f"{x:.6g}", na_rep=""
    )
    more = len(part.frame) - part.rows
    rest = f" The first {part.rows} of {len(part.frame)} rows." if more > 0 else ""
    return (
        f"<figure>{shown}<figcaption>{escape(part.caption)} ({link}).{rest}</figcaption></figure>"
    )
