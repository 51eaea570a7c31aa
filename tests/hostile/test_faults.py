"""Faults: disks, signals, files that change, caches that break; nothing is half-written."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import mocap_reroot as mr
from tests.hostile.made import Clip
from tests.waiting import wait_for_results

ROOT = Path(__file__).resolve().parents[2]
CLI = [sys.executable, "-m", "mocap_reroot.cli"]
QUICK = ["--mass", "70", "--no-report", "--tables", "torques,phases,summary"]


def run(*words, timeout=300, **changes):
    """Run the command line with some environment variables changed (None: taken away)."""
    environment = {k: v for k, v in (os.environ | changes).items() if v is not None}
    return subprocess.run(
        [*CLI, *map(str, words)], env=environment, capture_output=True, text=True, timeout=timeout,
        check=False,
    )  # fmt: skip


@pytest.fixture
def clip(tmp_path):
    path = tmp_path / "in" / "clip.bvh"
    path.parent.mkdir()
    path.write_text(Clip(frames=40).text())
    return path


def one_sentence(done):
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert len(lines) == 1, done.stderr
    assert "bug" not in lines[0]
    return lines[0]


def on_a_small_disk(script):
    """Run shell words in a mount namespace of their own, with 64 kB of disk at /mnt."""
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("a full disk needs a mount namespace: Linux, root and unshare")
    words = ["unshare", "-m", "sh", "-c", f"mount -t tmpfs -o size=64k none /mnt && {script}"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    if "mount" in done.stderr and "permission denied" in done.stderr.lower():
        pytest.skip("no right to mount here")
    return done


def test_a_full_disk(clip, tmp_path):
    words = " ".join([*CLI, "run", str(clip), "-o", "/mnt/out", "--mass", "70", "--no-report"])
    done = on_a_small_disk(f"{{ {words}; echo code $?; ls -A /mnt/out; }}")
    assert "No space left on device" in one_sentence(done)
    assert done.stdout.split("code ")[1].split() == ["1"]  # and nothing is left in the folder


def test_a_full_disk_stops_a_batch(clip):
    for k in range(4):
        shutil.copy(clip, clip.with_name(f"clip{k}.bvh"))
    words = " ".join([*CLI, "batch", str(clip.parent), "-o", "/mnt/out", "--mass", "70", "--quiet"])
    # A worker that is stopped while it makes a folder leaves it with at most an unfinished note.
    left = "find /mnt/out -path '*/.*/*' ! -name '*.json.new'"
    done = on_a_small_disk(f"{{ {words}; echo code $?; {left}; }}")
    assert "full" in one_sentence(done) or "No space" in one_sentence(done)
    assert done.stdout.split("code ")[1].split() == ["1"]


def test_a_read_only_disk(clip):
    words = " ".join([*CLI, "run", str(clip), "-o", "/mnt/out", *QUICK])
    done = on_a_small_disk(f"mount -o remount,ro /mnt && {{ {words}; echo code $?; }}")
    assert "Read-only file system" in one_sentence(done)
    assert "code 1" in done.stdout


def test_no_permission(clip, tmp_path):
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root may read anything, and there is no setpriv")
        before = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    else:
        before = []
    clip.chmod(0)
    words = [*before, *CLI, "run", str(clip), "-o", str(tmp_path / "out"), *QUICK]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "HOME": "/nonexistent"}
    for folder in (tmp_path, *tmp_path.parents[:3], clip.parent, *clip.parents[1:4]):
        folder.chmod(folder.stat().st_mode | 0o055)
    done = subprocess.run(
        words, env=environment, capture_output=True, text=True, timeout=300, check=False, cwd="/"
    )
    if "No module named" in done.stderr or "can't open" in done.stderr:
        pytest.skip("another user cannot run this interpreter")
    assert "Permission denied" in one_sentence(done)


def test_a_file_that_shrinks_while_it_is_read(clip, monkeypatch):
    """The size is asked first and the bytes come after: what is gone by then is no number."""
    whole = clip.read_bytes()
    before = mr.read(clip)
    stat = Path.stat

    def larger(self, **options):
        found = stat(self, **options)
        if self != clip:
            return found
        values = list(found)
        values[6] = len(whole) + 5000  # st_size: the file was longer a moment ago
        return os.stat_result(values)

    monkeypatch.setattr(Path, "stat", larger)
    after = mr.read(clip)
    assert after.n_frames == before.n_frames
    assert (after.rotation == before.rotation).all()


def test_a_file_that_vanishes_or_changes(clip, tmp_path):
    from mocap_reroot.batch.fingerprint import fingerprint
    from mocap_reroot.config import resolve

    first = fingerprint(clip, resolve())
    clip.write_text(Clip(frames=41).text())
    assert fingerprint(clip, resolve()) != first
    clip.unlink()
    with pytest.raises(mr.MocapRerootError, match="No such file"):
        mr.read(clip)
    with pytest.raises(mr.MocapRerootError, match="cannot be read"):
        fingerprint(clip, resolve())


@pytest.mark.parametrize("command", ["run", "batch"])
def test_ctrl_c_leaves_nothing_half_done(clip, tmp_path, command):
    for k in range(60):
        shutil.copy(clip, clip.with_name(f"clip{k:02}.bvh"))
    out = tmp_path / "out"
    words = [*CLI, command, *sorted(map(str, clip.parent.iterdir())), "-o", str(out), *QUICK]
    process = subprocess.Popen(
        words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_for_results(out)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the whole group
    told = process.communicate(timeout=60)[1]
    assert process.returncode in (130, 0), told
    assert "Traceback" not in told
    assert "Stopped" in told or process.returncode == 0
    done = [p.parent for p in out.rglob("summary.json")]
    assert done
    for folder in done:
        assert {p.name for p in folder.iterdir()} >= {"torques.parquet", "phases.csv"}
    time.sleep(0.5)
    # No drafts; a worker may end while it makes a folder: at most its unfinished note is left.
    left = [p for folder in out.rglob(".*") if folder.is_dir() for p in folder.iterdir()]
    assert not [p for p in left if not p.name.endswith(".json.new")]


CACHE = "MOCAP_REROOT_CACHE_DIR"


TURN_SIGNS = (
    "from mocap_reroot.kernels import compiling; print(compiling.cache_home());"
    "from mocap_reroot.kernels.rotations import make_continuous;"
    "import numpy as np; q = np.ones((1, 4, 3)); q[..., 1] = -1;"
    "make_continuous(q); print(q.min())"
)
"""A program that needs one kernel."""


def turn_signs(home):
    done = subprocess.run(
        [sys.executable, "-c", TURN_SIGNS], env=os.environ | {CACHE: str(home)},
        capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("damage", [lambda d: b"", lambda d: d[: len(d) // 2], lambda d: d[::-1]])
def test_a_broken_cache_is_compiled_again(tmp_path, damage):
    """Empty, truncated and garbled entries of Numba's cache, its index among them."""
    home = tmp_path / "cache"
    assert turn_signs(home) == [str(home), "1.0"]
    files = [p for p in home.rglob("*") if p.suffix in (".nbi", ".nbc")]
    assert len(files) >= 2
    for file in files:
        file.write_bytes(damage(file.read_bytes()))
    assert turn_signs(home) == [str(home), "1.0"]
    assert turn_signs(home) == [str(home), "1.0"]  # and kept this time


