"""Decimal text to doubles, correctly rounded: the exact fast path, then Eisel and Lemire's.

Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience 51 (2021). A
number ``w · 10^q`` with ``w < 2^53`` and ``|q| ≤ 22`` is one exact division or multiplication; up
to 19 digits and ``|q| ≤ 60`` need a product of 64 by 128 bits. Everything else (nan apart) is left
to the caller, who has ``float``.
"""

from __future__ import annotations

import math

import numpy as np

from mocap_reroot.kernels.compiling import kernel

_LARGEST_EXPONENT = 60
_TEN = np.array([10.0**k for k in range(23)])
_EXACT = 1 << 53


def _five(q: int) -> int:
    """Return the 128 leading bits of ``5^q``; rounded up for negative q, as the proof needs."""
    if q >= 0:
        return (5**q << 128) >> (5**q).bit_length()
    power = 5**-q
    bits = (power - 1).bit_length()
    if q >= -27:
        return (1 << (bits + 127)) // power + 1
    value = (1 << (2 * bits + 128)) // power + 1
    return value >> (value.bit_length() - 128)


_POWERS = [_five(q) for q in range(-_LARGEST_EXPONENT, _LARGEST_EXPONENT + 1)]
_FIVE_HIGH = np.array([power >> 64 for power in _POWERS], dtype=np.uint64)
_FIVE_LOW = np.array([power & (2**64 - 1) for power in _POWERS], dtype=np.uint64)

_U0, _U1, _U3 = np.uint64(0), np.uint64(1), np.uint64(3)
_U9, _U32, _U63 = np.uint64(9), np.uint64(32), np.uint64(63)
_LOW32 = np.uint64(0xFFFFFFFF)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def parse_number(text, at):
    """Read the number that starts at a byte.

    Args:
        text: ``(bytes)`` uint8; a byte ≤ 32 (white space) must follow the last number.
        at: Index of its first byte.

    Returns:
        The value, the index behind it, and whether it was understood; if not, the caller must
        look at the word itself.
    """
    i = at
    negative = text[i] == 45
    if negative or text[i] == 43:
        i += 1
    start = i
    mantissa = np.int64(0)
    digit = np.int64(text[i]) - 48
    while 0 <= digit <= 9:
        mantissa = mantissa * 10 + digit
        i += 1
        digit = np.int64(text[i]) - 48
    digits = i - start
    exponent = np.int64(0)
    if text[i] == 46:
        i += 1
        point = i
        digit = np.int64(text[i]) - 48
        while 0 <= digit <= 9:
            mantissa = mantissa * 10 + digit
            i += 1
            digit = np.int64(text[i]) - 48
        exponent = np.int64(point - i)
        digits += i - point
    if digits == 0:
        return _word(text, start, negative)
    stop = i
    if text[i] == 101 or text[i] == 69:
        shift, i = _exponent(text, i + 1)
        exponent += shift
    if text[i] > 32:
        return math.nan, i, False
    if digits > 18:  # the mantissa may have overflowed
        value, sound = _long_number(text, start, stop, exponent)
    elif mantissa <= _EXACT and -22 <= exponent <= 22:
        value, sound = float(mantissa), True
        if exponent < 0:
            value = value / _TEN[-exponent]
        elif exponent > 0:
            value = value * _TEN[exponent]
    else:
        value, sound = _rounded(np.uint64(mantissa), exponent)
    return (-value if negative else value), i, sound


@kernel
def _exponent(text, at):
    """Read what follows an ``e``; the index stays before it if that is no number."""
    i = at
    negative = text[i] == 45
    if negative or text[i] == 43:
        i += 1
    value, start = np.int64(0), i
    while 48 <= text[i] <= 57:
        if value < 100000:
            value = value * 10 + np.int64(text[i]) - 48
        i += 1
    if i == start:
        return np.int64(0), at - 1
    return (-value if negative else value), i


@kernel
def _word(text, start, negative):
    """Read ``nan``, ``inf`` or ``infinity`` in any case; anything else is not understood."""
    i = start
    while text[i] > 32:
        i += 1
    if i - start == 3 or i - start == 8:
        a, b, c = text[start] | 32, text[start + 1] | 32, text[start + 2] | 32
        if a == 110 and b == 97 and c == 110 and i - start == 3:
            return math.nan, i, True
        if a == 105 and b == 110 and c == 102 and (i - start == 3 or text[i - 1] | 32 == 121):
            return (-math.inf if negative else math.inf), i, True
    return math.nan, i, False


@kernel
def _long_number(text, start, stop, exponent):
    """Read more than 18 digits: the first 19 count if the rest cannot change the rounding."""
    mantissa, digits, dropped = _U0, 0, 0
    for i in range(start, stop):
        if text[i] == 46:
            continue
        digit = np.uint64(text[i]) - np.uint64(48)
        if digits == 0 and digit == _U0:
            continue  # a leading zero says nothing
        if digits < 19:
            mantissa = mantissa * np.uint64(10) + digit
            digits += 1
        else:
            dropped += 1
    value, sound = _rounded(mantissa, exponent + dropped)
    if dropped > 0 and sound:
        above, sound = _rounded(mantissa + _U1, exponent + dropped)
        sound = sound and above == value
    return value, sound


@kernel
def _rounded(mantissa, exponent):
    """Return ``mantissa · 10^exponent`` correctly rounded, and whether that could be done."""
    if mantissa == _U0:
        return 0.0, True
    if exponent < -_LARGEST_EXPONENT or exponent > _LARGEST_EXPONENT:
        return math.nan, False
    zeros = 0
    shifted = mantissa
    while shifted >> _U63 == _U0:
        shifted <<= _U1
        zeros += 1
    row = exponent + _LARGEST_EXPONENT
    high, low = _product(shifted, _FIVE_HIGH[row])
    if (high & np.uint64(0x1FF)) == np.uint64(0x1FF):
        carry, _ = _product(shifted, _FIVE_LOW[row])
        low += carry
        if carry > low:
            high += _U1
    if low == _ALL and (exponent < -27 or exponent > 55):
        return math.nan, False
    upper = high >> _U63
    shift = upper + _U9
    bits = high >> shift
    # Exactly half way between two doubles: round to even.
    if low <= _U1 and -4 <= exponent <= 23 and (bits & _U3) == _U1 and bits << shift == high:
        bits ^= _U1
    bits = (bits + (bits & _U1)) >> _U1
    power = ((217706 * exponent) >> 16) + 63 + np.int64(upper) - zeros
    return math.ldexp(float(bits), np.int64(power - 52)), True


@kernel
def _product(a, b):
    """Return the upper and lower 64 bits of a product."""
    a_high, a_low = a >> _U32, a & _LOW32
    b_high, b_low = b >> _U32, b & _LOW32
    low, middle = a_low * b_low, a_high * b_low
    other, high = a_low * b_high, a_high * b_high
    carry = (low >> _U32) + (middle & _LOW32) + other
    return high + (middle >> _U32) + (carry >> _U32), (carry << _U32) | (low & _LOW32)
