"""Data files that lie beside the modules which use them."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any


def read_toml(package: str, name: str) -> dict[str, Any]:
    """Return the content of a TOML file in a folder of this package, e.g. ``"report"``."""
    file = files(f"mocap_reroot.{package}") / name
    return tomllib.loads(file.read_text(encoding="utf-8"))
