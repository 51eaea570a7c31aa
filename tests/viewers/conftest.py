"""Node packages of `make viewers`; tests that need them are skipped in words where they are not."""

import shutil
from pathlib import Path

import pytest

PACKAGES = Path(__file__).resolve().parents[2] / ".viewers" / "node_modules"


@pytest.fixture(scope="session")
def package():
    """Return a function that gives the folder of a Node package."""

    def find(name: str) -> Path:
        if shutil.which("node") is None:
            pytest.skip("no Node here")
        if not (PACKAGES / name).is_dir():
            pytest.skip(f"the Node package {name} is absent: `make viewers` installs it")
        return PACKAGES / name

    return find