@pytest.mark.parametrize("place", ["/proc/nowhere", "/dev/null/x"])
def test_no_place_for_a_cache_is_no_reason_to_fail(place):
    assert turn_signs(place) == ["None", "1.0"]


def test_a_cache_on_a_full_disk():
    words = f'{sys.executable} -c "{TURN_SIGNS}"'
    done = on_a_small_disk(f"dd if=/dev/zero of=/mnt/x bs=1k count=56; {CACHE}=/mnt/c {words}")
    assert done.stdout.split() == ["/mnt/c", "1.0"], done.stderr


def test_no_home_directory(tmp_path):
    program = "from mocap_reroot.kernels import compiling; print(compiling.cache_home())"
    for changes in ({"HOME": "/nonexistent/home"}, {"HOME": ""}, {"HOME": None}):
        environment = {k: v for k, v in (os.environ | changes).items() if v is not None}
        environment |= {"TMPDIR": str(tmp_path), "XDG_CACHE_HOME": "/proc/none"}
        environment.pop(CACHE, None)
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True,
            timeout=200, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip().startswith(str(tmp_path))


def test_a_cache_that_others_can_write_is_not_used(tmp_path, monkeypatch):
    from mocap_reroot.kernels import compiling

    monkeypatch.delenv(CACHE, raising=False)
    shared, private = tmp_path / "shared", tmp_path / "private"
    for folder in (shared, private):
        (folder / "mocap_reroot").mkdir(parents=True)
    shared.chmod(0o777)
    homes = [shared / "mocap_reroot", private / "mocap_reroot"]
    monkeypatch.setattr(compiling, "_default_homes", lambda: homes)
    assert compiling.cache_home.__wrapped__() == homes[1]


