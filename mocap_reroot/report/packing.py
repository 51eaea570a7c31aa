"""Arrays inside an HTML page: float32, compressed, base64 in JSON."""

from __future__ import annotations

import base64
import gzip
import json
from functools import lru_cache
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from mocap_reroot.report.markup import Html

BUDGET = 4_000_000
"""Bytes of raw float32 that a page may hold; longer clips are thinned out for display."""
MOST_FRAMES = 6000
"""Frames that a page shows at most: more than a screen has pixels."""


def stride_for(n_frames: int, rows: int) -> int:
    """Return every how many frames to show so that ``rows`` series of them fit into a page."""
    fitting = max(BUDGET // max(4 * rows, 1), 200)
    return max(1, -(-n_frames // min(fitting, MOST_FRAMES)))


def pack(values: np.ndarray) -> dict[str, Any]:
    """Return ``shape`` and ``gzip``: a float32 array, row-major, little-endian, as base64."""
    array = np.ascontiguousarray(values, dtype="<f4")
    return {"shape": list(array.shape), "gzip": _text(array.tobytes())}


def unpack(packed: dict[str, Any]) -> np.ndarray:
    """Return the array that ``pack`` put away."""
    raw = gzip.decompress(base64.b64decode(packed["gzip"]))
    return np.frombuffer(raw, "<f4").reshape(packed["shape"])


def _text(raw: bytes) -> str:
    # A fixed time in the header: the same tables give the same page.
    return base64.b64encode(gzip.compress(raw, 6, mtime=0)).decode("ascii")


def script_json(content: Any) -> str:
    """Return JSON that can stand inside a script element, whatever names it holds."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Line separators end a statement in older JavaScript; `<` could end the element.
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


@lru_cache(maxsize=1)
def plotly_script() -> str:
    """Return Plotly's JavaScript as it ships with its Python package, compressed, as base64."""
    return _text((files("plotly") / "package_data" / "plotly.min.js").read_bytes())


def asset(name: str) -> str:
    """Return the text of a file in ``assets/``."""
    return (files("mocap_reroot.report") / "assets" / name).read_text(encoding="utf-8")


def fill(
    template: str, scripts: tuple[str, ...], data: Any, *, plotly: bool = True, **parts: Html
) -> str:
    """Return a template of ``assets/`` with everything put into it.

    Args:
        template: File in ``assets/``.
        scripts: Files in ``assets/``, in order.
        data: What the scripts read from the element ``data``, ready for JSON.
        plotly: Whether the page draws with Plotly.
        **parts: Markup for the other places of the template.
    """
    return Template(asset(template)).substitute(
        style=asset("report.css"),
        plotly=plotly_script() if plotly else "",
        data=script_json(data),
        scripts="\n".join(asset(name) for name in scripts),
        **parts,
    )
