"""What the recipes share: their TOML file."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any


def recipe(script: str) -> dict[str, Any]:
    """Return the TOML named on the command line, else the one beside the script.

    ``inputs`` and ``out`` become paths, relative to the TOML file.
    """
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(script).with_suffix(".toml")
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    home = path.resolve().parent
    content["inputs"] = [(home / name).resolve() for name in content["inputs"]]
    content["out"] = (home / content["out"]).resolve()
    return {"options": {}, **content}
