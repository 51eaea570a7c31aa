"""Where results go: the folder rules of the interface."""

from pathlib import Path

import pytest

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.resources.clips import find_clips


def touch(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def places(*paths):
    return {str(clip.place) for clip in find_clips(paths)}


def test_folders_keep_their_structure_and_files_their_stem(tmp_path):
    touch(tmp_path, "a/b/walk.bvh", "a/run.C3D", "a/notes.txt")
    assert places(tmp_path / "a") == {str(Path("b/walk")), "run"}
    assert places(tmp_path / "a/b/walk.bvh") == {"walk"}


def test_two_inputs_that_would_share_a_folder_keep_their_suffix(tmp_path):
    touch(tmp_path, "walk.bvh", "walk.c3d", "run.bvh")
    assert places(tmp_path) == {"walk.bvh", "walk.c3d", "run"}


def test_same_name_from_two_folders_never_collides(tmp_path):
    touch(tmp_path, "a/walk.bvh", "b/walk.bvh")
    assert len(places(tmp_path / "a", tmp_path / "b")) == 2


def test_names_that_differ_in_case_only_never_collide(tmp_path):
    touch(tmp_path, "Walk.bvh", "walk.bvh")
    if len(list(tmp_path.iterdir())) == 2:
        assert len({p.lower() for p in places(tmp_path)}) == 2


def test_a_file_given_twice_is_one_clip(tmp_path):
    touch(tmp_path, "walk.bvh")
    assert len(find_clips([tmp_path, tmp_path / "walk.bvh"])) == 1


def test_patterns(tmp_path):
    touch(tmp_path, "a/x1.bvh", "a/x2.bvh", "a/y.bvh")
    assert places(tmp_path / "a" / "x*.bvh") == {"x1", "x2"}


def test_nothing_found_is_said(tmp_path):
    with pytest.raises(MocapRerootError, match="no such file or folder"):
        find_clips([tmp_path / "absent.bvh"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(MocapRerootError, match=r"no \.bvh"):
        find_clips([tmp_path / "empty"])
