"""A reader in a process of its own: a crash or a hang there is an error in words here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mocap_reroot.errors import FileError, quoted
from mocap_reroot.resources.processes import TookTooLongError, run_bounded
from mocap_reroot.resources.scratch import scratch_folder


def read_elsewhere(
    path: Path,
    module: str,
    words: Sequence[str],
    seconds: float,
    megabytes: float,
    todo: str = "Export it again.",
) -> dict[str, np.ndarray]:
    """Return the arrays that a module, run as a program, leaves in the file named last.

    Args:
        path: For errors.
        module: Begins with :func:`~mocap_reroot.resources.processes.bounded_arguments`, which gives
            the words and the path of an ``.npz`` file to write.
        words: Its arguments before that.
        seconds: After which it is given up.
        megabytes: Memory that it may take beside its libraries.
        todo: What the user can do where it fails.

    Raises:
        FileError: It failed, or did not end in time.
    """
    with scratch_folder() as folder:
        result = folder / "result.npz"
        try:
            code, reason = run_bounded(
                module, *words, str(result), megabytes=megabytes, seconds=seconds
            )
        except TookTooLongError:
            found = f"the reader did not finish within {seconds:.0f} s."
            raise FileError(path, found, todo=todo) from None
        if code or not result.exists():
            reason = quoted(reason) or f"it ended with code {code}"
            raise FileError(path, f"no reader could read it ({reason}).", todo=todo)
        with np.load(result, allow_pickle=False) as arrays:
            return dict(arrays)


def leave(target: str | Path, arrays: dict[str, Any]) -> None:
    """Write the arrays where the other process looks for them, whole or not at all."""
    target = Path(target)
    partial = target.with_suffix(".partial.npz")
    np.savez(partial, **arrays)
    partial.rename(target)
