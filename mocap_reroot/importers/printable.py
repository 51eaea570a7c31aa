"""Names without characters that command a terminal or turn the direction of a text."""

from __future__ import annotations


def printable(name: str) -> str:
    """Return a name with ``�`` in place of every character that is not for printing."""
    if name.isprintable():
        return name
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name)
