"""Fixtures shared by all tests."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED_DATA = ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real recordings that are not part of the repository."""
    if not SHARED_DATA.is_dir():
        pytest.skip("real recordings are absent: no ../shared/data beside the project")
    return SHARED_DATA
