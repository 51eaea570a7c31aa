"""Faure's scenes: assembling, dragging, shaking (sections 3 and 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from mocap_reroot.mechanics.displacement import Assembled, Solids, assemble
from mocap_reroot.papers import scenes, stoermer
from mocap_reroot.papers.page import Picture, Table, axes, sticks, write_page
from mocap_reroot.papers.scenes import Scene

GRAVITY = 9.81


@dataclass(frozen=True, eq=False)
class AssemblyResult:
    """Tables of all scenes.

    Attributes:
        tables: ``assembly``, ``convergence``, ``tradeoff``, ``shaking``, ``shaking_steps``,
            ``momentum`` and ``particle``.
    """

    tables: dict[str, pd.DataFrame]

    def __repr__(self) -> str:
        best = self.tables["assembly"].iloc[0]
        return (
            f"<Assembly: {int(best['constraints'])} constraints to {best['error_m']:.1e} m in "
            f"{best['time_ms']:.1f} ms>"
        )


def timed(work: Callable[[], Assembled], repeats: int = 5) -> tuple[Assembled, float]:
    """Return a result and the median time it takes, ms, after one call to warm up."""
    result, times = work(), []
    for _ in range(repeats):
        begin = perf_counter()
        result = work()
        times.append(1e3 * (perf_counter() - begin))
    return result, float(np.median(times))


def hand_in_hand_table(scene: Scene) -> tuple[pd.DataFrame, pd.DataFrame, Assembled]:
    """Assemble Fig. 3 to 1e-6 m and as in the paper; also convergence."""
    ways: dict[str, dict] = {
        "to convergence": {"precision": 1e-6},
        "6 × 30 (paper)": {"iterations": 6, "linear_iterations": 30},
        "12 × 100": {"iterations": 12, "linear_iterations": 100, "precision": 1e-6},
    }
    rows, curves = [], []
    for name, options in ways.items():
        start = scene.solids, scene.position, scene.orientation
        found, time = timed(partial(assemble, *start, **options))
        last = found.history.iloc[-1]
        rows.append(
            {
                "way": name,
                "solids": scene.solids.n_solids,
                "constraints": scene.solids.n_constraints,
                "iterations": len(found.history) - 1,
                "linear_iterations": int(found.history["linear_iterations"].sum()),
                "error_m": last["error_m"],
                "error_rad": last["error_rad"],
                "time_ms": time,
                "paper_ms": 1000.0 if "paper" in name else np.nan,
            }
        )
        history = found.history.assign(scene="hand in hand", way=name)
        curves.append(history.rename_axis("iteration").reset_index())
    final = assemble(scene.solids, scene.position, scene.orientation, precision=1e-6)
    return pd.DataFrame(rows), pd.concat(curves, ignore_index=True), final


def tradeoff(scene: Scene, frames: int = 40) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """Drag the tip of a finger by a tracker (Fig. 5); accuracy against speed.

    Returns:
        tuple: One row a choice of iterations; and sticks to draw: before, and after each choice.
    """
    solids, tracker = scene.solids, int(np.flatnonzero(scene.solids.led)[0])
    way = np.array([-0.8, 1.2, 0.6])
    rows, pictures = [], {"start": scene.lines(scene.position, scene.orientation)}
    for outer, inner in ((1, 5), (2, 5), (2, 15), (3, 15), (3, 50), (3, None)):
        at, turn = scene.position.copy(), scene.orientation.copy()
        times, errors = [], []
        for frame in range(frames + 1):  # the first call warms up
            share = (1 - np.cos(np.pi * frame / frames)) / 2
            at[tracker] = scene.position[tracker] + share * way
            begin = perf_counter()
            limits = {"iterations": outer, "linear_iterations": inner}
            found = assemble(solids, at, turn, precision=1e-9, **limits)  # type: ignore[arg-type]
            times.append(1e3 * (perf_counter() - begin))
            at, turn = found.position, found.orientation
            errors.append(found.history["error_m"].iloc[-1])
        still = assemble(solids, at, turn, precision=1e-9, iterations=3, linear_iterations=50)
        name = f"{outer} × {inner if inner is not None else 'all'}"
        pictures[name] = scene.lines(at, turn)
        rows.append(
            {
                "iterations": name,
                "error_moving_m": float(np.max(errors)),
                "error_at_rest_m": float(still.history["error_m"].iloc[-1]),
                "time_ms": float(np.median(times[1:])),
                "frames_per_second": 1e3 / float(np.median(times[1:])),
            }
        )
    return pd.DataFrame(rows), pictures


def gravity_of(solids: Solids) -> stoermer.Forces:
    """Return the weight of solids."""

    def weight(position: np.ndarray, orientation: np.ndarray) -> np.ndarray:
        force = np.zeros((solids.n_solids, 6))
        force[:, 5] = -GRAVITY * solids.mass
        return force

    return weight


def shaking(
    scene: Scene,
    seconds: float = 4.0,
    step: float = 1 / 12,
    iterations: tuple[int, int] = (1, 15),
    seed: int = 1,
) -> tuple[pd.DataFrame, np.ndarray]:
    """Shake a plate by a tracker (Fig. 6), with time steps as long as they come.

    Returns:
        tuple: One row a frame; and the sticks of the last one.
    """
    solids, rng = scene.solids, np.random.default_rng(seed)
    zero = np.zeros_like(scene.position)
    weight = gravity_of(solids)
    state = stoermer.start(solids, scene.position, scene.orientation, zero, zero, step, weight)
    rows, time = [], 0.0
    while time < seconds:
        dt = step * rng.uniform(0.7, 1.3)  # real time, read at each entry of the loop
        time += dt
        led = state.position.copy(), state.orientation.copy()
        led[0][0] = 0.1 * np.sin(2 * np.pi * time) * np.array([1.0, 0.3, 0.2])
        begin = perf_counter()
        limits = {"iterations": iterations[0], "linear_iterations": iterations[1]}
        state = stoermer.step(solids, state, dt, weight, led, **limits)  # type: ignore[arg-type]
        took = 1e3 * (perf_counter() - begin)
        error = np.abs(solids.errors(state.position, state.orientation)).max()
        lowest = state.position[:, 2].min()
        row = {"time": time, "dt": dt, "error_m": error, "lowest_z": lowest, "time_ms": took}
        rows.append(row)
    return pd.DataFrame(rows), scene.lines(state.position, state.orientation)


def shaking_table(scene: Scene, seconds: float = 4.0) -> pd.DataFrame:
    """Shake the plate with several steps and iterations: error and time a frame."""
    rows = []
    for step in (1 / 12, 1 / 24, 1 / 48):
        for iterations in ((1, 15), (2, 15), (3, 50)):
            path, _ = shaking(scene, seconds, step, iterations)
            row = {"step": step, "iterations": f"{iterations[0]} × {iterations[1]}"}
            row |= {"error_median_m": path["error_m"].median()}
            row |= {"error_max_m": path["error_m"].max(), "time_ms": path["time_ms"].median()}
            rows.append(row)
    return pd.DataFrame(rows)


def momentum(scene: Scene, seconds: float = 2.0) -> pd.DataFrame:
    """Let a chain tumble in empty space: what is kept, by directions and step."""
    solids, rng, rows = scene.solids, np.random.default_rng(3), []
    velocity, turning = rng.normal(size=(2, solids.n_solids, 3))
    for directions in stoermer.DIRECTIONS:
        for dt in (0.02, 0.01, 0.005):
            limits = {"iterations": 60, "precision": 1e-13, "directions": directions}
            pose = scene.position, scene.orientation
            state = stoermer.start(solids, *pose, velocity, turning, dt)
            state = stoermer.step(solids, state, dt, **limits)  # type: ignore[arg-type]
            before, energy = state.momentum(solids), state.kinetic_energy(solids)
            worst = np.zeros(3)
            for _ in range(round(seconds / dt)):
                state = stoermer.step(solids, state, dt, **limits)  # type: ignore[arg-type]
                now = state.momentum(solids)
                drift = abs(state.kinetic_energy(solids) / energy - 1)
                changes = [np.abs(a - b).max() for a, b in zip(now, before, strict=True)]
                worst = np.maximum(worst, [*changes, drift])
            names = "linear_momentum", "angular_momentum", "relative_energy"
            drifts = dict(zip(names, worst, strict=True))
            rows.append({"directions": directions, "dt": dt, **drifts})
    return pd.DataFrame(rows)


def particle_on_circle(dt: float = 0.5, steps: int = 8) -> pd.DataFrame:
    """Move a particle on a unit circle with no force but the circle's (Fig. 4), in large steps.

    Pushed along the radius where it has flown to (``end``) it slows down; along the radius where it
    started (``start``) it does not.
    """
    rows = []
    for directions in stoermer.DIRECTIONS:
        last, x = np.array([1.0, 0.0]), np.array([np.cos(dt), np.sin(dt)])  # unit speed
        for k in range(steps):
            free = 2 * x - last
            way = free / np.linalg.norm(free) if directions == "end" else x
            # the correction δq = λ way that puts the particle back on the circle
            along = free @ way
            new = free + (np.sqrt(along**2 - free @ free + 1) - along) * way
            places = {"free_x": free[0], "free_y": free[1], "x": new[0], "y": new[1]}
            speed = float(np.linalg.norm(new - x) / dt)
            rows.append({"directions": directions, "step": k, **places, "speed": speed})
            last, x = x, new
    return pd.DataFrame(rows)


def bar_figure() -> tuple[Figure, pd.DataFrame]:
    """Assemble Fig. 2, iteration by iteration."""
    scene = scenes.bar_and_disks()
    plot = axes("x, m", "z, m", equal=True)
    at, turn, rows = scene.position, scene.orientation, []
    for k in range(7):
        error = np.abs(scene.solids.errors(at, turn)).max()
        rows.append({"scene": "bar and disks", "iteration": k, "error_m": error})
        if k < 5:
            bar = scene.lines(at, turn)[0]
            shade = ["#cfd8e3", "#9db4cc", "#6c8fb4", "#3b6b9c", "#c4452d"][k]
            plot.plot(bar[:, 0], bar[:, 2], color=shade, linewidth=2, label=f"iteration {k}")
            plot.plot(at[1:, 0], at[1:, 2], "o", color=shade, markersize=9)
        found = assemble(scene.solids, at, turn, precision=1e-15, iterations=1)
        at, turn = found.position, found.orientation
    plot.legend()
    return plot.figure, pd.DataFrame(rows)


def stick_figure(lines: dict[str, np.ndarray], across: str, upward: str) -> Figure:
    """Draw sticks ``(n, 2, 3)`` by name, seen along the axis that is left out."""
    plot = axes(f"{across}, m", f"{upward}, m", equal=True, size=(8.6, 3.3))
    for name, each in lines.items():
        path = sticks(each)
        plot.plot(path["xyz".index(across)], path["xyz".index(upward)], label=name)
    if len(lines) > 1:
        plot.legend()
    return plot.figure


def run(
    out_dir: str | Path, *, figures: int = 13, seconds: float = 4.0, step: float = 1 / 12
) -> AssemblyResult:
    """Run all scenes and write tables, figures and a page.

    Args:
        out_dir: Folder to write to.
        figures: How many figures hold hands (13 make the paper's 758 constraints).
        seconds: s, how long the plate is shaken.
        step: s, mean time step while it is shaken.
    """
    row = scenes.hand_in_hand(figures)
    assembly, convergence, final = hand_in_hand_table(row)
    bar, bar_rows = bar_figure()
    convergence = pd.concat([bar_rows, convergence], ignore_index=True)
    hand = scenes.fingers()
    trade, pictures = tradeoff(hand)
    plate = scenes.plate()
    shaken, last = shaking(plate, seconds, step)
    steps = shaking_table(plate, seconds)
    kept = momentum(scenes.chain_in_space())
    circle = particle_on_circle()
    tables = {
        "assembly": assembly, "convergence": convergence, "tradeoff": trade,
        "shaking": shaken, "shaking_steps": steps, "momentum": kept, "particle": circle,
    }  # fmt: skip
    errors = axes("iteration", "greatest error, m")
    errors.semilogy(bar_rows["iteration"], bar_rows["error_m"], ".-", label="bar and disks")
    for name, part in convergence[convergence["scene"] == "hand in hand"].groupby("way"):
        errors.semilogy(part["iteration"], part["error_m"], ".-", label=str(name))
    errors.legend()
    turn, printed = np.linspace(0, 2 * np.pi, 90), circle[circle["directions"] == "end"]
    ring = axes("x, m", "y, m", equal=True, size=(4.6, 4.2))
    ring.plot(np.cos(turn), np.sin(turn), color="#bbbbbb", label="circle")
    ring.plot(printed["free_x"], printed["free_y"], "o", color="#c4452d", label="free")
    ring.plot(printed["x"], printed["y"], "o-", color="#1f5fa8", label="corrected")
    ring.legend()
    dragged = {name: pictures[name] for name in ("start", "2 × 5", "3 × 50")}
    size = f"{plate.solids.n_solids} solids, {plate.solids.n_constraints} constraints"
    parts: list[str | Picture | Table] = [
        "Joints are pairs of frames with constrained directions; every iteration solves the "
        "linearised equation by conjugate gradients without forming its matrix, its rows scaled by "
        "the diagonal. Times are of this machine; the paper's are of an SGI O2 of 1999.",
        Picture("figure2", bar, "A bar is to end in two disks (Fig. 2): the first iterations."),
        Picture("convergence", errors.figure, "Greatest error, iteration by iteration."),
        Table("convergence", convergence, "Errors after every iteration", rows=0),
        Picture(
            "figure3_before",
            stick_figure({"": row.lines(row.position, row.orientation)}, "y", "z"),
            "Bodies of different sizes before their hands and feet are bound together (Fig. 3)",
        ),
        Picture(
            "figure3", stick_figure({"": row.lines(final.position, final.orientation)}, "y", "z"),
            f"… and after: {final.message}",
        ),
        Table("assembly", assembly, "Fig. 3: time and error by way of solving; linear iterations "
              "are the sum over all iterations; the paper reports less than one second"),
        Picture("figure5", stick_figure(dragged, "x", "y"),
                "A finger dragged by its tip (Fig. 5), at the end of the way."),
        Table("tradeoff", trade, "Fig. 5: 56 solids and 261 constraints, and a tracker. Iterations "
              "are geometric × linear; the paper drags with 2 × 5 and is exact with 3 × 50"),
        Picture("figure6", stick_figure({"": last}, "x", "z"),
                f"A plate is shaken (Fig. 6): {size}, 1 × 15 iterations a frame."),
        Table("shaking", shaken, f"Fig. 6: {size}; Stoermer steps of varying length. The paper "
              "animates 12 frames a second", rows=12),
        Table("shaking_steps", steps, "Fig. 6: the same with other steps and iterations"),
        Picture("figure4", ring.figure,
                "A particle on a circle (Fig. 4), first step of half a radian: "
                "where it flies freely, and where the correction puts it."),
        Table("particle", circle, "Fig. 4: positions, and speed along the chord. Corrected along "
              "the radius at the end of the flight it slows down, at its start it does not"),
        Table("momentum", kept, "An isolated chain of six rods in Stoermer steps: greatest change. "
              "Corrections directed as at the end of the step (the paper) keep linear momentum; "
              "directed as at its start they keep angular momentum too"),
    ]  # fmt: skip
    write_page(out_dir, "Assembly by displacement constraints", parts)
    return AssemblyResult(tables)
