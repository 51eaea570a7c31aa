"""Templates of ``assets/`` filled with style, scripts and data: pages that need only themselves."""

from __future__ import annotations

from string import Template
from typing import Any

from mocap_reroot.report.markup import Html
from mocap_reroot.report.packing import asset, plotly_script, script_json


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
