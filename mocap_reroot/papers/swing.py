"""The swing of Yamane and Nakamura, section 4: closed loops, opened one after the other.

Forward dynamics by the unit-vector method on a structure that varies: the same tree with both
grips, with one, and with none. Loops are kept closed by post-stabilisation (Faure, Eq. 5 and 6)
and, for comparison, by Baumgarte's method or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from mocap_reroot.errors import UnknownNameError
from mocap_reroot.mechanics.closed_chain import ClosedChain, contact
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.numerics.vectors import turn
from mocap_reroot.papers.integrate import State, integrate, runge_kutta
from mocap_reroot.papers.page import Picture, Table, axes, sticks, write_page
from mocap_reroot.papers.swing_model import SIDES, TRUNK_LENGTH, SwingModel, limit_torques
from mocap_reroot.types import STANDARD_GRAVITY

STABILISATIONS = ("post", "baumgarte", "none")
METHODS = ("adaptive", "rk4")
RUNAWAY = 1e4
"""rad/s or m/s: nothing on a swing moves as fast; an unstable method has run away."""
SAME_TIME = 1e-9
"""s: a release is due if it is no further away than this."""
PAPER_MS = 25.0
"""ms of one forward-dynamics evaluation in the paper (Pentium Pro, 200 MHz)."""


@dataclass(frozen=True, eq=False)
class SwingRun:
    """One simulation.

    Attributes:
        trajectory: One row a sample: time, degrees of freedom, energies, loop error, places.
        states: The samples.
        releases: One row a change of structure.
        diverged: s, when speeds grew beyond all measure; None if they did not.
    """

    trajectory: pd.DataFrame
    states: list[State]
    releases: pd.DataFrame
    diverged: float | None = None

    @property
    def energy_drift(self) -> float:
        """Greatest change of the total energy against the greatest kinetic energy."""
        total = self.trajectory["energy"]
        return float((total - total.iloc[0]).abs().max() / self.trajectory["kinetic"].max())

    @property
    def loop_error(self) -> float:
        """m, greatest distance of a hand from its rope."""
        return float(self.trajectory["loop_error"].max())


def simulate(
    model: SwingModel,
    *,
    seconds: float = 5.0,
    dt: float = 1e-2,
    method: str = "adaptive",
    stabilisation: str = "post",
    gain: float = 20.0,
    limits: bool = False,
    releases: Mapping[str, float] | None = None,
    angle: float = 0.5,
    every: float = 0.01,
) -> SwingRun:
    """Swing.

    Args:
        model: Sizes.
        seconds: s, how long.
        dt: s, from one stabilisation to the next.
        method: ``"adaptive"`` (eighth order, steps as short as needed within ``dt``) or ``"rk4"``
            (fourth order, one step of ``dt``).
        stabilisation: ``"post"``, ``"baumgarte"`` or ``"none"``.
        gain: 1/s, of Baumgarte's method.
        limits: Whether joints are kept within limits by torques.
        releases: Closures to open (``"left_hand"``, ``"right_hand"``) and when, s.
        angle: rad, how far the ropes are drawn back at the start.
        every: s, between samples.
    """
    if stabilisation not in STABILISATIONS:
        raise UnknownNameError("stabilisation", stabilisation, STABILISATIONS)
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    chain, limit = model.chain(), limit_torques(model.chain().coordinates) if limits else None
    feedback = gain if stabilisation == "baumgarte" else 0.0
    waiting = sorted((time, name) for name, time in (releases or {}).items())
    state = State(0.0, model.start(angle), np.zeros(chain.coordinates.n_speeds))
    rows, states, changes = [], [], [_change(0.0, "both hands hold", chain, state)]
    diverged, count, sampling = None, round(seconds / dt), max(1, round(every / dt))
    for step in range(count + 1):
        while waiting and state.time >= waiting[0][0] - SAME_TIME:
            _, name = waiting.pop(0)
            chain = chain.without(name)
            said = f"the {name.replace('_', ' ')} lets go"
            changes.append(_change(state.time, said, chain, state))
        if step % sampling == 0:
            rows.append(_sample(chain, state))
            states.append(state)
        if step == count:
            break
        law, before = partial(_acceleration, chain, limit, feedback), state.time
        if method == "adaptive":
            state = integrate(chain.coordinates, law, state, before + dt)[0][-1]
        else:
            state = runge_kutta(chain.coordinates, law, state, dt)
        if not np.abs(state.speed).max() < RUNAWAY:
            diverged = before
            break
        if stabilisation == "post" and chain.closures:  # Faure, Eq. 5 and 6
            q, _ = chain.close(state.q, precision=1e-11)
            state = State(state.time, q, chain.keep_closed(q, state.speed))
    return SwingRun(pd.DataFrame(rows), states, pd.DataFrame(changes), diverged)


def _acceleration(
    chain: ClosedChain,
    limit: Callable[[State], np.ndarray] | None,
    gain: float,
    state: State,
) -> np.ndarray:
    """Return ``(speeds)`` accelerations; ``gain`` 1/s of Baumgarte's stabilisation, 0 for none."""
    asked: np.ndarray | float = 0.0
    if gain:
        opening = chain.constraints(state.q)[0] @ state.speed
        asked = -2 * gain * opening - gain**2 * chain.errors(state.q)
    return chain.forward(state.q, state.speed, limit(state) if limit else 0.0, asked)


