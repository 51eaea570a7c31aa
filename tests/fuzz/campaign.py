"""A long fuzzing campaign: ``python -m tests.fuzz.campaign --count 20000`` (``make fuzz``).

Every mutation is told by its kind and its number, so what is found can be made again:
``python -m tests.fuzz.campaign --again bvh:1234``.
"""

import argparse
import math
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from random import Random

from mocap_reroot.batch.workers import Limits, work
from tests.fuzz.c3d_mutations import mutate_c3d
from tests.fuzz.gltf_mutations import mutate_fbx, mutate_glb
from tests.fuzz.npz_mutations import mutate_npz
from tests.fuzz.oracle import outcome
from tests.fuzz.seeds import seeds
from tests.fuzz.text_mutations import mutate_text

KINDS = (
    *("bvh", "c3d", "trc", "walk_trc", "mot", "walk_mot", "toml"),
    *("amc", "asf", "mvnx", "npz", "glb", "fbx"),
)
LIMITS = Limits(seconds=120.0, megabytes=3000.0)
"""What one mutated file may cost."""


def mutated(kind: str, random: Random) -> bytes:
    """Return a file of a kind with something wrong."""
    data = random.choice(seeds(kind))
    binary = {"c3d": mutate_c3d, "npz": mutate_npz, "glb": mutate_glb, "fbx": mutate_fbx}
    if kind in binary:
        return binary[kind](data, random)
    return mutate_text(data, random, suffix(kind))


def suffix(kind: str) -> str:
    """Return the format of a kind of file."""
    return kind.rpartition("_")[-1]


def attempt(task: tuple[str, int], tell: Callable[[str], None]) -> str:
    """Make a mutation and put it through everything; run in a worker."""
    kind, number = task
    tell(f"{kind}:{number}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"mutation.{suffix(kind)}"
        path.write_bytes(mutated(kind, Random(f"{kind}:{number}")))
        return outcome(kind, path)


def campaign(count: int, minutes: float, kinds: list[str], first: int, jobs: int) -> int:
    """Fuzz, print what was found as a table, and return how many mutations went wrong."""
    counts: Counter[tuple[str, str]] = Counter()
    slowest: dict[str, float] = {}
    wrong = 0
    todo = zip(cycle(kinds), range(first, first + count), strict=False)
    stop = time.monotonic() + 60 * minutes
    while time.monotonic() < stop and (
        block := [task for _, task in zip(range(100), todo, strict=False)]
    ):
        for done in work(attempt, block, jobs, LIMITS):
            kind, number = done.task
            counts[kind, done.value or "wrong"] += 1
            slowest[kind] = max(slowest.get(kind, 0.0), done.seconds)
            if done.kind:
                wrong += 1
                print(f"{kind}:{number} {done.kind}: {done.reason[:300]}", flush=True)
    ends = ("read", "refused", "wrong")
    print("| kind | mutations | read | refused | wrong | slowest |\n|---|---|---|---|---|---|")
    for kind in kinds:
        mine = [counts[kind, end] for end in ends]
        row = " | ".join(f"{n:,}" for n in (sum(mine), *mine))
        print(f"| {kind} | {row} | {slowest.get(kind, 0.0):.1f} s |")
    print(f"{sum(counts.values())} mutations, {wrong} went wrong")
    return wrong


def again(name: str) -> None:
    """Make one mutation again, keep it, and show its traceback."""
    kind, number = name.split(":")
    path = Path(f"mutation-{number}.{suffix(kind)}")
    path.write_bytes(mutated(kind, Random(f"{kind}:{number}")))
    print(f"{path} written")
    print(outcome(kind, path))


def main() -> None:
    """Read the words and go."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--count", type=int, default=20_000, help="mutations to try")
    words.add_argument("--minutes", type=float, default=math.inf, help="after which to stop")
    words.add_argument("--kinds", default=",".join(KINDS))
    words.add_argument("--first", type=int, default=0, help="number of the first mutation")
    words.add_argument("--jobs", type=int, default=2)
    words.add_argument("--again", default=None, metavar="KIND:NUMBER")
    given = words.parse_args()
    if given.again:
        again(given.again)
        return
    sys.exit(
        campaign(given.count, given.minutes, given.kinds.split(","), given.first, given.jobs) > 0
    )


if __name__ == "__main__":
    main()
