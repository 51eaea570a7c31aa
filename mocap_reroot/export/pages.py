"""Columns as pages of a Parquet file: which rows have a value, then the values.

Every column may have empty values, so a page begins with a level for each row, 1 where there is a
value (``Encodings.md`` of the Parquet format: RLE/bit-packing hybrid). Numbers follow as they are
in memory (PLAIN). Words are numbers of a dictionary (RLE_DICTIONARY), run by run: those of a motion
stay the same for many frames.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from mocap_reroot.export import thrift
from mocap_reroot.export.thrift import varint

BOOLEAN, INT32, INT64, FLOAT, DOUBLE, BYTE_ARRAY = 0, 1, 2, 4, 5, 6


@dataclass(frozen=True, eq=False)  # told apart by identity, which is quick
class Kind:
    """What a column holds.

    Attributes:
        arrow: The type it has for Arrow, and so for pandas and others.
        physical: The type of its values in the file.
        stored: The same for numpy; None for words.
        annotation: How values are to be understood: fields 6 and 10 of a ``SchemaElement``, if any.
    """

    arrow: pa.DataType
    physical: int
    stored: np.dtype | None
    annotation: tuple[thrift.Field, ...] = ()


class Gaps(NamedTuple):
    """Numbers of a column of which some are missing: those there are, and a byte a row, 0 or 1."""

    numbers: np.ndarray
    present: bytes


class Words(NamedTuple):
    """Words in runs: of each its number in the dictionary, −1 where empty, and its length."""

    dictionary: list[str]
    codes: list[int]
    lengths: list[int]


Held: TypeAlias = np.ndarray | Gaps | Words
"""What a column holds; in arrays of floating-point numbers, NaN is empty."""


def _integer(bits: int, signed: bool) -> Kind:
    arrow = pa.type_for_alias(f"{'' if signed else 'u'}int{bits}")
    physical, stored = (INT64, np.dtype("<i8")) if bits == 64 else (INT32, np.dtype("<i4"))
    if signed and bits >= 32:
        return Kind(arrow, physical, stored)
    converted = {8: 11, 16: 12, 32: 13, 64: 14}[bits] + 4 * signed
    sign = (2, thrift.TRUE if signed else thrift.FALSE, None)
    meaning = thrift.struct((1, thrift.BYTE, bits), sign)
    logical = thrift.struct((10, thrift.STRUCT, meaning))
    return Kind(arrow, physical, stored, ((6, thrift.I32, converted), (10, thrift.STRUCT, logical)))


_UTF8 = thrift.struct((1, thrift.STRUCT, thrift.struct()))
_WORD = Kind(pa.string(), BYTE_ARRAY, None, ((6, thrift.I32, 0), (10, thrift.STRUCT, _UTF8)))
_NUMBERS: dict[np.dtype, Kind] = {
    np.dtype("f8"): Kind(pa.float64(), DOUBLE, np.dtype("<f8")),
    np.dtype("f4"): Kind(pa.float32(), FLOAT, np.dtype("<f4")),
    np.dtype("?"): Kind(pa.bool_(), BOOLEAN, np.dtype("?")),
    **{np.dtype(f"i{n}"): _integer(8 * n, True) for n in (1, 2, 4, 8)},
    **{np.dtype(f"u{n}"): _integer(8 * n, False) for n in (1, 2, 4, 8)},
}
_OF_ARROW = {kind.arrow: (dtype, kind) for dtype, kind in _NUMBERS.items()}


def column_of(values: Any) -> tuple[Kind, Held]:
    """Return values as a column, without copying numbers; NaN and None are empty.

    Args:
        values: ``(rows)`` numpy or pandas array, or a sequence of plain values.

    Raises:
        TypeError: It holds something else than numbers, truth values or words.
    """
    if isinstance(values, np.ndarray) and values.ndim == 1:
        kind = _NUMBERS.get(values.dtype)
        if kind is not None:
            return kind, values
        if values.dtype == object and (words := _runs_of_words(values)) is not None:
            return _WORD, words
    return _by_way_of_arrow(values)


def _runs_of_words(values: np.ndarray) -> Words | None:
    """Return words in runs, or None where there are other things among them."""
    try:
        changes = np.flatnonzero(values[1:] != values[:-1]) + 1
    except TypeError:  # things that cannot be compared
        return None
    starts = [0, *changes.tolist()] if len(values) else []
    firsts = [values[start] for start in starts]
    if not all(word is None or isinstance(word, str) for word in firsts):
        return None
    dictionary = [word for word in dict.fromkeys(firsts) if word is not None]
    numbers = {None: -1} | {word: k for k, word in enumerate(dictionary)}
    lengths = [stop - start for start, stop in pairwise((*starts, len(values)))]
    return Words(dictionary, [numbers[word] for word in firsts], lengths)


def _by_way_of_arrow(values: Any) -> tuple[Kind, Held]:
    """Return what Arrow understands values to be."""
    array = pa.array(values, from_pandas=True)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if array.type in _OF_ARROW:
        dtype, kind = _OF_ARROW[array.type]
        present = array.is_valid().to_numpy(zero_copy_only=False)
        numbers = array.drop_null().to_numpy(zero_copy_only=False).astype(dtype)
        return kind, Gaps(numbers, present.tobytes())
    kind = _WORD
    if pa.types.is_null(array.type) or pa.types.is_large_string(array.type):
        array = array.cast(pa.string())
    if pa.types.is_dictionary(array.type):
        kind = _categories(array.type)
    elif pa.types.is_string(array.type):
        array = array.dictionary_encode()
    if not (pa.types.is_dictionary(array.type) and _are_words(array.dictionary.type)):
        raise TypeError(f"A table cannot hold a column of {array.type}.")
    codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    starts = np.flatnonzero(np.diff(codes, prepend=-2))
    lengths = np.diff(starts, append=len(codes)).tolist()
    return kind, Words(array.dictionary.to_pylist(), codes[starts].tolist(), lengths)


@lru_cache(maxsize=16)
def _categories(arrow: pa.DataType) -> Kind:
    """Return words that Arrow holds with their dictionary."""
    return replace(_WORD, arrow=arrow)


def _are_words(arrow: pa.DataType) -> bool:
    return pa.types.is_string(arrow) or pa.types.is_large_string(arrow)


def number_page(kind: Kind, held: np.ndarray | Gaps) -> bytes:
    """Return the content of a page of numbers or truth values."""
    if isinstance(held, Gaps):
        numbers, (levels, _) = held.numbers, _levels(held.present)
    elif held.dtype.kind == "f":
        levels, where = _levels((held == held).tobytes())  # NaN is not what it is
        numbers = held[where]
    else:
        numbers, levels = held, _every(len(held))
    if kind.physical == BOOLEAN:
        numbers = np.packbits(numbers, bitorder="little")
    elif numbers.dtype != kind.stored or not numbers.flags.c_contiguous:
        numbers = np.ascontiguousarray(numbers, kind.stored)
    return b"".join((levels, numbers.data))


def word_pages(words: Words) -> tuple[bytes, bytes]:
    """Return the contents of the page of the dictionary and of that of the words."""
    runs = list(zip(words.codes, words.lengths, strict=True))
    if -1 in words.codes:
        levels = _in_runs((int(code >= 0), n) for code, n in runs)
    else:
        levels = _every(sum(words.lengths))
    # Numbers of whole bytes: to pack them denser matters only where runs are short.
    size = 1 if len(words.dictionary) <= 1 << 8 else 2 if len(words.dictionary) <= 1 << 16 else 4
    codes = [varint(n << 1) + code.to_bytes(size, "little") for code, n in runs if code >= 0]
    content = [word.encode() for word in words.dictionary]
    dictionary = b"".join(len(word).to_bytes(4, "little") + word for word in content)
    return dictionary, b"".join((levels, bytes((8 * size,)), *codes))


@lru_cache(maxsize=16)
def _every(rows: int) -> bytes:
    """Return the levels where every row has a value."""
    return _in_runs([(1, rows)])


@lru_cache(maxsize=4)  # frames that are left out are empty in most columns of a clip
def _levels(present: bytes) -> tuple[bytes, slice | np.ndarray]:
    """Return the levels of rows, a byte each that is 1 or 0, and which of them have a value."""
    rows, first, last = len(present), present.find(1), present.rfind(1) + 1
    if first < 0:
        return _in_runs([(0, rows)]), slice(0)
    if present.find(0, first, last) < 0:
        runs = ((0, first), (1, last - first), (0, rows - last))
        return _in_runs(run for run in runs if run[1]), slice(first, last)
    where = np.frombuffer(present, bool)
    bits = np.packbits(where, bitorder="little").tobytes()
    return _after_length(varint(len(bits) << 1 | 1) + bits), where


def _in_runs(runs: Iterable[tuple[int, int]]) -> bytes:
    """Return levels given in runs: the level, and how often it comes."""
    return _after_length(b"".join(varint(n << 1) + bytes((level,)) for level, n in runs))


def _after_length(content: bytes) -> bytes:
    return len(content).to_bytes(4, "little") + content
