"""Text as bytes in memory, one or eight at a time.

Functions take the address of the text instead of an array: an array handed from function to
function has its references counted, atomically, which costs more than parsing a number.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

WORD = 8
"""Bytes looked at together; a text must be followed by so many more bytes of any kind."""


def _load_byte(typing_context, text, at):
    """Return the byte ``at`` behind an address, as int64."""

    def generate(context, builder, signature, arguments):
        byte = _load(builder, arguments, 8)
        return builder.zext(byte, ir.IntType(64))

    return types.int64(types.uintp, types.int64), generate


def _load_word(typing_context, text, at):
    """Return eight bytes from ``at`` behind an address as one uint64, the first one lowest."""

    def generate(context, builder, signature, arguments):
        return _load(builder, arguments, 64)

    return types.uint64(types.uintp, types.int64), generate


def _trailing_zeros(typing_context, word):
    """Return how many of the lowest bits of a uint64 are zero; 64 for zero."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.IntType(1)(0))

    return types.int64(types.uint64), generate


def _load(builder, arguments, bits):
    kind = ir.IntType(bits)
    address = builder.add(arguments[0], arguments[1])
    return builder.load(builder.inttoptr(address, kind.as_pointer()), align=1)


# Compiled code calls them with the arguments behind the first.
load_byte: Any = intrinsic(_load_byte)
load_word: Any = intrinsic(_load_word)
trailing_zeros: Any = intrinsic(_trailing_zeros)
