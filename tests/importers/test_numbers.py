"""Lines of numbers: what the compiled parser reads, what it leaves, and lines that are no rows."""

import numpy as np
import pytest

from mocap_reroot.importers.numbers import parse_lines


@pytest.mark.parametrize("others", [[], [b""], [b"# 1 2 3"], [b"// 1"]], ids=repr)
def test_every_line_has_its_column(others: list[bytes]) -> None:
    lines = [b"1 2 3", b" -1.5e-3\t+2. .5 ", b"1 2", b"1 2 3 4", b"a 2 3", b"1e400 2 1e10", *others]
    nan = np.nan
    expected = [[1, 2, 3], [-1.5e-3, 2, 0.5], [nan] * 3, [nan] * 3, [nan, 2, 3], [nan, 2, nan]]
    expected += [[nan] * 3] * len(others)
    np.testing.assert_array_equal(parse_lines(lines, 3).T, expected)


def test_as_many_odd_words_as_there_are(others: int = 3000) -> None:
    values = parse_lines([b"x 1"] * others, 2)
    assert values.shape == (2, others)
    assert np.isnan(values[0]).all() and (values[1] == 1).all()
