"""Files of other kinds: each is refused with the way to convert it."""

from pathlib import Path

import numpy as np
import pytest

from mocap_reroot import read
from mocap_reroot.errors import FileError
from mocap_reroot.importers.other_kinds import other_kinds
from mocap_reroot.reading import IMPORTERS
from mocap_reroot.resources.clips import SUFFIXES, find_clips
from tests.importers import smpl_files


@pytest.mark.parametrize("suffix", sorted(other_kinds()))
def test_it_says_what_the_file_is_and_what_to_make_of_it(tmp_path: Path, suffix: str) -> None:
    if suffix in IMPORTERS:
        pytest.skip("such files are read")
    path = tmp_path / f"clip{suffix.upper()}"
    path.write_bytes(b"whatever")
    with pytest.raises(FileError) as refused:
        read(path)
    what, todo = other_kinds()[suffix]
    assert what in str(refused.value) and todo in str(refused.value)
    assert todo.endswith(".") and not what.endswith(".")


def test_an_unknown_suffix_names_those_that_are_read(tmp_path: Path) -> None:
    path = tmp_path / "clip.xyz"
    path.write_bytes(b"whatever")
    with pytest.raises(FileError, match=r"'\.xyz' are unknown; known are \.bvh.*skeleton as BVH"):
        read(path)


@pytest.mark.parametrize(
    ("start", "suffix"),
    [(b"HIERARCHY\nROOT a", ".bvh"), (b"\xef\xbb\xbf<?xml?><mvnx>", ".mvnx"),
     (b"PathFileType 4", ".trc"), (b"\x02\x50" + bytes(600), ".c3d")],
)  # fmt: skip
def test_a_file_with_the_wrong_suffix_is_told_by_how_it_begins(
    tmp_path: Path, start: bytes, suffix: str
) -> None:
    path = tmp_path / "clip.txt"
    path.write_bytes(start)
    with pytest.raises(FileError, match=rf"begins like a {suffix} file. Rename it"):
        read(path)


def test_every_kind_that_is_read_is_found_in_folders(tmp_path: Path) -> None:
    tables = {".mot", ".sto"}  # of anything, forces too: they count where they are named
    assert set(SUFFIXES) | tables == set(IMPORTERS)
    smpl_files.save(tmp_path / "motion.npz", smpl_files.motion())
    smpl_files.save(tmp_path / "model.npz", smpl_files.model())
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    (tmp_path / "broken.npz").write_bytes(b"PK")
    (tmp_path / "walk.mvnx").write_bytes(b"<mvnx/>")
    found = {clip.path.name for clip in find_clips([tmp_path])}
    assert found == {"motion.npz", "walk.mvnx"}
