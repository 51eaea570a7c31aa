"""Numbers to text: what Python's own float reads from it."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mocap_reroot.kernels.printing import WIDTH, print_rows


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
