"""Thrift's compact protocol, as far as the headers and the footer of a Parquet file need it.

A structure is its fields, each a byte with its kind and how much its number exceeds that of the
field before, then the value; a zero ends it. See ``thrift-compact-protocol.md`` of Apache Thrift.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

TRUE, FALSE, BYTE, I32, I64, BINARY, LIST, STRUCT = 1, 2, 3, 5, 6, 8, 9, 12
"""Kinds of fields."""

Field: TypeAlias = tuple[int, int, Any]
"""Number, kind, and value: an integer, text, or what the functions below return."""


def varint(number: int) -> bytes:
    """Return a number that is not negative, seven bits a byte, the lowest first."""
    if number < 0x80:
        return bytes((number,))
    if number < 0x4000:
        return bytes((number & 0x7F | 0x80, number >> 7))
    if number < 0x200000:
        return bytes((number & 0x7F | 0x80, number >> 7 & 0x7F | 0x80, number >> 14))
    return bytes((number & 0x7F | 0x80,)) + varint(number >> 7)


def integer(number: int) -> bytes:
    """Return a number of either sign; those near zero are short."""
    return varint(2 * number if number >= 0 else -2 * number - 1)


def binary(text: str | bytes) -> bytes:
    """Return text, in UTF-8, after its length."""
    content = text.encode() if isinstance(text, str) else text
    return varint(len(content)) + content


def array(kind: int, items: Sequence[bytes]) -> bytes:
    """Return a list whose items, all of one kind, are encoded already."""
    count = len(items)
    head = bytes((count << 4 | kind,)) if count < 15 else bytes((0xF0 | kind,)) + varint(count)
    return head + b"".join(items)


def fields(*given: Field, after: int = 0) -> bytes:
    """Return fields in the order of their numbers; ``after`` is the number of the one before."""
    parts = []
    for number, kind, value in given:
        parts.append(bytes(((number - after) << 4 | kind,)))
        if kind in (I32, I64):
            parts.append(integer(value))
        elif kind == BYTE:
            parts.append(value.to_bytes(1, "little", signed=True))
        elif kind == BINARY:
            parts.append(binary(value))
        elif kind in (LIST, STRUCT):
            parts.append(value)
        after = number
    return b"".join(parts)


def struct(*given: Field) -> bytes:
    """Return a whole structure."""
    return fields(*given) + b"\0"
