"""Measure speed beside the peers: one table, and ``out/bench.json`` with machine and versions.

    python -m benchmarks [reading|formats|dynamics|ground|clips|batch …] [--rounds 5] [--large]

Medians of interleaved rounds in one process; what concerns starting runs in processes of its own.
Ratios say how many times faster than the peer we are, by the clock and by processor time.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from benchmarks import (
    batch,
    speed_clips,
    speed_dynamics,
    speed_formats,
    speed_ground,
    speed_reading,
)
from benchmarks.measuring import Row, machine

PARTS = ("reading", "formats", "dynamics", "ground", "clips", "batch")


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all by default")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--large",
        action="store_true",
        help="a million frames and 300 clips: takes 6 GB",
    )
    parser.add_argument("--out", type=Path, default=Path("out") / "bench.json")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    about = machine()
    print(", ".join(f"{name} {number}" for name, number in about["versions"].items()))
    print(f"{about['processor']}, {about['cores']} cores, load {about['load']}, {about['system']}")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for row in _rows(options, Path(folder)):
            if not rows or rows[-1].part != row.part:
                print(f"\n{row.part}\n{'':64}{'':>11} {'':16}{'× peer':>8}{'by CPU':>8}  goal")
            print(_line(row), flush=True)
            rows.append(row)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    found = {"machine": about, "rows": [_plain(row) for row in rows]}
    options.out.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"\n{options.out}")


def _rows(options: argparse.Namespace, folder: Path) -> Iterator[Row]:
    parts = options.parts or PARTS
    if "reading" in parts:
        yield from speed_reading.measure(folder, options.rounds)
    if "formats" in parts:
        yield from speed_formats.measure(folder, options.rounds)
    if "dynamics" in parts:
        yield from speed_dynamics.measure(options.rounds, options.large)
    if "ground" in parts:
        yield from speed_ground.measure(folder, options.rounds, options.large)
    if "clips" in parts:
        yield from speed_clips.measure(folder, options.rounds, options.large)
    if "batch" in parts:
        yield from batch.measure(folder / "batch", 300 if options.large else 60)


def _line(row: Row) -> str:
    ratios = "".join(
        " " * 8 if math.isnan(ratio) else f"{ratio:8.2f}" for ratio in (row.ratio, row.by_processor)
    )
    return f"{row.what:64}{row.value:11.4g} {row.unit:16}{ratios}  {row.goal}".rstrip()


def _plain(row: Row) -> dict[str, object]:
    return {k: None if v != v else v for k, v in asdict(row).items()}  # JSON knows no NaN


if __name__ == "__main__":
    main()
