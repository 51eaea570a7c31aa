"""Parquet files: pages of columns, row group after row group, and a footer that says where.

Follows ``README.md`` and ``parquet.thrift`` of the Parquet format; numbers below are those of its
structures and their fields. Every column of a row group is one page (data page v1, which every
reader knows), compressed with Snappy where that pays. For files with the same columns all but
sizes and places is made once.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa

from mocap_reroot.export import thrift
from mocap_reroot.export.pages import BYTE_ARRAY, Held, Kind, Words, number_page, word_pages
from mocap_reroot.export.thrift import BINARY, I32, I64, LIST, STRUCT, integer
from mocap_reroot.version import __version__

_MAGIC = b"PAR1"
_OPTIONAL = 1
_PLAIN, _RLE, _RLE_DICTIONARY = 0, 3, 8
_UNCOMPRESSED, _SNAPPY = 0, 1
_WORTH = 0.9
"""Share of its size that compression must bring a column down to."""
_BUFFER = 1 << 18
"""Bytes that go to the disk at once."""

# Bytes that announce a field: how far its number is from the one before, and its kind.
_NEXT_I32, _NEXT_I64, _AFTER_NEXT_I64 = (
    bytes((n << 4 | k,)) for n, k in ((1, I32), (1, I64), (2, I64))
)
_DATA_PAGE = thrift.fields((1, I32, 0)) + _NEXT_I32
_DICTIONARY_PAGE = thrift.fields((1, I32, 2)) + _NEXT_I32

_size = lru_cache(maxsize=1024)(integer)  # most pages of a table are of the same size
_compress = pa.Codec("snappy").compress


class Layout:
    """What files with the same columns have in common: all but sizes, places and the values.

    Attributes:
        kinds: What the columns hold.
        chunks: For every column its ``ColumnChunk`` up to the codec, uncompressed and Snappy.
        head, tail: ``FileMetaData`` before the number of rows, and after the row groups.
    """

    def __init__(self, schema: pa.Schema, kinds: Sequence[Kind]) -> None:
        self.kinds = tuple(kinds)
        pairs = list(zip(schema.names, kinds, strict=True))
        self.chunks = [(_chunk(n, k, _UNCOMPRESSED), _chunk(n, k, _SNAPPY)) for n, k in pairs]
        root = thrift.struct((3, I32, 0), (4, BINARY, "schema"), (5, I32, len(pairs)))
        elements = [root, *(_element(name, kind) for name, kind in pairs)]
        self.head = thrift.fields((1, I32, 2), (2, LIST, thrift.array(STRUCT, elements)))
        # Where Arrow keeps what Parquet has no words for: metadata of columns, exact types.
        arrow = base64.b64encode(schema.serialize().to_pybytes())
        entry = thrift.struct((1, BINARY, "ARROW:schema"), (2, BINARY, arrow))
        self.tail = thrift.fields(
            (5, LIST, thrift.array(STRUCT, [entry])),
            (6, BINARY, f"mocap_reroot version {__version__}"),
            after=4,
        )


def _element(name: str, kind: Kind) -> bytes:
    """Return the ``SchemaElement`` of a column."""
    about = ((1, I32, kind.physical), (3, I32, _OPTIONAL), (4, BINARY, name))
    return thrift.struct(*about, *kind.annotation)


def _chunk(name: str, kind: Kind, codec: int) -> bytes:
    """Return a ``ColumnChunk`` up to the fourth field of its ``ColumnMetaData``."""
    words = kind.physical == BYTE_ARRAY
    encodings = [integer(e) for e in (_PLAIN, _RLE, _RLE_DICTIONARY)[: 3 if words else 2]]
    about = thrift.fields(
        (1, I32, kind.physical),
        (2, LIST, thrift.array(I32, encodings)),
        (3, LIST, thrift.array(BINARY, [thrift.binary(name)])),
        (4, I32, codec),
    )
    return thrift.fields((2, I64, 0), (3, STRUCT, about))


class ParquetWriter:
    """Writes one file, which is whole when the ``with`` statement ends without an error.

    Args:
        path: File to write.
        layout: Its columns.
    """

    def __init__(self, path: Path, layout: Layout) -> None:
        self._layout = layout
        self._groups: list[bytes] = []
        self._rows = 0
        self._file = path.open("wb", buffering=_BUFFER)
        self._place = self._file.write(_MAGIC)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._file:
            if kind is None:
                self._write_footer()

    def write_group(self, columns: Iterable[tuple[Kind, Held]], rows: int) -> None:
        """Write some rows: all columns, in order."""
        start, whole, chunks = self._place, 0, []
        count = thrift.fields((5, I64, rows), after=4) + _NEXT_I64
        numbers, words = _data_page(rows, _PLAIN), _data_page(rows, _RLE_DICTIONARY)
        for beginnings, (kind, held) in zip(self._layout.chunks, columns, strict=True):
            first, more = self._place, b""
            if isinstance(held, Words):
                pages = word_pages(held)
                codec, (dictionary, data) = _compressed(*pages)
                end = _dictionary_page(len(held.dictionary))
                saved = self._write_page(_DICTIONARY_PAGE, len(pages[0]), dictionary, end)
                at = self._place
                saved += self._write_page(_DATA_PAGE, len(pages[1]), data, words)
                more = _AFTER_NEXT_I64 + integer(first)
            else:
                at, page = first, number_page(kind, held)
                codec, (data,) = _compressed(page)
                saved = self._write_page(_DATA_PAGE, len(page), data, numbers)
            stored = self._place - first
            whole += stored + saved
            sizes = (count, _size(stored + saved), _NEXT_I64, _size(stored))
            place = (_AFTER_NEXT_I64, integer(at), more, b"\0\0")
            chunks.append(b"".join((beginnings[codec], *sizes, *place)))
        self._rows += rows
        group = (
            (1, LIST, thrift.array(STRUCT, chunks)),
            (2, I64, whole),
            (3, I64, rows),
            (5, I64, start),
            (6, I64, self._place - start),
        )
        self._groups.append(thrift.struct(*group))

    def _write_page(self, head: bytes, size: int, content: bytes, end: bytes) -> int:
        """Write a ``PageHeader`` and its page, and return what compression has saved.

        Args:
            head, end: The header before and after the sizes.
            size: That of the content before it was compressed.
            content: The page.
        """
        stored = len(content)
        header = b"".join((head, _size(size), _NEXT_I32, _size(stored), end))
        self._file.write(header)
        self._file.write(content)
        self._place += len(header) + stored
        return size - stored

    def _write_footer(self) -> None:
        """Write ``FileMetaData``, its length and the end of the file."""
        rows = thrift.fields((3, I64, self._rows), after=2)
        groups = thrift.fields((4, LIST, thrift.array(STRUCT, self._groups)), after=3)
        footer = b"".join((self._layout.head, rows, groups, self._layout.tail, b"\0"))
        self._file.write(footer + len(footer).to_bytes(4, "little") + _MAGIC)


def _compressed(*pages: bytes) -> tuple[int, Sequence[bytes]]:
    """Return how the pages of a column are compressed, if it pays, and what they are then."""
    smaller = [_compress(page, asbytes=True) for page in pages]
    if sum(map(len, smaller)) > _WORTH * sum(map(len, pages)):
        return _UNCOMPRESSED, pages
    return _SNAPPY, smaller


def _data_page(rows: int, encoding: int) -> bytes:
    """Return the ``PageHeader`` of a data page after the sizes."""
    levels = ((3, I32, _RLE), (4, I32, _RLE))
    about = thrift.struct((1, I32, rows), (2, I32, encoding), *levels)
    return thrift.fields((5, STRUCT, about), after=3) + b"\0"


def _dictionary_page(n_words: int) -> bytes:
    """Return the ``PageHeader`` of a dictionary after the sizes."""
    about = thrift.struct((1, I32, n_words), (2, I32, _PLAIN))
    return thrift.fields((7, STRUCT, about), after=3) + b"\0"
