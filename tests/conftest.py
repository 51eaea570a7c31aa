"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
SHARED_DATA = ROOT.parent / "shared" / "data"

# A test that passed passes again; HYPOTHESIS_PROFILE=search looks for examples nobody has tried.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real recordings that are not part of the repository."""
    if not SHARED_DATA.is_dir():
        pytest.skip("real recordings are absent: no ../shared/data beside the project")
    return SHARED_DATA
