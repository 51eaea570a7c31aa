"""How fast glTF and FBX are read, beside the libraries that only decode them; taken in turns.

    python -m benchmarks.scenes [--frames 20000] [--rounds 5]

The GLB is ours: the sample walk, repeated. pygltflib opens it and NumPy takes its numbers out, with
no tree and no frames made of them. The FBX is the text that the tests write; ufbx alone loads it
and evaluates every node at every frame, in this process, which ours does in another.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

import mocap_reroot as mr
from mocap_reroot.export.gltf import write_glb
from mocap_reroot.importers.fbx import read_fbx
from mocap_reroot.importers.gltf import read_gltf
from tests.importers.fbx_files import fbx

WALK = Path(__file__).resolve().parents[1] / "sample_data" / "walk.bvh"


def glb(folder: Path, frames: int) -> Path:
    """Write the sample walk again and again until it has so many frames."""
    motion = mr.read(WALK)
    times = -(-frames // motion.n_frames)
    long = replace(
        motion,
        rotation=np.tile(motion.rotation, (1, 1, times)),
        displacement=np.tile(motion.displacement, (1, 1, times)),
        flags=np.tile(motion.flags, times),
    )
    return write_glb(long, folder / "long.glb")


def with_pygltflib(path: Path) -> list[np.ndarray]:
    """Take the numbers of every channel out."""
    import pygltflib

    document = pygltflib.GLTF2().load(str(path))
    blob, found = document.binary_blob(), []
    for channel in document.animations[0].channels:
        accessor = document.accessors[document.animations[0].samplers[channel.sampler].output]
        begin = document.bufferViews[accessor.bufferView].byteOffset
        width = 4 if channel.target.path == "rotation" else 3
        found.append(np.frombuffer(blob, "<f4", accessor.count * width, begin).astype(float))
    return found


def with_ufbx(path: Path) -> list[list]:
    """Evaluate every node at every frame; what ufbx gives is kept, or it crashes."""
    import ufbx

    scene = ufbx.load_file(str(path))
    stack = scene.anim_stacks[0]
    nodes = [scene.nodes[i] for i in range(len(scene.nodes))]
    times = np.arange(round(stack.time_end * 30) + 1) / 30
    anim = stack.anim
    _KEPT.append((scene, stack, nodes, anim))
    return [[ufbx.evaluate_transform(anim, node, t) for t in times.tolist()] for node in nodes]


_KEPT: list = []


def race(rounds: int, **runs: Callable[[], object]) -> dict[str, float]:
    """Return median seconds, each run in turn."""
    spent: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            begin = time.perf_counter()
            run()
            spent[name].append(time.perf_counter() - begin)
    return {name: statistics.median(seconds) for name, seconds in spent.items()}


def main() -> None:
    """Measure and print."""
    words = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    words.add_argument("--frames", type=int, default=20_000)
    words.add_argument("--rounds", type=int, default=5)
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scene = glb(Path(folder), given.frames)
        text = Path(folder) / "chain.fbx"
        bones = [(f"b{k}", k - 1, (0, 10, 0), {}) for k in range(30)]
        times = np.arange(given.frames // 10) / 30
        turns = np.stack([30 * np.sin(times + 1), 0 * times, 0 * times], axis=1)
        text.write_text(fbx(bones, {"walk": (times, dict.fromkeys(range(30), turns))}))
        read_gltf(scene)  # compiled, or taken from the cache
        for path, runs in (
            (scene, {"ours": lambda: read_gltf(scene), "pygltflib": lambda: with_pygltflib(scene)}),
            (text, {"ours": lambda: read_fbx(text), "ufbx": lambda: with_ufbx(text)}),
        ):
            size = path.stat().st_size / 1e6
            for name, seconds in race(given.rounds, **runs).items():
                speed = size / seconds
                print(
                    f"{path.name:10} {size:6.1f} MB  {name:10} {seconds:7.3f} s  {speed:6.1f} MB/s"
                )


if __name__ == "__main__":
    gc.disable()  # see with_ufbx
    main()
    import os
    import sys

    sys.stdout.flush()
    os._exit(0)
