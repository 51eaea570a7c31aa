"""The one ``@kernel`` decorator: every Numba option and the cache directory are decided here.

Numba's cache looks only at the file a function stands in; an edit in a file it calls goes
unnoticed. So the cache directory is keyed by the text of the file *and* of every kernel file it
imports. Of several processes that need a kernel one compiles it, and the others wait: its lock is
held while it is compiled and with it those that it calls; these call no kernel above them, so
nobody waits in a circle. Locks are the system's and end with their process, however that ends.
"""

from __future__ import annotations

import errno
import gc
import hashlib
import logging
import os
import re
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, TypeVar

import numba
from numba.core.compiler_lock import global_compiler_lock

LANES = 128
"""Frames per block: large enough for SIMD, small enough that a whole tree stays in the cache."""

# fastmath without "nnan" and "ninf": NaN marks missing frames and must survive. And without
# "reassoc" and "contract": a function that several kernels call is compiled into each, and which of
# these copies runs depends on whether code was compiled just now or came from the cache. They must
# not add in different orders, nor round differently. In the files below, whose steps are compiled
# into one kernel, a product and a sum may be contracted; they are what a clip spends its time in.
_FASTMATH = {"nsz", "arcp", "afn"}
_CONTRACTED = {"newton_euler", "reroot", "rooted", "ground_qp"}
_HERE = Path(__file__).parent
_IMPORT = re.compile(r"^from mocap_reroot\.kernels(?:\.(\w+))? import (.+)$", re.M)

_LINKS = 200
"""Steps on the way to a folder, after which links are taken to go in a circle."""
_log = logging.getLogger(__name__)

F = TypeVar("F", bound=Callable[..., Any])


def inlined(function: F) -> F:
    """Compile a small function into every kernel that calls it, however large it looks."""
    compiled: Any = numba.njit(inline="always")(function)
    return compiled


def kernel(function: F) -> F:
    """Compile a function on arrays for speed, cached on disk, releasing the GIL.

    One whose name begins with an underscore can only be called by other kernels: without a way in
    from Python it compiles sooner.
    """
    module = Path(function.__code__.co_filename).stem
    directory = _cache_directory(module)
    fastmath = _FASTMATH | {"contract"} if module in _CONTRACTED else _FASTMATH
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
    options |= {"no_cfunc_wrapper": True, "no_cpython_wrapper": function.__name__.startswith("_")}
    settings: Any = numba.config
    before = settings.CACHE_DIR
    try:
        # Read by Numba while it decorates, so each kernel file can have a directory of its own.
        settings.CACHE_DIR = directory or ""
        compiled = numba.njit(cache=directory is not None, **options)(function)
    finally:
        settings.CACHE_DIR = before
    if directory is not None:
        _forgive(compiled._cache)
        _compile_under(compiled, Path(directory, f"{function.__name__}.lock"))
    return compiled


def kept_signatures(compiled: Any) -> list[Any]:
    """Return the signatures for which a kernel's code is in the cache, for this processor.

    Numba's own index knows them; whatever is wrong with it, nothing is kept then.
    """
    try:
        here = compiled.targetctx.codegen().magic_tuple()
        index = compiled._cache._cache_file._load_index()
        return [signature for signature, machine, _ in index if machine == here]
    except Exception:  # no cache, a damaged one, or another Numba's
        return []


def _forgive(store: Any) -> None:
    """Let a cache that is damaged, full or gone cost time and nothing else.

    Numba reads and writes its files without a net: half a file would end the program.
    """
    load, save = store.load_overload, store.save_overload

    def loaded(*arguments: Any) -> Any:
        try:
            return load(*arguments)
        except Exception:  # whatever a damaged file makes of itself
            with suppress(Exception):
                store.flush()
            return None

    def saved(*arguments: Any) -> None:
        with suppress(Exception):
            save(*arguments)

    store.load_overload, store.save_overload = loaded, saved


@cache
def cache_home() -> Path | None:
    """Return the first directory in which compiled code can be kept, or None."""
    named = os.environ.get("MOCAP_REROOT_CACHE_DIR")
    for candidate in [Path(named)] if named else _default_homes():
        try:
            candidate.mkdir(mode=0o700, parents=True, exist_ok=True)
            home = candidate.resolve()
            if fault := _fault(candidate):
                _log.log(
                    logging.WARNING if named else logging.INFO,
                    "%s is not used for compiled code, which is run as it is found: %s.",
                    candidate, fault,
                )  # fmt: skip
                continue
            with tempfile.TemporaryFile(dir=home):
                return home
        except (OSError, RuntimeError):  # cannot be made or written to; links in a circle
            continue
    return None


def _fault(folder: Path) -> str:
    """Return why somebody else could put code into a folder, or nothing if nobody can.

    The folder itself must be this user's and writable by nobody else; no folder or link on the way
    to it may be such that others could lead the way elsewhere.
    """
    if not hasattr(os, "getuid"):
        return ""
    steps = _steps(folder.absolute())
    for place, found in steps:
        if found.st_uid not in (0, os.getuid()):
            return f"{place} belongs to another user"
        if stat.S_ISLNK(found.st_mode):
            continue
        shared = found.st_mode & 0o022
        kept_apart = found.st_mode & stat.S_ISVTX and place != steps[-1][0]  # as in /tmp
        if shared and not kept_apart:
            return f"others may write to {place} (chmod go-w)"
    if steps[-1][1].st_uid != os.getuid():
        return f"{steps[-1][0]} belongs to another user"
    return ""


