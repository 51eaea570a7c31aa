"""Decimal text to doubles.

Digits are found and converted eight at a time, without a branch that depends on how many there
are. A number ``w · 10^q`` is one division or product: correctly rounded where both are exact
(``w < 2^53``, 15 digits, and ``|q| ≤ 22``), off by at most one unit in the last place for up to 18
digits, by two for ``|q|`` up to 60. Everything else (nan apart) is left to the caller, who has
``float``.
"""

from __future__ import annotations

import math

import numpy as np

from mocap_reroot.kernels.compiling import inlined, kernel
from mocap_reroot.kernels.words import WORD, load_byte, load_word, trailing_zeros

PADDING = 4 * WORD
"""Bytes of white space that must follow a text: words are loaded without asking where it ends."""

_LARGEST_EXPONENT = 60
_TEN = np.array([10.0**k for k in range(_LARGEST_EXPONENT + 1)])
_U0, _U8, _U32 = np.uint64(0), np.uint64(8), np.uint64(32)
_ZEROS = np.uint64(0x3030303030303030)  # "00000000"
_ABOVE = np.uint64(0x4646464646464646)  # carries a byte above "9" into its highest bit
_HIGHEST = np.uint64(0x8080808080808080)
_PAIRS = np.uint64(0x000000FF000000FF)
_POWER = np.array([10**k for k in range(19)], dtype=np.uint64)
_ABOVE_NINE = np.uint64(0x7676767676767676)  # carries a byte above 9 into its highest bit
_BLANKS = np.uint64(0x2121212121212121)
_POINTS = np.uint64(0x2E2E2E2E2E2E2E2E)
_ONES = np.uint64(0x0101010101010101)
_MINUS = np.uint64(45)
_SIGNED_TEN = np.array([_TEN, -_TEN])


@kernel
def parse_number(text, at):
    """Read the number that starts at a byte.

    Args:
        text: Address of the text; at least ``PADDING`` bytes of white space must follow it.
        at: Index of its first byte.

    Returns:
        The value, the index behind it, and whether it was understood; if not, the caller must
        look at the word itself.
    """
    # Up to 16 bytes with a point: where it ends is found first, for the next number waits for it.
    low, high = load_word(text, at), load_word(text, at + 8)
    length = word_length(low, high)
    negative = 1 if (low & np.uint64(255)) == _MINUS else 0
    point = _point(low)
    whole, places = point - negative, length - point - 1
    if point < 8 and length < 16 and 0 <= places <= 8 and whole >= 0:
        front = _last_bytes((low >> np.uint64(8 * negative)) - _ZEROS, whole)
        back = _last_bytes(_behind(low, high, point) - _ZEROS, places)
        if (((front + _ABOVE_NINE) | front | (back + _ABOVE_NINE) | back) & _HIGHEST) == _U0:
            mantissa = _eight_digits(front) * _POWER[places] + _eight_digits(back)
            value = float(np.int64(mantissa)) / _SIGNED_TEN[negative, places]
            return value, at + length, whole + places > 0
    return _longer_number(text, at)


@inlined
def word_length(low, high):
    """Return how many of 16 bytes come before the first blank."""
    blank = (low - _BLANKS) & ~low & _HIGHEST
    rest = (high - _BLANKS) & ~high & _HIGHEST
    return (trailing_zeros(blank) + (trailing_zeros(rest) if blank == _U0 else 0)) >> 3


@inlined
def short_number(low, high, length):
    """Return the number that 16 bytes begin with if it has a point and 1 to 8 digits, else NaN.

    Args:
        low, high: The bytes.
        length: Of the number, which a blank follows.
    """
    negative = 1 if (low & np.uint64(255)) == _MINUS else 0
    point = _point(low)
    digits, places = length - 1 - negative, length - 1 - point
    value = math.nan
    if point < 8 and places >= 0 and 0 < digits <= 8:
        front = _last_bytes((low >> np.uint64(8 * negative)) - _ZEROS, point - negative)
        back = _last_bytes(_behind(low, high, point) - _ZEROS, places)
        half = np.uint64(4 * places)
        word = (front >> half >> half) | back
        if (((word + _ABOVE_NINE) | word) & _HIGHEST) == _U0:
            value = float(np.int64(_eight_digits(word))) / _SIGNED_TEN[negative, places]
    return value


@inlined
def _point(word):
    """Return the index of the first point among eight bytes; 8 if there is none."""
    points = word ^ _POINTS
    return trailing_zeros((points - _ONES) & ~points & _HIGHEST) >> 3


@inlined
def _behind(low, high, point):
    """Return the eight bytes behind byte ``point`` < 8 of 16."""
    return (low >> np.uint64(8 * point) >> _U8) | (high << np.uint64(56 - 8 * point))