def _change(time: float, what: str, chain: ClosedChain, state: State) -> dict:
    free = chain.mobility(state.q, state.speed).n_freedoms
    speeds = chain.coordinates.n_speeds
    row = {"time": time, "what": what, "closed_loops": len(chain.closures), "tree_speeds": speeds}
    return row | {"constraints": chain.n_constraints, "degrees_of_freedom": free}


def _sample(chain: ClosedChain, state: State) -> dict[str, float]:
    kinetic, potential = chain.energies(state.q, state.speed)
    error = np.abs(chain.errors(state.q)).max(initial=0.0)
    row = {"time": state.time, "closed_loops": len(chain.closures), "loop_error": float(error)}
    row |= {"kinetic": kinetic, "potential": potential, "energy": kinetic + potential}
    for name, place in places(chain, state.q).items():
        row |= {f"{name}_{axis}": float(x) for axis, x in zip("xyz", place, strict=True)}
    return row


def places(chain: ClosedChain, q: np.ndarray) -> dict[str, np.ndarray]:
    """Return where the trunk, the hands and the ropes' ends are, m."""
    lines, index = body_lines(chain, q), chain.skeleton.index
    found = {"trunk": lines[index("trunk")].mean(axis=0)}
    for side in SIDES:
        found[f"{side}_hand"] = lines[index(f"{side}_forearm"), 1]
        found[f"{side}_rope_end"] = lines[index(f"{side}_rope2"), 1]
    return found


def body_lines(chain: ClosedChain, q: np.ndarray) -> np.ndarray:
    """Return ``(n, 2, 3)`` lines that stand for the bodies, from their joint to their far end."""
    orientation, position = chain.poses(q)
    ends = np.stack([np.zeros_like(chain.body.com), 2 * chain.body.com], axis=1)
    ends[chain.skeleton.index("trunk")] = [[0, 0, -TRUNK_LENGTH / 2], [0, 0, TRUNK_LENGTH / 2]]
    ends[chain.skeleton.index("beam")] = [[0, -0.5, 0], [0, 0.5, 0]]
    turned = turn(orientation.T[:, :, None], np.moveaxis(ends, 2, 0))
    return np.moveaxis(turned, 0, 2) + position[:, None]


def evaluation_cost(model: SwingModel, repeats: int = 300) -> float:
    """Return the median time of one forward-dynamics evaluation, ms."""
    chain, q = model.chain(), model.start()
    speed, times = np.zeros(chain.coordinates.n_speeds), []
    for _ in range(repeats):
        begin = perf_counter()
        chain.forward(q, speed)
        times.append(1e3 * (perf_counter() - begin))
    return float(np.median(times))


