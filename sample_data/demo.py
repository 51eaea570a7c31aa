"""What ``make demo`` runs: the whole pipeline on the sample clips, and what came out, in words."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from mocap_reroot.cli import app

HERE = Path(__file__).parent
OUT = HERE.parent / "out" / "demo"


def tell(folder: Path) -> None:
    """Print what the tables of one clip say."""
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    phases = pd.read_csv(folder / "phases.csv", keep_default_na=False)
    grf = pd.read_parquet(folder / "grf.parquet")
    torques = pd.read_parquet(folder / "torques.parquet")
    up = "xyz"[max(range(3), key=lambda k: abs(summary["up_vector"][k]))]
    feet = [c[:-3] for c in grf.columns if c.endswith("_on")]
    weight = summary["mass"] * 9.80665
    peaks = ", ".join(f"{foot} {grf[f'{foot}_f{up}'].max() / weight:.2f}" for foot in feet)
    moments = torques.filter(regex="_m[xyz]$").abs().max().sort_values(ascending=False)
    modes = ", ".join(f"{n} {mode}" for mode, n in phases["mode"].value_counts().items())
    print(f"\n{folder.name}: {summary['frames']} frames, {summary['mass']:.1f} kg")
    print(f"  phases              {modes}")
    print(f"  peak vertical force {peaks} body weights")
    print(f"  largest torque      {moments.index[0]} {moments.iloc[0]:.0f} N·m")
    print(f"  root invariance     {summary['quality']['root_invariance_nm']:.1e} N·m")
    print(f"  results             {folder}")


def main() -> None:
    """Run the sample clips and tell of them."""
    clips = sorted(str(p) for p in HERE.iterdir() if p.suffix in (".bvh", ".c3d"))
    print("The first run on a machine compiles the kernels: half a minute, once.", flush=True)
    app(["run", *clips, "-o", str(OUT), "--mass", "70", "--height", "1.75"], standalone_mode=False)
    for folder in sorted(OUT.iterdir()):
        if (folder / "summary.json").is_file():
            tell(folder)


if __name__ == "__main__":
    main()
