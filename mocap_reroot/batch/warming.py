"""Compiled code for workers: loaded once in the server they are forked from.

Numba keeps compiled code on disk, but every process that uses it loads it again, half a second in
all. A worker notes which kernels it has used, and for which types; the server of the next batch
loads these, and all its workers have them from the start.
"""

from __future__ import annotations

import pickle
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from mocap_reroot.export.folders import complete_file
from mocap_reroot.kernels.compiling import compiled_before, compiled_mark, remember_compiled

_KERNELS = "mocap_reroot.kernels."

Signatures = dict[tuple[str, str], list[Any]]
"""Numba signatures by module and function."""


@cache
def remember_kernels(suffix: str) -> None:
    """Note that code is compiled, and which: once a process and kind of file.

    Args:
        suffix: The kind of file that has just been worked on; each needs kernels of its own.
    """
    remember_compiled()
    path, used = _path(), _used()
    if path is None:
        return
    known = _known(path)
    missing = {key for key in used if set(map(str, used[key])) - set(map(str, known.get(key, ())))}
    if missing:
        # A convenience, never a reason to fail.
        with suppress(Exception), complete_file(path) as draft:
            draft.write_bytes(pickle.dumps(known | used))


def load_kernels() -> int:
    """Load the kernels that a batch on this machine has used, and return how many."""
    path = _path()
    if path is None or not compiled_before():
        return 0
    loaded = 0
    for (module, name), signatures in _known(path).items():
        kernel = getattr(import_module(module), name)
        for signature in signatures:
            kernel.compile(signature)
            loaded += 1
    return loaded


def _known(path: Path) -> Signatures:
    """Return what an earlier process has noted; a damaged note costs time, nothing else."""
    try:
        return pickle.loads(path.read_bytes())
    except Exception:
        return {}


def _used() -> Signatures:
    """Return the kernels of this process that have been called."""
    found: Signatures = {}
    for name, module in list(sys.modules.items()):
        if name.startswith(_KERNELS):
            for key, value in vars(module).items():
                if getattr(value, "__module__", "") == name and getattr(value, "signatures", None):
                    found[name, key] = list(value.signatures)
    return found


def _path() -> Path | None:
    mark = compiled_mark()
    return None if mark is None else mark.with_suffix(".kernels")
