"""Kernels compiled before their first use, in as many processes as there are cores.

``signatures.json`` says which kernels Python calls, by kind of work, and for which arguments, those
that take longest first; ``python -m benchmarks.first_use --record`` writes it. A list that is out
of date costs time and nothing else: a kernel that it lacks is compiled when it is called.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from numba import types

from mocap_reroot.kernels.compiling import cache_home, compiled_mark, kept_signatures

BVH, MARKERS, OTHER = "bvh", "markers", "other"
KINDS = (BVH, MARKERS, OTHER)
"""Of work: a run from BVH or another hierarchy, one from markers, what few options need."""
SIGNATURES = Path(__file__).with_name("signatures.json")
_KERNELS = "mocap_reroot.kernels."

Entry = tuple[str, Any]
"""A kernel, ``"module.function"``, and its arguments as written in the list."""


def kinds_of(paths: Iterable[Path]) -> tuple[str, ...]:
    """Return the kinds of work that files are."""
    marked = (".c3d", ".trc")
    return tuple(sorted({MARKERS if path.suffix.lower() in marked else BVH for path in paths}))


def pending(kinds: Iterable[str] = KINDS) -> list[Entry]:
    """Return what is not compiled yet; nothing where it could not be kept."""
    marks = {kind: compiled_mark(kind) for kind in kinds}
    wanted = [kind for kind, mark in marks.items() if mark is not None and not mark.exists()]
    if not wanted:
        return []
    return [entry for entry in _listed(wanted) if not _is_kept(entry)]


def compile_ahead(
    entries: list[Entry], kinds: Iterable[str], jobs: int, tell: Callable[[], None]
) -> int:
    """Compile, and remember that these kinds of work are compiled.

    Args:
        entries: What to compile.
        kinds: What is then compiled.
        jobs: Processes.
        tell: Called after every kernel.

    Returns:
        How many could be compiled.
    """
    done = 0
    if entries and jobs > 1:
        # Forked, where that is safe, they need not load Numba again.
        how = "fork" if sys.platform == "linux" else "spawn"
        context = multiprocessing.get_context(how)
        with suppress(BrokenProcessPool), ProcessPoolExecutor(jobs, context) as pool:
            for compiled in as_completed([pool.submit(_compile, entry) for entry in entries]):
                done += compiled.result()
                tell()
    else:
        for entry in entries:
            done += _compile(entry)
            tell()
    for kind in kinds:
        mark = compiled_mark(kind)
        if mark is not None:
            with suppress(OSError):
                mark.touch()
    return done


def load_kernels() -> int:
    """Load what is compiled, for processes that are forked from this one; return how much."""
    loaded = 0
    if cache_home() is None or not any(compiled_mark(kind).exists() for kind in KINDS):  # type: ignore[union-attr]
        return loaded
    for name, _ in _listed(KINDS):
        compiled = _kernel(name)
        for signature in kept_signatures(compiled):  # of None there are none
            compiled.compile(signature)
            loaded += 1
    return loaded


def _listed(kinds: Iterable[str]) -> list[Entry]:
    """Return the kernels of some kinds of work, each once."""
    content = json.loads(SIGNATURES.read_text(encoding="utf-8"))
    found = {json.dumps(entry): entry for kind in kinds for entry in content.get(kind, ())}
    return [(name, arguments) for name, arguments, _ in sorted(found.values(), key=lambda e: -e[2])]


def _kernel(name: str) -> Any:
    """Return a kernel by its name; None if there is none of that name any more."""
    module, _, function = name.partition(".")
    try:
        return getattr(import_module(_KERNELS + module), function, None)
    except ImportError:
        return None


def _is_kept(entry: Entry) -> bool:
    name, arguments = entry
    compiled = _kernel(name)
    return compiled is None or decoded(arguments) in kept_signatures(compiled)


def _compile(entry: Entry) -> bool:
    name, arguments = entry
    try:
        _kernel(name).compile(decoded(arguments))
    except Exception:  # its arguments have changed: it is compiled when it is called
        return False
    return True


def encoded(kind: Any) -> Any:
    """Return a type of Numba, or a tuple of them, as JSON."""
    if isinstance(kind, tuple):
        return [encoded(member) for member in kind]
    if isinstance(kind, types.NamedTuple):
        home = kind.instance_class.__module__.removeprefix(_KERNELS)
        return {f"{home}.{kind.instance_class.__name__}": encoded(kind.types)}
    if isinstance(kind, types.BaseAnonymousTuple):
        return {"": encoded(tuple(kind))}  # type: ignore[arg-type]
    if isinstance(kind, types.Array):
        return f"{kind.dtype} {kind.ndim} {kind.layout}" + ("" if kind.mutable else " readonly")
    return str(kind)


def decoded(kind: Any) -> Any:
    """Return the type of Numba that JSON stands for, or a tuple of them."""
    if isinstance(kind, list):
        return tuple(map(decoded, kind))
    if isinstance(kind, dict):
        ((name, members),) = kind.items()
        if name:
            return types.NamedTuple(decoded(members), _kernel(name))
        return types.BaseTuple.from_types(decoded(members))
    word, *array = kind.split()
    if not array:
        return getattr(types, word)
    return types.Array(getattr(types, word), int(array[0]), array[1], readonly=len(array) > 2)
