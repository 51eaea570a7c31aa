"""Known weaknesses of the pinned packages, from a list that pip can install.

    python .ci/audit.py requirements-dev.lock

For machines that do not reach the advisories of PyPI or OSV (there pip-audit is the better tool):
the list ``safety-db`` is as old as its last release, whose date is printed. What was found weak
after it is not in it.
"""

from __future__ import annotations

import datetime
import importlib.util
import json
import sys
from pathlib import Path

from packaging.specifiers import SpecifierSet

META = "$meta"


def pinned(lock: Path) -> dict[str, str]:
    """Return the version of every package in a lock file."""
    lines = (line.split("#")[0].strip() for line in lock.read_text(encoding="utf-8").splitlines())
    return dict(line.split("==") for line in lines if "==" in line)


def weaknesses(packages: dict[str, str], listed: dict[str, list[dict]]) -> list[str]:
    """Return a sentence for every advisory that holds for a pinned version."""
    by_name = {name.lower().replace("_", "-"): found for name, found in listed.items()}
    return [
        f"{name} {version}: {advisory['cve'] or advisory['id']}: {advisory['advisory']}"
        for name, version in packages.items()
        for advisory in by_name.get(name.lower().replace("_", "-"), [])
        if any(SpecifierSet(spec).contains(version) for spec in advisory["specs"])
    ]


def main() -> int:
    """Print what is known; return 1 if anything is."""
    packages = pinned(Path(sys.argv[1]))
    found_at = importlib.util.find_spec("safety_db")  # its data alone: it cannot be imported
    if found_at is None or found_at.origin is None:
        raise SystemExit("pip install safety-db first")
    listed = json.loads((Path(found_at.origin).parent / "insecure_full.json").read_text())
    day = datetime.datetime.fromtimestamp(listed.pop(META)["timestamp"], datetime.UTC).date()
    found = weaknesses(packages, listed)
    print(
        f"{len(packages)} packages, {len(listed)} with advisories up to {day}: {len(found)} found"
    )
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
