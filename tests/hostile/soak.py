"""Soak: thousands of clips through ``batch`` while processes are killed (``make soak``).

Clips are copies of a few real ones under other names, one in twenty damaged. The batch is started
again and again; meanwhile random workers, or the whole batch, are killed. In the end every clip
must be accounted for, every damaged one named, every table the same bytes as those of a run in
peace, and the memory of the workers must not have grown.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pandas as pd
import psutil

from tests.fuzz.seeds import SAMPLES, SHARED, seeds, short_bvh
from tests.waiting import results_in

TABLES = ("torques", "grf", "contacts")
DAMAGED = 0.05


def originals(folder: Path) -> list[Path]:
    """Write the clips that all others are copies of: cut from real ones, and from the samples."""
    folder.mkdir()
    names = ("cmu/02_01", "cmu/16_01", "cmu/49_02", "daz/pirouette", "pybvh/bvh_test1")
    real = [SHARED / f"bvh/{name}.bvh" for name in names]
    files = [f for f in real if f.is_file()] + [SAMPLES / "walk.bvh", SAMPLES / "run.bvh"]
    for file in files:
        (folder / file.name).write_bytes(short_bvh(file.read_bytes(), rows=150))
    return sorted(folder.iterdir())


def make_clips(folder: Path, sources: list[Path], count: int, dice: random.Random) -> set[str]:
    """Copy the clips, damage some, and return the names of these."""
    folder.mkdir()
    damaged = set()
    for k in range(count):
        source = sources[k % len(sources)]
        path = folder / f"{k // 100:02}" / f"{source.stem}-{k:05}{source.suffix}"
        path.parent.mkdir(exist_ok=True)
        data = source.read_bytes()
        if dice.random() < DAMAGED:
            damaged.add(str(path.relative_to(folder)))
            cut = data[: dice.randint(0, 900)]  # the hierarchy breaks off
            data = dice.choice((cut, bytes(dice.randbytes(2000)), seeds("c3d")[-1][:3000]))
        path.write_bytes(data)
    return damaged


def batch(clips: Path, out: Path) -> subprocess.Popen:
    """Start a batch in a session of its own."""
    words = ["batch", clips, "-o", out, "--mass", 70, "--quiet"]
    command = [sys.executable, "-m", "mocap_reroot.cli", *map(str, words)]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, start_new_session=True, stdout=quiet, stderr=quiet)


def workers(process: subprocess.Popen) -> list[psutil.Process]:
    """Return the processes below a batch."""
    with suppress(psutil.Error):
        return psutil.Process(process.pid).children(recursive=True)
    return []


def megabytes(process: subprocess.Popen) -> float:
    """Return the largest resident memory among a batch and its workers."""
    sizes = [0.0]
    for one in [process.pid, *(w.pid for w in workers(process))]:
        with suppress(psutil.Error):
            sizes.append(psutil.Process(one).memory_info().rss / 1e6)
    return max(sizes)


def storm(clips: Path, out: Path, sound: int, kills: int, dice: random.Random) -> tuple[int, int]:
    """Run the batch again and again while killing; return how many workers and batches died."""
    dead_workers = dead_batches = 0
    process = batch(clips, out)
    while dead_workers + dead_batches < kills:
        time.sleep(dice.uniform(0.5, 4.0))
        if process.poll() is not None:
            if len(results_in(out)) >= sound:
                break  # all done in spite of it
            process = batch(clips, out)
            continue
        if dice.random() < 0.3:
            os.killpg(process.pid, signal.SIGKILL)
            for worker in workers(process):
                with suppress(psutil.Error):
                    worker.kill()
            process.wait()
            dead_batches += 1
            process = batch(clips, out)
        elif alive := workers(process):
            with suppress(psutil.Error):
                dice.choice(alive).kill()
                dead_workers += 1
    process.wait()
    return dead_workers, dead_batches


def calm(clips: Path, out: Path) -> tuple[float, list[float]]:
    """Run the batch in peace; return its seconds and the memory over time."""
    begin, sizes = time.monotonic(), []
    process = batch(clips, out)
    while process.poll() is None:
        sizes.append(megabytes(process))
        time.sleep(0.5)
    return time.monotonic() - begin, sizes


def tables_of(folder: Path) -> tuple[bytes, ...]:
    return tuple((folder / f"{name}.parquet").read_bytes() for name in TABLES)


def soak(count: int, kills: int, seed: int, folder: Path) -> list[str]:
    """Do all of it, print figures, and return what was lost."""
    dice, clips, out = random.Random(seed), folder / "clips", folder / "out"
    sources = originals(folder / "originals")
    damaged = make_clips(clips, sources, count, dice)
    calm(folder / "originals", folder / "peace")
    expected = {s.stem: tables_of(folder / "peace" / s.stem) for s in sources}
    dead_workers, dead_batches = storm(clips, out, count - len(damaged), kills, dice)
    kept = len(list(out.rglob("summary.json")))
    calm(clips, out)  # what was killed is done now
    index, failures = pd.read_parquet(out / "index.parquet"), pd.read_csv(out / "failures.csv")
    named = {str(Path(f).relative_to(clips)) for f in failures.file}
    lost = [f"{n} is damaged and not named" for n in damaged - named]
    lost += [f"{n} is sound and has failed" for n in named - damaged]
    if len(index) + len(failures) != count:
        lost.append(f"{count - len(index) - len(failures)} clips are not accounted for")
    for clip in index["clip"]:
        if tables_of(out / clip) != expected[Path(clip).name.rsplit("-", 1)[0]]:
            lost.append(f"{clip} differs from the run in peace")
    leftovers = list(out.rglob(".*"))
    shutil.rmtree(out)
    seconds, sizes = calm(clips, out)
    quarter = max(len(sizes) // 4, 1)
    early, late = max(sizes[quarter : 2 * quarter], default=0), max(sizes[-quarter:], default=0)
    if late > 1.15 * early:
        lost.append(f"workers grew from {early:.0f} to {late:.0f} MB")
    print(f"{count} clips, {len(damaged)} damaged, {len(failures)} named as failed")
    print(f"{dead_workers} workers and {dead_batches} batches killed; {kept} clips were kept")
    print(f"{len(leftovers)} drafts of killed processes left behind")
    rate = f"{seconds:.0f} s, {count / seconds:.1f} clips/s"
    print(f"in peace {rate}, largest process {early:.0f} MB early, {late:.0f} MB late")
    print(f"lost: {len(lost) or 'nothing'}")
    return lost


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--clips", type=int, default=2000)
    words.add_argument("--kills", type=int, default=60)
    words.add_argument("--seed", type=int, default=1)
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lost = soak(given.clips, given.kills, given.seed, Path(folder))
    for sentence in lost[:50]:
        print(sentence)
    sys.exit(1 if lost else 0)


if __name__ == "__main__":
    main()
