"""Checks shared by all types, and physical constants."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from mocap_reroot.errors import MocapRerootError

T = TypeVar("T")
STANDARD_GRAVITY = 9.80665
"""m/s², along ``-up``."""
LEAST_FORCE = 20.0
"""N: below it a plate or a foot counts as unloaded, and a centre of pressure means nothing."""


def read_only(array: Any, dtype: Any = np.float64) -> np.ndarray:
    """Return a C-contiguous array that cannot be written to (itself or a view where possible)."""
    if isinstance(array, np.ndarray):
        flags = array.flags
        if not flags.writeable and flags.c_contiguous and array.dtype == dtype and array.ndim > 0:
            return array  # as most are: nouns are made of nouns
    result = np.ascontiguousarray(array, dtype=dtype).view()
    result.flags.writeable = False
    return result


def shaped(name: str, value: Any, dtype: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return a read-only array of the given shape (−1: any length), or say what is wrong."""
    array = np.asarray(value)
    fits = array.shape == shape or (
        array.ndim == len(shape)
        and all(want in (-1, have) for want, have in zip(shape, array.shape, strict=True))
    )
    if not fits:
        raise MocapRerootError(f"{name} has shape {array.shape}; expected {shape}.")
    return read_only(array, dtype)


def check_arrays(noun: Any, dtype: Any = np.float64, **shapes: tuple[int, ...]) -> None:
    """Make attributes of a noun read-only arrays of these shapes, or say what is wrong."""
    for name, shape in shapes.items():
        value = shaped(f"{type(noun).__name__}.{name}", getattr(noun, name), dtype, shape)
        object.__setattr__(noun, name, value)


def unchecked(noun: T, **fields: Any) -> T:
    """Return a noun with some fields changed to values that are known to fit: nothing is checked.

    For those of which there are many, such as the trees of short phases.
    """
    made = object.__new__(type(noun))
    own = {name: getattr(noun, name) for name in noun.__dataclass_fields__}  # type: ignore[attr-defined]
    vars(made).update(own | fields)
    return made


def default(value: Any, otherwise: Any) -> Any:
    """Return the value, or what stands in for None."""
    return otherwise if value is None else value
