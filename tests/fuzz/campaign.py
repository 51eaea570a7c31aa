"""A long fuzzing campaign: ``python -m tests.fuzz.campaign --minutes 30`` (``make fuzz``).

Every mutation is told by its kind and its number, so what is found can be made again:
``python -m tests.fuzz.campaign --again bvh:1234``.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from random import Random

from mocap_reroot.batch.workers import Limits, work
from tests.fuzz.c3d_mutations import mutate_c3d
from tests.fuzz.gltf_mutations import mutate_fbx, mutate_glb
from tests.fuzz.oracle import outcome
from tests.fuzz.seeds import seeds
from tests.fuzz.text_mutations import mutate_text

KINDS = ("bvh", "c3d", "trc", "mot", "toml", "glb", "fbx")
LIMITS = Limits(seconds=120.0, megabytes=3000.0)
"""What one mutated file may cost."""


def mutated(kind: str, random: Random) -> bytes:
    """Return a file of a kind with something wrong."""
    data = random.choice(seeds(kind))
    binary = {"c3d": mutate_c3d, "glb": mutate_glb, "fbx": mutate_fbx}
    return binary[kind](data, random) if kind in binary else mutate_text(data, random, kind)


def attempt(task: tuple[str, int], tell: Callable[[str], None]) -> str:
    """Make a mutation and put it through everything; run in a worker."""
    kind, number = task
    tell(f"{kind}:{number}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"mutation.{kind}"
        path.write_bytes(mutated(kind, Random(f"{kind}:{number}")))
        return outcome(kind, path)


def tasks(minutes: float, kinds: list[str], first: int) -> Iterator[tuple[str, int]]:
    """Give work until the time is up."""
    stop, number = time.monotonic() + 60 * minutes, first
    for kind in cycle(kinds):
        if time.monotonic() > stop:
            return
        yield kind, number
        number += 1


def campaign(minutes: float, kinds: list[str], first: int, jobs: int) -> int:
    """Fuzz, print what was found, and return how many mutations went wrong."""
    counts: Counter[tuple[str, str]] = Counter()
    wrong = 0
    todo = tasks(minutes, kinds, first)
    while block := [task for _, task in zip(range(100), todo, strict=False)]:
        for done in work(attempt, block, jobs, LIMITS):
            kind, number = done.task
            counts[kind, done.value or done.kind] += 1
            if done.kind:
                wrong += 1
                print(f"{kind}:{number} {done.kind}: {done.reason[:300]}", flush=True)
    for (kind, what), count in sorted(counts.items()):
        print(f"{kind:5} {what:8} {count:7}")
    print(f"{sum(counts.values())} mutations, {wrong} went wrong")
    return wrong


def again(name: str) -> None:
    """Make one mutation again, keep it, and show its traceback."""
    kind, number = name.split(":")
    path = Path(f"mutation-{number}.{kind}")
    path.write_bytes(mutated(kind, Random(f"{kind}:{number}")))
    print(f"{path} written")
    print(outcome(kind, path))


def main() -> None:
    """Read the words and go."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--minutes", type=float, default=10.0)
    words.add_argument("--kinds", default=",".join(KINDS))
    words.add_argument("--first", type=int, default=0, help="number of the first mutation")
    words.add_argument("--jobs", type=int, default=2)
    words.add_argument("--again", default=None, metavar="KIND:NUMBER")
    given = words.parse_args()
    if given.again:
        again(given.again)
        return
    sys.exit(campaign(given.minutes, given.kinds.split(","), given.first, given.jobs) > 0)


if __name__ == "__main__":
    main()
