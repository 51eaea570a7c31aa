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


def test_memory_is_used_again_only_when_nobody_holds_it():
    memory._waiting.clear()  # what other tests have left would serve as well
    one = fresh(1 << 18)
    address = one.ctypes.data
    part = one[7:9]
    part[:] = 3.0
    del one
    other = fresh(1 << 18)
    assert other.ctypes.data != address or memory._ADVICE is None
    other[...] = 5.0
    assert (part == 3.0).all()
    del part
    again = fresh(1 << 18)
    assert again.ctypes.data == address or memory._ADVICE is None
    again[...] = 7.0
    assert (other == 5.0).all()


def test_only_so_much_memory_is_kept():
    for size in (1 << 23, 1 << 24, 1 << 25, 1 << 26, 1 << 27):
        fresh(size, np.uint8)[:] = 1
    kept = sum(block.size for block in memory._waiting)
    assert kept <= memory._KEPT
    assert all(block.size <= memory._KEPT for block in memory._waiting)


def test_threads_never_share_a_block():
    from concurrent.futures import ThreadPoolExecutor

    def fill(value: int) -> bool:
        sound = True
        for _ in range(50):
            array = fresh((3, 1 << 17))
            array[...] = value
            sound = sound and bool((array == value).all())
        return sound

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(fill, range(8)))