def inertia_of_pose(chain: ClosedChain, q: np.ndarray, what: str) -> dict[str, object]:
    """Return what the inertia matrix says about a pose: whether it is symmetric and positive."""
    matrix = chain.inertia(q)
    values = np.linalg.eigvalsh((matrix + matrix.T) / 2)
    return {
        "pose": what,
        "degrees_of_freedom": len(matrix),
        "asymmetry": float(np.abs(matrix - matrix.T).max() / np.abs(matrix).max()),
        "least_eigenvalue": float(values[0]),
        "greatest_eigenvalue": float(values[-1]),
        "motions_without_inertia": int((values < 1e-12 * values[-1]).sum()),
    }


def captured_chain(path: str | Path, frame: int = 0) -> tuple[ClosedChain, np.ndarray]:
    """Return a captured pose as a closed chain that stands on both feet, and its coordinates.

    Args:
        path: A motion-capture file.
        frame: Which of its frames.
    """
    from mocap_reroot.anthropometry.bodies import body_model
    from mocap_reroot.reading import read

    motion = read(path)
    skeleton = motion.skeleton
    body = body_model(skeleton, source=motion.source)
    world = forward(motion.cut(frame, frame + 1))
    anatomy = skeleton.anatomy
    feet = [anatomy.find(f"{side}_foot") for side in SIDES] if anatomy is not None else []
    closures = tuple(
        contact("flat", i, np.zeros(3), world.position[i, :, 0], world.orientation[i, :, 0])
        for found in feet
        for i in found[:1]
    )
    chain = ClosedChain(skeleton, body, closures, gravity=-STANDARD_GRAVITY * motion.up)
    q, _, _ = chain.coordinates.of_motion(motion, frame)
    return chain, q


def stabilisation_table(model: SwingModel, seconds: float = 1.5) -> pd.DataFrame:
    """Compare post-stabilisation with Baumgarte's and with none, at steps of fourth order."""
    ways = [("post", 0.0), ("baumgarte", 5.0), ("baumgarte", 50.0), ("baumgarte", 500.0)]
    rows = []
    for dt in (4e-3, 2e-3):
        for way, gain in [*ways, ("none", 0.0)]:
            begin = perf_counter()
            options = {"method": "rk4", "stabilisation": way, "gain": gain}
            found = simulate(model, seconds=seconds, dt=dt, **options)  # type: ignore[arg-type]
            row = {"dt": dt, "stabilisation": way, "gain": gain if gain else np.nan}
            row |= {"loop_error_m": found.loop_error, "energy_drift": found.energy_drift}
            row |= {"diverged_at_s": np.nan if found.diverged is None else found.diverged}
            rows.append(row | {"time_s": perf_counter() - begin})
    return pd.DataFrame(rows)


@dataclass(frozen=True, eq=False)
class SwingResult:
    """The experiment.

    Attributes:
        free: Five seconds without limits or torque.
        varying: With joint limits, released hand by hand.
        stabilisation: Ways of keeping the loops closed, compared.
        inertia: Inertia matrices of poses.
        cost: ms of one forward-dynamics evaluation.
    """

    free: SwingRun
    varying: SwingRun
    stabilisation: pd.DataFrame
    inertia: pd.DataFrame
    cost: float

    def __repr__(self) -> str:
        free = self.varying.releases["degrees_of_freedom"].tolist()
        if self.varying.diverged is not None:
            free.append(f"run away at {self.varying.diverged:.2f} s")
        return (
            f"<Swing: {', '.join(map(str, free))} degrees of freedom; energy drift "
            f"{self.free.energy_drift:.1e}, loops closed to {self.free.loop_error:.1e} m; one "
            f"forward-dynamics evaluation {self.cost:.3f} ms (paper: {PAPER_MS:g} ms)>"
        )


