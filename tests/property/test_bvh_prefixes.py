"""A BVH file cut off anywhere gives a motion with a repair note, or one error of our family.

Never a hang, never a traceback of another kind, never a frame that the whole file does not have.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import mocap_reroot as mr
from mocap_reroot.importers.bvh import read_bvh
from tests.importers.bvh_files import PLAIN, chain, write

WRAPPED = PLAIN.replace(" 1.5", "\n1.5").replace(" 1.6", "\n1.6").replace(" 1.7", "\n1.7")
VALID = {
    "plain": PLAIN.encode(),
    "CRLF": PLAIN.replace("\n", "\r\n").encode(),
    "deep": chain(30, 5).encode(),
    "wrapped": WRAPPED.encode(),
}


def check_prefix(folder: Path, whole: bytes, stop: int) -> None:
    values = read_bvh(write(folder, whole)).hierarchy.values
    path = write(folder, whole[:stop])
    began = time.process_time()
    try:
        motion = mr.read(path, unit="cm", up="y")
    except mr.MocapRerootError as error:
        assert str(error).startswith(str(path))
        assert time.process_time() - began < 1
        return
    assert time.process_time() - began < 1
    complete = whole[:stop].rstrip() == whole.rstrip() and whole[:stop].endswith((b"\n", b"\r"))
    assert motion.source.repairs or complete
    found = read_bvh(path).hierarchy.values
    assert found.shape[1] == motion.n_frames <= values.shape[1]
    if found.shape[1]:
        # Only the very last number of a file without a line break may have lost digits.
        last = found.shape[1] - 1
        np.testing.assert_array_equal(found[:, :last], values[:, :last])
        np.testing.assert_array_equal(found[:-1, last], values[:-1, last])
        if motion.n_frames < values.shape[1]:
            assert found[-1, last] == values[-1, last]


@pytest.fixture(scope="module", autouse=True)
def compiled(tmp_path_factory):
    """Compile before the clock runs."""
    mr.read(write(tmp_path_factory.mktemp("warm"), PLAIN), unit="cm", up="y")
    mr.read(write(tmp_path_factory.mktemp("warm"), WRAPPED), unit="cm", up="y")


@pytest.mark.parametrize("name", VALID)
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(share=st.floats(0, 1))
@example(share=1.0)
def test_any_prefix(tmp_path, name, share):
    whole = VALID[name]
    check_prefix(tmp_path, whole, round(share * len(whole)))


def test_every_prefix_of_the_motion_part(tmp_path):
    whole = VALID["plain"]
    for stop in range(whole.index(b"MOTION") - 4, len(whole) + 1):
        check_prefix(tmp_path, whole, stop)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    rubbish=st.binary(max_size=40), at=st.integers(0, len(PLAIN)), gone=st.integers(0, 60)
)  # fmt: skip
@example(rubbish=b"+", at=250, gone=0)  # "+Frames: 3" is no row of two numbers
@example(rubbish=b"1", at=250, gone=0)
@example(rubbish=b"\0", at=256, gone=0)  # nor is what is left of a damaged line a row of one
def test_rubbish_anywhere(tmp_path, rubbish, at, gone):
    whole = PLAIN.encode()
    path = write(tmp_path, whole[:at] + rubbish + whole[at + gone :])
    began = time.process_time()
    try:
        motion = mr.read(path, unit="cm", up="y")
    except mr.MocapRerootError as error:
        assert str(error).startswith(str(path))
    else:
        assert motion.n_frames <= 3 + rubbish.count(b"\n") + rubbish.count(b"\r")
    assert time.process_time() - began < 1
