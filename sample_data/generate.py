"""Write the sample clips and what is true of them: ``python -m sample_data.generate``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from scipy.spatial.transform import Rotation

from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.reading import read
from sample_data import gait_model as model
from sample_data.balance import Masses, Truth, find_balance, truth
from sample_data.gait import RUN, WALK, Balance, Gait, pose

HERE = Path(__file__).parent
FPS = 100.0
MASS = 70.0
CLIPS = {"walk": (WALK, 3.6), "run": (RUN, 2.4)}


def hierarchy() -> list[str]:
    """Return the BVH hierarchy of the person, centimetres."""
    lines = ["HIERARCHY"]

    def joint(i: int, depth: int) -> None:
        pad = "\t" * depth
        name, (x, y, z) = model.NAMES[i], 100 * model.OFFSETS[i]
        lines.append(f"{pad}{'ROOT' if depth == 0 else 'JOINT'} {name}")
        lines.append(f"{pad}{{")
        lines.append(f"{pad}\tOFFSET {x:.6f} {y:.6f} {z:.6f}")
        position = "6 Xposition Yposition Zposition" if depth == 0 else "3"
        lines.append(f"{pad}\tCHANNELS {position} Zrotation Xrotation Yrotation")
        for child in range(len(model.NAMES)):
            if model.PARENTS[child] == i:
                joint(child, depth + 1)
        if name in model.SITES:
            x, y, z = 100 * np.array(model.SITES[name])
            lines.extend([f"{pad}\tEnd Site", f"{pad}\t{{"])
            lines.extend([f"{pad}\t\tOFFSET {x:.6f} {y:.6f} {z:.6f}", f"{pad}\t}}"])
        lines.append(f"{pad}}}")

    joint(0, 0)
    return lines


def write_bvh(path: Path, root: np.ndarray, local: dict[str, np.ndarray]) -> None:
    """Write a pose sequence as BVH with eight decimals."""
    columns = [100 * root]
    for line in hierarchy():
        word, _, name = line.strip().partition(" ")
        if word in ("ROOT", "JOINT"):
            matrix = local.get(name, np.tile(np.eye(3), (len(root), 1, 1)))
            columns.append(Rotation.from_matrix(matrix).as_euler("ZXY", degrees=True))
    rows = [" ".join(f"{v:.8f}" for v in row) for row in np.concatenate(columns, axis=1)]
    head = ["MOTION", f"Frames: {len(rows)}", f"Frame Time: {1 / FPS:.8f}"]
    path.write_text("\n".join(hierarchy() + head + rows) + "\n", encoding="ascii")


def masses_of(path: Path) -> Masses:
    """Return the mass model that the program gives this person, in our order of bodies."""
    skeleton = read(path).skeleton
    body = body_model(skeleton, mass=MASS, height=model.STATURE)
    order = [skeleton.names.index(name) for name in model.NAMES]
    return Masses(body.mass[order], body.com[order], body.inertia[order])


def truth_table(time: np.ndarray, true: Truth) -> pd.DataFrame:
    """Return what is true, one row a frame, in the columns of ``grf`` and ``torques``."""
    columns: dict[str, np.ndarray] = {"frame": np.arange(len(time)), "time": time}
    for k, side in enumerate(("Left", "Right")):
        columns[f"{side}Foot_on"] = true.on[k]
        for c, axis in enumerate("xyz"):
            columns[f"{side}Foot_f{axis}"] = true.force[k, :, c]
            columns[f"{side}Foot_p{axis}"] = true.pressure[k, :, c]
        columns[f"{side}Foot_tn"] = true.couple[k]
    for i, name in enumerate(model.NAMES):
        if model.PARENTS[i] >= 0:
            columns |= {f"{name}_m{a}": true.moment[i, :, c] for c, a in enumerate("xyz")}
    return pd.DataFrame(columns)


def make(name: str, gait: Gait, seconds: float) -> tuple[Balance, Masses, np.ndarray, Truth]:
    """Generate one clip, write it with its truth, and return what it was made of."""
    time = np.arange(round(seconds * FPS)) / FPS
    path = HERE / f"{name}.bvh"
    write_bvh(path, *pose(gait, Balance(), time))  # the skeleton decides the masses
    masses = masses_of(path)
    balance = find_balance(gait, masses)
    write_bvh(path, *pose(gait, balance, time))
    true = truth(gait, balance, masses, time)
    truth_table(time, true).to_parquet(HERE / f"{name}_truth.parquet", index=False)
    return balance, masses, time, true


def main() -> None:
    """Write every sample clip."""
    from sample_data import make_c3d  # which asks for names of this module

    for name, (gait, seconds) in CLIPS.items():
        make(name, gait, seconds)
        print(f"{name}: {HERE / name}.bvh")
    make_c3d.main()


if __name__ == "__main__":
    main()
