"""A reader in a process of its own: a crash or a hang there is an error in words here."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from mocap_reroot.errors import FileError
from mocap_reroot.resources.scratch import scratch_folder


def read_elsewhere(
    path: Path, module: str, words: Sequence[str], seconds: float, todo: str = "Export it again."
) -> dict[str, np.ndarray]:
    """Return the arrays that a module, run as a program, leaves in the file named last.

    Args:
        path: For errors.
        module: Called with the words, and with the path of an ``.npz`` file to write.
        words: Its arguments before that.
        seconds: After which it is given up.
        todo: What the user can do where it fails.

    Raises:
        FileError: It failed, or did not end in time.
    """
    with scratch_folder() as folder:
        result = Path(folder) / "result.npz"
        command = [sys.executable, "-m", module, *words, str(result)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            found = f"the reader did not finish within {seconds:g} s."
            raise FileError(path, found, todo=todo) from None
        if done.returncode or not result.exists():
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            reason = lines[-1][:200] if lines else f"it ended with code {done.returncode}"
            raise FileError(path, f"no reader could read it ({reason}).", todo=todo)
        with np.load(result, allow_pickle=False) as arrays:
            return dict(arrays)


def leave(target: str | Path, arrays: dict[str, Any]) -> None:
    """Write the arrays where the other process looks for them, whole or not at all."""
    target = Path(target)
    partial = target.with_suffix(".partial.npz")
    np.savez(partial, **arrays)
    partial.rename(target)


def limit_memory(size: int) -> None:
    """Let this process take so many bytes and no more, where the system can."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (size, size))