@kernel
def _last_bytes(word, count):
    """Move the lowest bytes of a word to its upper end and clear the others; count ≤ 8."""
    half = np.uint64(32 - 4 * count)  # twice, for a shift by 64 is not defined
    return word << half << half


@kernel
def _longer_number(text, at):
    """Read a number with a point and up to 18 digits."""
    negative = load_byte(text, at) == 45
    i = at + (1 if negative else 0)
    word = load_word(text, i)
    whole = trailing_zeros(_no_digits(word)) >> 3
    point = i + whole
    if whole < 8 and load_byte(text, point) == 46:
        fraction, more = load_word(text, point + 1), load_word(text, point + 9)
        places = trailing_zeros(_no_digits(fraction)) >> 3
        extra = trailing_zeros(_no_digits(more)) >> 3
        if places == 8 and extra < 8 and whole + 8 + extra <= 18:
            front = _eight_digits(_last_bytes(word - _ZEROS, whole))
            back = _eight_digits(_last_bytes(more - _ZEROS, extra))
            back += _eight_digits(fraction - _ZEROS) * _POWER[extra]
            mantissa = front * _POWER[8 + extra] + back
            end = point + 9 + extra
            if load_byte(text, end) <= 32:
                value = float(np.int64(mantissa)) / _TEN[8 + extra]
                return (-value if negative else value), end, True
    return _any_number(text, at)


@kernel
def _no_digits(word):
    """Mark bytes that are no digits in their highest bit; right up to the first such byte."""
    return ((word + _ABOVE) | (word - _ZEROS)) & _HIGHEST


@kernel
def _eight_digits(word):
    """Return the number that eight bytes 0 to 9 spell, the lowest byte leading."""
    word = word * np.uint64(10) + (word >> _U8)
    even = (word & _PAIRS) * np.uint64(0x000F424000000064)
    odd = ((word >> np.uint64(16)) & _PAIRS) * np.uint64(0x0000271000000001)
    return (even + odd) >> _U32


@kernel
def _any_number(text, at):
    """Read a number byte by byte: whole ones, long ones, those with an exponent, nan and inf."""
    i = at
    negative = load_byte(text, i) == 45
    if negative or load_byte(text, i) == 43:
        i += 1
    start = i
    mantissa = np.int64(0)
    digit = load_byte(text, i) - 48
    while 0 <= digit <= 9:
        mantissa = mantissa * 10 + digit
        i += 1
        digit = load_byte(text, i) - 48
    digits = i - start
    exponent = np.int64(0)
    if load_byte(text, i) == 46:
        i += 1
        point = i
        digit = load_byte(text, i) - 48
        while 0 <= digit <= 9:
            mantissa = mantissa * 10 + digit
            i += 1
            digit = load_byte(text, i) - 48
        exponent = np.int64(point - i)
        digits += i - point
    if digits == 0:
        return _word(text, start, negative)
    if load_byte(text, i) == 101 or load_byte(text, i) == 69:
        shift, i = _exponent(text, i + 1)
        exponent += shift
    if load_byte(text, i) > 32:
        return math.nan, i, False
    sound = digits <= 18 and abs(exponent) <= _LARGEST_EXPONENT  # no overflow
    value = math.nan
    if sound and exponent < 0:
        value = float(mantissa) / _TEN[-exponent]
    elif sound:
        value = float(mantissa) * _TEN[exponent]
    return (-value if negative else value), i, sound


@kernel
def _exponent(text, at):
    """Read what follows an ``e``; the index stays before it if that is no number."""
    i = at
    negative = load_byte(text, i) == 45
    if negative or load_byte(text, i) == 43:
        i += 1
    value, start = np.int64(0), i
    while 48 <= load_byte(text, i) <= 57:
        if value < 100000:
            value = value * 10 + load_byte(text, i) - 48
        i += 1
    if i == start:
        return np.int64(0), at - 1
    return (-value if negative else value), i


@kernel
def _word(text, start, negative):
    """Read ``nan``, ``inf`` or ``infinity`` in any case; anything else is not understood."""
    i = start
    while load_byte(text, i) > 32:
        i += 1
    if i - start == 3 or i - start == 8:
        a, b, c = (
            load_byte(text, start) | 32,
            load_byte(text, start + 1) | 32,
            load_byte(text, start + 2) | 32,
        )
        if a == 110 and b == 97 and c == 110 and i - start == 3:
            return math.nan, i, True
        if (
            a == 105
            and b == 110
            and c == 102
            and (i - start == 3 or load_byte(text, i - 1) | 32 == 121)
        ):
            return (-math.inf if negative else math.inf), i, True
    return math.nan, i, False
