"""Folders are complete or absent, whatever stops the process that writes them."""

import os

import pytest

from mocap_reroot.errors import FileError
from mocap_reroot.export.folders import complete_file, complete_folder, draft_prefix, sweep_after


def folder_with(place, text):
    place.mkdir(parents=True)
    (place / "summary.json").write_text(text)
    return place


def test_what_a_stopped_process_left_is_removed(tmp_path):
    final = folder_with(tmp_path / "walk", "done")
    folder_with(tmp_path / f"{draft_prefix(final, 17)}x", "half")
    other = folder_with(tmp_path / f"{draft_prefix(final, 170)}x", "of another process")
    sweep_after(final, 17)
    assert set(tmp_path.iterdir()) == {final, other}
    assert (final / "summary.json").read_text() == "done"


def test_what_was_moved_aside_comes_back(tmp_path):
    final = tmp_path / "walk"
    folder_with(tmp_path / f"{draft_prefix(final, 17)}x", "new")
    folder_with(tmp_path / f"{draft_prefix(final, 17)}x.old", "old")
    sweep_after(final, 17)
    assert list(tmp_path.iterdir()) == [final]
    assert (final / "summary.json").read_text() == "old"


def test_nothing_begun_is_nothing_to_sweep(tmp_path):
    sweep_after(tmp_path / "none" / "walk", 17)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("first", [True, False])
def test_ctrl_c_at_either_rename_loses_nothing(first, tmp_path, monkeypatch):
    final = folder_with(tmp_path / "walk", "old")
    rename = type(final).rename

    def interrupted(self, target):
        if self == final and first:
            rename(self, target)
            raise KeyboardInterrupt
        if target == final and not self.name.endswith(".old"):
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(type(final), "rename", interrupted)
    with pytest.raises(KeyboardInterrupt), complete_folder(final) as draft:
        assert draft.name.startswith(draft_prefix(final, os.getpid()))
        (draft / "summary.json").write_text("new")
    assert list(tmp_path.iterdir()) == [final]
    assert (final / "summary.json").read_text() == "old"


def test_old_results_do_not_come_back_over_new_ones(tmp_path, monkeypatch):
    """Another process moves ours aside right after they were put in place."""
    final, rename = folder_with(tmp_path / "walk", "old"), type(tmp_path).rename
    rivals = tmp_path / f"{draft_prefix(final, 17)}x.0.old"

    def raced(self, target):
        rename(self, target)
        if target == final:
            rename(final, rivals)

    monkeypatch.setattr(type(final), "rename", raced)
    with complete_folder(final) as draft:
        (draft / "summary.json").write_text("ours")
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == [rivals]
    sweep_after(final, 17)  # the other one is stopped there
    assert (final / "summary.json").read_text() == "ours"


def test_drafts_of_files_are_swept_too(tmp_path):
    final = tmp_path / "walk.bvh"
    with complete_file(final) as draft:
        assert draft.name.startswith(draft_prefix(final, os.getpid()))
        draft.write_text("whole")
    (tmp_path / f"{draft_prefix(final, 17)}x").write_text("half")
    sweep_after(final, 17)
    assert list(tmp_path.iterdir()) == [final]


def test_another_process_that_is_faster_is_replaced(tmp_path, monkeypatch):
    """Two runs into one folder: the other's results appear between looking and renaming."""
    final, rename, tries = tmp_path / "walk", type(tmp_path).rename, []

    def raced(self, target):
        if target == final:
            tries.append(self)
            if len(tries) < 3:
                folder_with(final, f"rival {len(tries)}")
        return rename(self, target)

    monkeypatch.setattr(type(final), "rename", raced)
    with complete_folder(final) as draft:
        (draft / "summary.json").write_text("ours")
    assert len(tries) == 3
    assert list(tmp_path.iterdir()) == [final]
    assert (final / "summary.json").read_text() == "ours"


def test_a_race_that_is_always_lost_ends(tmp_path, monkeypatch):
    final, rename = tmp_path / "walk", type(tmp_path).rename

    def raced(self, target):
        if target == final:
            folder_with(final, "rival")
        return rename(self, target)

    monkeypatch.setattr(type(final), "rename", raced)
    with pytest.raises(FileError, match="not empty"), complete_folder(final) as draft:
        (draft / "summary.json").write_text("ours")
    assert list(tmp_path.iterdir()) == [final]
    assert (final / "summary.json").read_text() == "rival"
