"""HTML from Python values, every text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def text(value: Any) -> Html:
    """Return a value as escaped text; markup is left alone."""
    return value if isinstance(value, Html) else Html(escape(str(value)))


def tag(name: str, *content: Any, **attributes: Any) -> Html:
    """Return an element; ``class_`` is ``class``, underscores in attributes are hyphens."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{shown}>{''.join(map(text, content))}</{name}>")


def join(parts: Iterable[Any]) -> Html:
    """Return parts one after the other."""
    return Html("".join(map(text, parts)))


def table(
    head: Sequence[Any], rows: Iterable[Sequence[Any]], caption: str = "", **attributes: Any
) -> Html:
    """Return a table whose first column names its rows; numbers are cells of class ``number``."""
    top = tag("thead", tag("tr", *(tag("th", cell, scope="col") for cell in head)))
    body = join(
        tag("tr", tag("th", row[0], scope="row"), *(_cell(cell) for cell in row[1:]))
        for row in rows
    )
    title = tag("caption", caption) if caption else ""
    # The frame scrolls, so that a wide table never widens the page.
    return tag("div", tag("table", title, top, tag("tbody", body), **attributes), class_="scroll")


def _cell(value: Any) -> Html:
    if isinstance(value, Html) and value.startswith("<td"):
        return value
    return tag("td", value)


def number(value: float | None, digits: int, **attributes: Any) -> Html:
    """Return a table cell with a number, or a dash where there is none."""
    shown = "–" if value is None or value != value else f"{value:.{digits}f}".replace("-", "−")
    return tag("td", shown, class_="number", **attributes)


def bullets(items: Iterable[Any], none: str) -> Html:
    """Return a list, or a sentence where there is nothing to list."""
    found = [tag("li", item) for item in items]
    return tag("ul", *found) if found else tag("p", none, class_="quiet")
