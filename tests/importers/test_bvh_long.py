"""Even rows are read all at once, others one by one: the same results."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocap_reroot.importers.bvh import read_bvh
from mocap_reroot.importers.numbers import credible, parse_lines, parse_table
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
@given(st.lists(st.lists(WORDS, min_size=3, max_size=3), min_size=1, max_size=6))
def test_even_rows_are_read_as_all_others(words):
    """What NumPy's reader takes, the patient way reads too, and alike to the last bit."""
    lines = [" ".join(row).encode() for row in words]
    quick, patient = parse_table(lines, 3), parse_lines([*lines, b"1 2"], 3)[:, :-1]
    if quick is not None and len(quick) == len(lines):
        quick = credible(quick.T)
        np.testing.assert_array_equal(quick, patient)
        assert (np.signbit(quick) == np.signbit(patient)).all()
