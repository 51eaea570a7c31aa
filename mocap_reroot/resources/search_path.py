"""Child interpreters that import nothing from the working directory.

``python -m`` and ``python -c`` look for modules in the working directory first, and that is where
people's data lie: a ``signal.py`` there would be run.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_HOME = Path(__file__).resolve().parents[2]
"""Where this package lies."""
_one_at_a_time = threading.RLock()


@contextmanager
def nothing_from_here() -> Iterator[None]:
    """Let interpreters that start within the block import nothing from the working directory.

    That is what they inherit: the environment, and, if they come from ``multiprocessing``, the
    search path of this process and its flags.
    """
    from multiprocessing import util as module  # loaded when needed: --help does without

    util: Any = module
    with _one_at_a_time:
        settings, path, flags = _environment(), sys.path[:], util._args_from_interpreter_flags
        before = {name: os.environ.get(name) for name in settings}
        os.environ.update(settings)
        sys.path[:] = [entry for entry in path if entry]
        # An interpreter that was told to ignore its environment tells its children the same.
        util._args_from_interpreter_flags = _safe_flags
        try:
            yield
        finally:
            util._args_from_interpreter_flags = flags
            sys.path[:] = path
            for name, value in before.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value


def leave_working_directory() -> None:
    """Import nothing from the working directory from now on, nor let child processes do so.

    For a command, whose process is its own; what ``python -m`` has put first on the search path
    goes, too. A copy of this package in the working directory stays: it is what was asked for.
    """
    os.environ.update(_environment())
    sys.path[:] = [entry for entry in sys.path if not _is_here(entry)]


def _safe_flags() -> list[str]:
    import subprocess

    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    return flags if {"-P", "-I"} & set(flags) else [*flags, "-P"]


def _environment() -> dict[str, str]:
    """Return what keeps an interpreter from importing from where it starts."""
    found = {"PYTHONSAFEPATH": "1"}
    if "PYTHONPATH" in os.environ:
        entries = os.environ["PYTHONPATH"].split(os.pathsep)
        found["PYTHONPATH"] = os.pathsep.join(e for e in entries if not _is_here(e))
    return found


def _is_here(entry: str) -> bool:
    """Return whether an entry of a search path is, or depends on, the working directory."""
    if entry.startswith("__editable__"):  # no folder, but the word of an installer
        return False
    try:
        if Path.cwd().samefile(_HOME):
            return False
        return not Path(entry).is_absolute() or Path(entry).samefile(Path.cwd())
    except OSError:  # no such folder, or no working directory any more
        return not Path(entry).is_absolute()
