"""Mutated files of every kind: a fixed budget of what ``make fuzz`` does for hours."""

import re
import warnings
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.campaign import mutated, suffix
from tests.fuzz.oracle import outcome

BUDGET = {"bvh": 25, "c3d": 14, "trc": 20, "walk_trc": 8, "mot": 8, "walk_mot": 12, "toml": 120}
BUDGET |= {"amc": 25, "asf": 25, "mvnx": 25, "npz": 40, "glb": 30, "fbx": 12}


@pytest.mark.parametrize("kind", BUDGET)
def test_every_mutation_ends_in_a_result_or_one_sentence(kind, tmp_path):
    path, ends = tmp_path / f"mutation.{suffix(kind)}", []

    @settings(
        max_examples=BUDGET[kind],
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.randoms(use_true_random=False))
    def run(random):
        path.write_bytes(mutated(kind, random))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # overflow on the way to a refusal
            ends.append(outcome(kind, path))

    run()
    assert {"read", "refused"} >= set(ends)
    assert ends.count("refused") > 0


FOUND = {
    "a reader's process that left half a result": "c3d:10196",
    "a parameter that ends with the file": "c3d:10356",
    "an entry without a type": "c3d:371",
    "segments mirrored": "c3d:181",
    "a forearm without length": "bvh:390",
    "markers at 1e38": "trc:10152",
    "a frame count that is no number": "trc:10177",
    "forces beyond measure": "mot:53428",
    "a segment whose parent hangs nowhere": "c3d:54396",
    "no points at all": "c3d:59761",
    "factors that are texts": "c3d:59841",
    "one half of a pelvis": "trc:102882",
    "pelvis and feet never seen together": "c3d:105001",
    "names of segments that are not there": "c3d:917651",
    "a body of 1e-307 m": "bvh:920255",
    "a piece of fewer knots than a correction spreads over": "bvh:303444",
    "a row of 75,000 letters, quoted": "walk_trc:203643",
    "holes beside leaps": "c3d:308212",
    "a frame time of 1e999 s": "bvh:310101",
    "an origin of four numbers": "c3d:326241",
    "coefficients of shape in no rows": "npz:1243",
    "a rate of 1e-300 Hz": "npz:1671",
}
"""Mutations that once went wrong, by the names the campaign gives them."""


@pytest.mark.parametrize("name", FOUND.values(), ids=list(FOUND))
def test_what_was_found_stays_mended(name, tmp_path, shared_data):
    kind, number = re.fullmatch(r"(\w+):(\d+)", name).groups()
    path = tmp_path / f"mutation.{suffix(kind)}"
    path.write_bytes(mutated(kind, Random(f"{kind}:{number}")))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        assert outcome(kind, path) in ("read", "refused")
