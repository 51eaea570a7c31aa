"""Fresh memory behaves like ``np.empty``, whatever its size."""

from __future__ import annotations

import numpy as np
import pytest

from mocap_reroot.kernels import memory
from mocap_reroot.kernels.memory import fresh


@pytest.mark.parametrize("shape", [0, 7, (0, 4), (3, 5), (31, 4, 9000), (1 << 20) + 3])
@pytest.mark.parametrize("dtype", [np.float64, np.uint8])
@pytest.mark.parametrize("large_pages", [True, False])
def test_arrays_can_be_written_from_end_to_end(monkeypatch, shape, dtype, large_pages):
    if not large_pages:
        monkeypatch.setattr(memory, "_ADVICE", None)
    array, other = fresh(shape, dtype), fresh(shape, dtype)
    assert array.shape == np.empty(shape).shape and array.dtype == dtype
    assert array.flags.c_contiguous and array.flags.writeable and array.flags.aligned
    other[...] = 1
    array[...] = 2
    assert (array == 2).all() and (other == 1).all()


def test_kernels_see_the_same_kind_of_array():
    import numba

    small, large = fresh(8), fresh(1 << 19)
    assert numba.typeof(small) == numba.typeof(large) == numba.typeof(np.empty(8))