def snapshots(run: SwingRun, chain: ClosedChain, times: Sequence[float]) -> Figure:
    """Draw the body at some times side by side, seen from the side (Fig. 8)."""
    apart = 2.2  # m
    label = f"x, m (each picture {apart:g} m further)"
    plot = axes(label, "z, m", equal=True, size=(9.8, 4.7))
    moments = np.array([state.time for state in run.states])
    for k, time in enumerate(times):
        state = run.states[int(np.abs(moments - time).argmin())]
        x, _, z = sticks(body_lines(chain, state.q))
        plot.plot(x + apart * k, z, label=f"{state.time:.1f} s")
    plot.legend(ncols=len(times))
    return plot.figure


def run(
    out_dir: str | Path,
    *,
    seconds: float = 5.0,
    dt: float = 1e-2,
    angle: float = 0.5,
    gravity: float = 9.81,
    grip: str = "point",
    first_release: float = 2.0,
    second_release: float = 3.0,
    pose: str | Path | None = None,
) -> SwingResult:
    """Run the experiment and write tables, figures and a page.

    Args:
        out_dir: Folder to write to.
        seconds: s, how long the free swing lasts.
        dt: s, from one stabilisation to the next.
        angle: rad, how far the swing is drawn back.
        gravity: m/s².
        grip: ``"point"`` or ``"rigid"``: how hands hold the ropes.
        first_release, second_release: s, when the left and the right hand let go.
        pose: Motion-capture file; the inertia matrix of its first frame is checked as well.
    """
    model = SwingModel(grip=grip, gravity=gravity)
    free = simulate(model, seconds=seconds, dt=dt, angle=angle)
    varying = simulate(
        model, seconds=second_release + 0.6, dt=2e-3, method="rk4", angle=angle, limits=True,
        releases={"left_hand": first_release, "right_hand": second_release},
    )  # fmt: skip
    poses = [inertia_of_pose(model.chain(), model.start(angle), "the swing's first")]
    if pose is not None:
        poses.append(inertia_of_pose(*captured_chain(pose), Path(pose).name))
    stabilisation = stabilisation_table(model)
    cost = evaluation_cost(model)
    result = SwingResult(free, varying, stabilisation, pd.DataFrame(poses), cost)
    write_page(out_dir, "A body on a swing", _page(result, model, second_release))
    return result


def _page(result: SwingResult, model: SwingModel, last: float) -> list[str | Picture | Table]:
    path = result.free.trajectory
    energy = axes("time, s", "energy above the first, J")
    for name in ("kinetic", "potential", "energy"):
        start = 0.0 if name == "kinetic" else path[name].iloc[0]
        energy.plot(path["time"], path[name] - start, label=name)
    energy.legend()
    gaps = axes("time, s", "greatest loop error, m")
    gaps.semilogy(path["time"], path["loop_error"].clip(lower=1e-16))
    times = [0.0, 0.6, 1.2, last - 0.5, last, last + 0.5]
    return [
        "A body of sixteen degrees of freedom holds a swing of six spherical joints by two "
        "virtual links. The spanning tree has forty speeds, the free flight of the trunk included; "
        "how many remain is found from the rank of the constraint Jacobian.",
        repr(result).strip("<>"),
        Table("releases", result.varying.releases, "The structure varies: hands let go"),
        Picture(
            "figure8",
            snapshots(result.varying, model.chain(), times),
            "The body swings, lets go with its left hand, then its right, and falls (Fig. 8).",
        ),
        Picture("energy", energy.figure, "Energies of the free swing: no limits, no torques."),
        Picture("loops", gaps.figure, "Loop error of the free swing."),
        Table("trajectory", path, "The free swing", rows=0),
        Table("trajectory_released", result.varying.trajectory, "The released swing", rows=0),
        Table(
            "stabilisation", result.stabilisation,
            "A swing in steps of fourth order: what the loops and the energy suffer. Gains of "
            "Baumgarte's method in 1/s: too weak lets the loops open, too strong runs away",
        ),
        Table(
            "inertia", result.inertia,
            "Inertia matrix of the generalized coordinates: symmetric and positive if the pose and "
            "its masses are physically consistent. Motions without inertia are those of bodies "
            "that weigh nothing",
        ),
    ]  # fmt: skip
