"""The generated walk as a C3D, recorded once for all tests of assembly."""

from pathlib import Path

import pytest

from sample_data.balance import Truth
from sample_data.make_c3d import record


@pytest.fixture(scope="session")
def recorded_walk(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Truth]:
    """Return the file and what is true of it."""
    path = tmp_path_factory.mktemp("walk") / "walk.c3d"
    return path, record(path, seconds=2.0)
