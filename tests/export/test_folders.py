"""Folders are complete or absent, whatever stops the process that writes them."""

import os

import pytest

from mocap_reroot.errors import FileError
from mocap_reroot.export.folders import complete_folder, draft_prefix, sweep_after


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


def test_ctrl_c_between_two_renames_loses_nothing(tmp_path, monkeypatch):
    final = folder_with(tmp_path / "walk", "old")
    rename = type(final).rename

    def interrupted(self, target):
        if self != final and target == final and not self.name.endswith(".old"):
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(type(final), "rename", interrupted)
    with pytest.raises(KeyboardInterrupt), complete_folder(final) as draft:
        assert draft.name.startswith(draft_prefix(final, os.getpid()))
        (draft / "summary.json").write_text("new")
    assert list(tmp_path.iterdir()) == [final]
    assert (final / "summary.json").read_text() == "old"


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
