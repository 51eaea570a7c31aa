"""Folders are complete or absent, whatever stops the process that writes them."""

import os
import subprocess
import sys

import pytest

from mocap_reroot.errors import FileError
from mocap_reroot.export.folders import clear_drafts, complete_file, complete_folder, sweep_after

KILLED = """
import os, sys
from pathlib import Path
from mocap_reroot.export import folders
final, when = Path(sys.argv[1]), sys.argv[2]
rename = Path.rename

def killed(self, target):
    if target == final and when == "placing":
        os._exit(9)
    return rename(self, target)

Path.rename = killed
with getattr(folders, sys.argv[3])(final) as draft:
    (draft / "summary.json" if draft.is_dir() else draft).write_text("new")
    if when == "writing":
        os._exit(9)
os._exit(0)
"""


def folder_with(place, text):
    place.mkdir(parents=True)
    (place / "summary.json").write_text(text)
    return place


def left_by_a_killed_process(final, when="writing", kind="complete_folder"):
    subprocess.run([sys.executable, "-c", KILLED, final, when, kind], check=False)
    (draft,) = (p for p in final.parent.iterdir() if p.name.startswith(".mocap_reroot-"))
    return draft


def test_what_a_stopped_process_left_is_removed(tmp_path):
    final = folder_with(tmp_path / "walk", "done")
    left_by_a_killed_process(final)
    with complete_folder(final) as draft:  # of a process that is alive
        sweep_after(tmp_path / "other")
        assert len(list(tmp_path.iterdir())) == 3
        sweep_after(final)
        clear_drafts(tmp_path, 0.0)
        assert set(tmp_path.iterdir()) == {final, draft.parent}
    sweep_after(tmp_path / "none" / "walk")


@pytest.mark.parametrize("sweep", [sweep_after, lambda final: clear_drafts(final.parent, 0.0)])
def test_what_was_moved_aside_comes_back(tmp_path, sweep):
    final = folder_with(tmp_path / "walk", "old")
    left_by_a_killed_process(final, "placing")
    assert not final.exists()
    sweep(final)
    assert list(tmp_path.iterdir()) == [final]
    assert (final / "summary.json").read_text() == "old"


def test_old_results_do_not_come_back_over_new_ones(tmp_path):
    final = folder_with(tmp_path / "walk", "old")
    left_by_a_killed_process(final, "placing")
    with complete_folder(final) as draft:
        (draft / "summary.json").write_text("of another process")
    sweep_after(final)
    assert list(tmp_path.iterdir()) == [final]
    assert (final / "summary.json").read_text() == "of another process"


def test_drafts_of_files_are_swept_too(tmp_path):
    final = tmp_path / "walk.bvh"
    with complete_file(final) as draft:
        draft.write_text("whole")
    left_by_a_killed_process(final, "writing", "complete_file")
    sweep_after(final)
    assert list(tmp_path.iterdir()) == [final]
    assert final.read_text() == "whole"


@pytest.mark.parametrize("first", [True, False])
def test_ctrl_c_at_either_rename_loses_nothing(first, tmp_path, monkeypatch):
    final = folder_with(tmp_path / "walk", "old")
    rename = type(final).rename

    def interrupted(self, target):
        if self == final and first:
            rename(self, target)
            raise KeyboardInterrupt
        if target == final and self.name == "new":
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(type(final), "rename", interrupted)
    with pytest.raises(KeyboardInterrupt), complete_folder(final) as draft:
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


def test_a_link_is_replaced_and_what_it_leads_to_is_not(tmp_path):
    elsewhere = folder_with(tmp_path / "elsewhere", "precious")
    (tmp_path / "walk").symlink_to(elsewhere)
    with complete_folder(tmp_path / "walk") as draft:
        (draft / "summary.json").write_text("new")
    assert (elsewhere / "summary.json").read_text() == "precious"
    assert (tmp_path / "walk/summary.json").read_text() == "new"
    assert not (tmp_path / "walk").is_symlink()


@pytest.mark.parametrize("mine", ["notes.csv", "my_own.parquet", "torques.csv/thesis", "raw.c3d"])
def test_what_somebody_put_beside_results_is_kept(tmp_path, mine):
    final = folder_with(tmp_path / "walk", '{"files": {"torques.parquet": 7, "walk_id.sto": 1}}')
    for name in ("torques.parquet", "walk_id.sto", "report.html"):
        (final / name).touch()
    with complete_folder(final) as draft:  # all of it ours
        (draft / "summary.json").write_text('{"files": {}}')
    (final / mine).parent.mkdir(exist_ok=True)
    (final / mine).write_text("years of work")
    with pytest.raises(FileError, match="holds other things"), complete_folder(final):
        raise AssertionError("written all the same")
    assert (final / mine).read_text() == "years of work"


IMPOSTORS = {
    "a name": lambda p, note: None,
    "a note of another folder": lambda p, note: (p / note.name).write_bytes(note.read_bytes()),
    "no JSON": lambda p, note: (p / note.name).write_text("years of work"),
    "a list": lambda p, note: (p / note.name).write_text("[]"),
    "a pipe": lambda p, note: os.mkfifo(p / note.name),
    "a link to a note": lambda p, note: (p / note.name).symlink_to(note),
    "a folder": lambda p, note: (p / note.name).mkdir(),
}


@pytest.mark.parametrize("kind", IMPOSTORS)
def test_only_what_we_made_is_cleared(tmp_path, kind):
    draft = left_by_a_killed_process(tmp_path / "walk")
    (note,) = draft.glob("*.json")
    theirs = tmp_path / ".mocap_reroot-0123456789abcdef"
    theirs.mkdir()
    (theirs / "thesis").write_text("years of work")
    IMPOSTORS[kind](theirs, note)
    linked = tmp_path / ".mocap_reroot-link"
    linked.symlink_to(theirs)
    clear_drafts(tmp_path, 0.0)
    assert set(tmp_path.iterdir()) == {theirs, linked}
    assert (theirs / "thesis").read_text() == "years of work"


def test_a_draft_of_another_machine_waits(tmp_path):
    draft = left_by_a_killed_process(tmp_path / "walk")
    (note,) = draft.glob("*.json")
    here = f'"host": "{os.uname().nodename}"'
    assert here in note.read_text()
    note.write_text(note.read_text().replace(here, '"host": "elsewhere"'))
    clear_drafts(tmp_path, 600.0)
    assert draft.exists()
    os.utime(note, (0, 0))
    clear_drafts(tmp_path, 600.0)
    assert not draft.exists()
