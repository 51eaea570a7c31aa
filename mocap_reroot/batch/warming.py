"""Compiled code for workers: loaded once in the server they are forked from.

Numba keeps compiled code on disk, but every process that uses it loads it again, half a second in
all. A worker notes which kernels it has used; the server of the next batch loads these, and all its
workers have them from the start.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from mocap_reroot.export.folders import complete_file
from mocap_reroot.kernels.compiling import (
    compiled_before,
    compiled_mark,
    kept_signatures,
    remember_compiled,
)

_KERNELS = "mocap_reroot.kernels."


@cache
def remember_kernels(suffix: str) -> None:
    """Note that code is compiled, and which: once a process and kind of file.

    Args:
        suffix: The kind of file that has just been worked on; each needs kernels of its own.
    """
    remember_compiled()
    path = _path()
    if path is None:
        return
    known = _known(path)
    names = known | _used()
    if names != known:
        # A convenience, never a reason to fail.
        with suppress(Exception), complete_file(path) as draft:
            draft.write_text(json.dumps(sorted(names)), encoding="utf-8")


def load_kernels() -> int:
    """Load the kernels that a batch on this machine has used, and return how many."""
    path = _path()
    if path is None or not compiled_before():
        return 0
    loaded = 0
    for name in sorted(_known(path)):
        module, _, function = name.rpartition(".")
        kernel: Any = getattr(import_module(_KERNELS + module), function, None)
        for signature in kept_signatures(kernel):  # of None there are none
            kernel.compile(signature)
            loaded += 1
    return loaded


def _known(path: Path) -> set[str]:
    """Return the kernels that earlier processes have noted; a damaged note costs time, no more.

    Only names of kernels that there are: a note never decides what is imported.
    """
    try:
        noted = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    there = {file.stem for file in (Path(__file__).parents[1] / "kernels").glob("*.py")}
    names = map(str, noted if isinstance(noted, list) else [])
    return {name for name in names if name.count(".") == 1 and name.split(".")[0] in there}


def _used() -> set[str]:
    """Return the kernels of this process that Python has called."""
    return {
        f"{name.removeprefix(_KERNELS)}.{key}"
        for name, module in list(sys.modules.items())
        if name.startswith(_KERNELS)
        for key, value in vars(module).items()
        if not key.startswith("_")
        and getattr(value, "__module__", "") == name
        and getattr(value, "signatures", None)
    }


def _path() -> Path | None:
    mark = compiled_mark()
    return None if mark is None else mark.with_suffix(".kernels")
