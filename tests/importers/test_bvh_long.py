"""Even rows are read by a kernel of their own: the same results."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocap_reroot.importers.bvh import read_bvh
from mocap_reroot.kernels.text import PADDING, STRICT, parse_even_rows, parse_rows
from tests.importers.bvh_files import HEADER, write

CHANNELS = 9


def rows_of_text(values: np.ndarray, decimals: int = 4) -> list[str]:
    return [" ".join(f"{value:.{decimals}f}" for value in row) for row in values]


def clip(rows: list[str], promised: int | None = None) -> str:
    frames = len(rows) if promised is None else promised
    return HEADER + "\n".join(["MOTION", f"Frames: {frames}", "Frame Time: 0.01", *rows, ""])


@pytest.mark.parametrize("odd", [None, 3, 700, 1399])
@pytest.mark.parametrize("line", ["", "  ", "# 1 2 3", None])
def test_values_around_an_odd_line(tmp_path, odd, line):
    """A blank line, a comment or a missing value changes nothing of the others."""
    values = np.random.default_rng(0).normal(scale=90, size=(1400, CHANNELS))
    rows = rows_of_text(values)
    if odd is not None:
        rows.insert(odd, line) if line is not None else rows.__setitem__(odd, "nan" + rows[odd][3:])
    found = read_bvh(write(tmp_path, clip(rows, len(values)))).hierarchy.values
    expected = np.array([[float(word) for word in row.split()] for row in rows_of_text(values)]).T
    kept = np.isfinite(found)
    assert kept.sum() >= kept.size - 1
    np.testing.assert_array_equal(found[kept], expected[kept])


@pytest.mark.parametrize("promised", [0, 1, 49, 51, 10**9, 10**18])
def test_promises_do_not_count(tmp_path, promised):
    values = np.random.default_rng(2).normal(size=(50, CHANNELS))
    found = read_bvh(write(tmp_path, clip(rows_of_text(values), promised)))
    assert found.hierarchy.values.shape == (CHANNELS, 50)
    np.testing.assert_allclose(found.hierarchy.values, values.T, atol=5.1e-5)
    assert f"Frames: says '{promised}'; the file has 50 rows, and these count." in found.repairs


WORDS = st.one_of(
    st.decimals(-(10**7), 10**7, places=4, allow_nan=False).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["0", "-0", "-0.0000", ".5", "-.5", "5.", "+1.5", "1e-05", "12345678.1"]),
    st.sampled_from(["", "nan", "x", ".", "-", "1.2.3", "1\t2", "1  2", "#", "1e999"]),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(WORDS, min_size=3, max_size=3), max_size=6), st.sampled_from("\n\r\t "))
def test_even_rows_are_read_as_all_others(words, end):
    """Whatever the quick kernel reads, the patient one reads too, and alike to the last bit."""
    text = "\n".join(" ".join(row) + end.strip("\n") for row in words).encode() + b"\n"
    data = np.frombuffer(bytearray(text + b"\n" * PADDING), dtype=np.uint8)
    quick, patient = np.zeros((2, 3, 8))
    at, row = parse_even_rows(data, 0, len(text), quick, 0, 8)
    state = np.array([0, 1, 0, 0, -1])
    odd = np.empty((32, 4), dtype=np.int64)
    parse_rows(data, at, STRICT, np.empty(0, dtype=np.int64), patient, odd, state)
    assert (state[0], state[2], state[3], state[4]) == (at, row, 0, -1)
    np.testing.assert_array_equal(quick[:, :row], patient[:, :row])
    assert (np.signbit(quick[:, :row]) == np.signbit(patient[:, :row])).all()