def _steps(folder: Path) -> list[tuple[Path, os.stat_result]]:
    """Return every folder and link on the way to a folder, each looked at by its own handle."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    steps, ahead, at = [], list(reversed(folder.parts[1:])), Path(folder.anchor)
    handle = os.open(at, flags)
    try:
        steps.append((at, os.fstat(handle)))
        while ahead:
            name = ahead.pop()
            if name == "..":
                at, name = at.parent, ".."
            else:
                at = at / name
            found = os.stat(name, dir_fd=handle, follow_symlinks=False)
            if stat.S_ISLNK(found.st_mode):
                steps.append((at, found))
                if len(steps) > _LINKS:
                    raise OSError(errno.ELOOP, "too many links", str(folder))
                target = Path(os.readlink(name, dir_fd=handle))
                ahead += reversed(target.parts[1:] if target.is_absolute() else target.parts)
                at = Path(target.anchor) if target.is_absolute() else at.parent
                below = os.open(at if target.is_absolute() else ".", flags, dir_fd=handle)
            else:
                below = os.open(name, flags, dir_fd=handle)
                steps.append((at, os.fstat(below)))
            os.close(handle)
            handle = below
    finally:
        os.close(handle)
    return steps


def compiled_mark(kind: str) -> Path | None:
    """Return the file that says that a kind of work is compiled; None where none can be kept.

    It is named after the kernels' text and whoever compiles it.
    """
    home = cache_home()
    return None if home is None else home / f"compiled-{_everything()}-{kind}"


@cache
def _everything() -> str:
    """Hash the text of all kernel files."""
    digest = hashlib.sha256(f"numba {numba.__version__}".encode())
    for path in sorted(_HERE.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _default_homes() -> list[Path]:
    homes = []
    try:
        home = Path.home()
        if sys.platform == "win32":
            homes.append(Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local")))
        elif sys.platform == "darwin":
            homes.append(home / "Library" / "Caches")
        else:
            homes.append(Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache"))
    except RuntimeError:  # no home directory
        homes = []
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    homes.append(Path(tempfile.gettempdir()) / f"cache-{user}")
    return [home / "mocap_reroot" for home in homes]


@cache
def _cache_directory(module: str) -> str | None:
    home = cache_home()
    if home is None:
        return None
    folder = home / f"{module}-{_fingerprint(module)}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        with os.scandir(folder) as entries:
            inside = [entry.stat(follow_symlinks=False) for entry in entries]
        return str(folder) if _is_private(folder.lstat(), inside) else None
    except OSError:
        return None


def _is_private(folder: os.stat_result, inside: list[os.stat_result]) -> bool:
    """Return whether a folder in the cache, and what is in it, is of this user's making alone.

    What is in it may have been put there when others still could.
    """
    if not hasattr(os, "getuid"):
        return True
    closed = not folder.st_mode & 0o077
    ours = all(found.st_uid == os.getuid() for found in (folder, *inside))
    shared = folder.st_mode & 0o022 or any(found.st_mode & 0o022 for found in inside)
    return stat.S_ISDIR(folder.st_mode) and ours and (closed or not shared)


@cache
def _fingerprint(module: str) -> str:
    """Hash the text of a kernel file and of all kernel files below it."""
    digest = hashlib.sha256(f"numba {numba.__version__}".encode())
    for name in sorted(_needs(module)):
        digest.update((_HERE / f"{name}.py").read_bytes())
    return digest.hexdigest()[:16]


@cache
def _needs(module: str) -> frozenset[str]:
    path = _HERE / f"{module}.py"
    if not path.exists():  # a kernel defined in a test
        return frozenset()
    found = {module}
    for submodule, names in _IMPORT.findall(path.read_text(encoding="utf-8")):
        below = (
            [submodule] if submodule else [n.strip(" ()").split(" ")[0] for n in names.split(",")]
        )
        for name in below:
            if name and name not in found:
                found |= _needs(name)
    return frozenset(found)


try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PATIENCE = 120.0
"""s after which a kernel is compiled anyway: who holds it may have been suspended."""
_POLL = 0.02


def _compile_under(compiled: Any, lock: Path) -> None:
    """Make a kernel wait, before it is compiled, for a process that is compiling it.

    Args:
        compiled: Numba's dispatcher.
        lock: File of this kernel.
    """
    compile_now = compiled.compile

    def under_lock(signature: Any) -> Any:
        if signature in compiled.overloads or signature in kept_signatures(compiled):
            return compile_now(signature)
        # Numba's own lock first: a thread that waits for another process must not hold up one
        # that it waits for.
        with global_compiler_lock, _held(lock), _nothing_collected():
            return compile_now(signature)  # which looks into the cache again

    compiled.compile = under_lock


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Keep Python from looking for garbage: the many objects of a compilation are all in use."""
    collected = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collected:
            gc.enable()


@contextmanager
def _held(lock: Path) -> Iterator[None]:
    """Hold a lock, or go on without where there are none or it takes too long."""
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        file = lock.open("w")
    except OSError:
        yield
        return
    with file:
        _wait(file)
        yield


def _wait(file: IO[str]) -> None:
    until = time.monotonic() + PATIENCE
    while fcntl is not None and time.monotonic() < until:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(_POLL)
        except OSError:  # a file system without locks
            return
