"""Numbers from text and back: what Python's own float says, of usual ones to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mocap_reroot.kernels.decimal import PADDING, parse_number
from mocap_reroot.kernels.printing import WIDTH, print_rows


def parse(word: str) -> tuple[float, int, bool]:
    text = np.frombuffer(word.encode() + b"\n" * PADDING, dtype=np.uint8)
    return parse_number(text.ctypes.data, 0)


def same(word: str) -> None:
    value, end, sound = parse(word)
    if sound:
        digits = word.lower().partition("e")[0].strip("-+").replace(".", "").lstrip("0")
        usual = len(digits) <= 15 and len(word) < 20 and "e" not in word.lower()
        gap = 0 if value == float(word) else abs(value - float(word))
        assert gap <= (0 if usual else 2 * np.spacing(abs(float(word))))
        assert np.signbit(value) == (word[0] == "-")
        assert end == len(word)


@settings(max_examples=500, deadline=None)
@given(st.floats(allow_nan=False))
def test_any_double_as_python_prints_it(value):
    same(repr(value))


@settings(max_examples=500, deadline=None)
@given(st.integers(0, 10**30), st.integers(0, 40), st.sampled_from(["", "-"]))
@example(0, 0, "-")
@example(9007199254740993, 0, "")  # half way between two doubles: to even
@example(9007199254740995, 0, "")
@example(90071992547409925, 1, "")
@example(12345678, 8, "-")
@example(123456789012345678, 9, "")
def test_any_decimal(digits, decimals, sign):
    text = str(digits).rjust(decimals + 1, "0")
    point = len(text) - decimals
    same(f"{sign}{text[:point]}.{text[point:]}")
    same(f"{sign}{text[:point]}")


@pytest.mark.parametrize(
    "word", ["1.5", "-0.0", ".5", "-.25", "5.", "+3.25", "17", "1e3", "2.5E-3"]
)
def test_usual_spellings_are_understood(word):
    assert parse(word) == (float(word), len(word), True)


@pytest.mark.parametrize(
    "word", ["", ".", "-", "+", "1.2.3", "1,5", "e5", "1e", "1e+", "--1", "abc"]
)
def test_other_words_are_left_to_the_caller(word):
    assert not parse(word)[2]


@pytest.mark.parametrize("word", ["nan", "NAN", "-nan", "inf", "-inf", "Infinity"])
def test_values_that_are_not_finite(word):
    value, end, sound = parse(word)
    assert sound and end == len(word)
    np.testing.assert_array_equal(value, float(word))


@settings(deadline=None)
@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=5), st.integers(0, 9))
@example([0.0, -0.0, -1e-12, 0.05, 100.0], 6)
def test_print(values, decimals):
    text = np.empty(len(values) * WIDTH, dtype=np.uint8)
    table = np.array(values)[:, None]
    size = print_rows(table, 0, 1, np.full(len(values), decimals), text)
    line = bytes(text[:size]).decode()
    assert line.endswith("\n")
    for word, value in zip(line.split(), values, strict=True):
        rounding = 2 * np.spacing(abs(value))
        assert abs(float(word) - value) <= 0.5 * 10**-decimals + rounding
        assert not (("." in word) and word.endswith(("0", "."))) and word != "-0"


def test_print_missing_values():
    text = np.empty(3 * WIDTH, dtype=np.uint8)
    size = print_rows(np.array([[1.0], [np.nan], [np.inf]]), 0, 1, np.full(3, 3), text)
    assert bytes(text[:size]) == b"1 nan nan\n"