SHARED = {
    "writable by all": lambda home: home.chmod(0o777),
    "writable by a group": lambda home: home.chmod(0o770),
    "sticky": lambda home: home.chmod(0o1777),
    "parent writable by a group": lambda home: home.parent.chmod(0o775),
    "of another user": lambda home: os.chown(home, 12345, -1),
    "below another user's": lambda home: os.chown(home.parent, 12345, -1),
    "a link of another user": lambda home: _linked(home, 12345),
    "a link to where others may write": lambda home: _linked(home, os.getuid(), 0o775),
}


def _linked(home, owner, mode=0o755):
    home.rename(home.with_name("target"))
    home.with_name("target").chmod(mode)
    home.symlink_to("target")
    os.lchown(home, owner, -1)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs root")
@pytest.mark.parametrize("kind", SHARED)
def test_a_cache_that_is_not_ours_alone_is_refused(tmp_path, kind, caplog, monkeypatch):
    """Named or not: compiled code is run as it is found."""
    from mocap_reroot.kernels import compiling

    home = tmp_path / "own" / "cache"
    home.mkdir(parents=True)
    monkeypatch.setenv(CACHE, str(home))
    assert compiling.cache_home.__wrapped__() == home
    SHARED[kind](home)
    assert compiling.cache_home.__wrapped__() is None
    assert "is not used for compiled code" in caplog.text


def test_links_of_ones_own_are_followed(tmp_path, monkeypatch):
    from mocap_reroot.kernels import compiling

    home = tmp_path / "cache"
    home.mkdir()
    _linked(home, os.getuid())
    monkeypatch.setenv(CACHE, str(home))
    assert compiling.cache_home.__wrapped__() == tmp_path / "target"
    home.unlink()
    home.symlink_to("cache")  # in a circle
    assert compiling.cache_home.__wrapped__() is None


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs root")
@pytest.mark.parametrize("fault", ["a file", "the folder", "its mode", "a link"])
def test_code_that_others_have_put_there_is_not_run(tmp_path, monkeypatch, fault):
    from mocap_reroot.kernels import compiling

    home = tmp_path / "cache"
    monkeypatch.setattr(compiling, "cache_home", lambda: home)
    home.mkdir()
    folder = Path(compiling._cache_directory.__wrapped__("rotations"))
    assert folder.stat().st_mode & 0o777 == 0o700
    assert compiling._cache_directory.__wrapped__("rotations") == str(folder)
    if fault == "a file":
        (folder / "planted.nbi").touch()
        os.chown(folder / "planted.nbi", 12345, -1)
    if fault == "the folder":
        os.chown(folder, 12345, -1)
    if fault == "its mode":
        folder.chmod(0o775)
    if fault == "a link":
        folder.rename(home / "other")
        folder.symlink_to("other")
    assert compiling._cache_directory.__wrapped__("rotations") is None


def test_two_versions_share_a_cache(tmp_path):
    """Kernels of another version have another text, and so another folder."""
    package = tmp_path / "other" / "mocap_reroot"
    shutil.copytree(ROOT / "mocap_reroot", package, ignore=shutil.ignore_patterns("__pycache__"))
    file = package / "kernels" / "rotations.py"
    file.write_text(file.read_text(encoding="utf-8") + "\n# another version\n", encoding="utf-8")
    program = (
        "from mocap_reroot.kernels import compiling as c;"
        "print(c._cache_directory('forward'), c._cache_directory('decimal'))"
    )
    folders = []
    for place in (ROOT, tmp_path / "other"):
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=place, capture_output=True, text=True, timeout=200,
            env=os.environ | {"PYTHONPATH": str(place), CACHE: str(tmp_path / "cache")}, check=True,
        )  # fmt: skip
        folders.append(done.stdout.split())
    assert folders[0][0] != folders[1][0]  # forward calls quaternion, which differs
    assert folders[0][1] == folders[1][1]  # decimal does not


def test_starting_over_leaves_other_folders_alone(clip, tmp_path):
    """A folder that bears the name of a clip may be somebody's."""
    notes = tmp_path / "out" / "clip" / "notes.txt"
    notes.parent.mkdir(parents=True)
    notes.write_text("years of work")
    done = run("batch", clip.parent, "-o", tmp_path / "out", "--fresh", "--quiet", "--mass", 70)
    assert done.returncode == 1
    assert "notes.txt" in (tmp_path / "out/failures.csv").read_text()
    assert notes.read_text() == "years of work"
