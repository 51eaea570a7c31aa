"""The compass biped of Stępień, Polański and Wojciechowski, section 8.

Two legs joined at the hip, point masses, walking down a slope with nothing but gravity. World axes:
x forward and downhill, z up. Angles are those of Fig. 7: ``θ`` of a leg from the vertical, positive
when its foot is in front of the hip. No equation of the double pendulum is written down here: the
tree is computed with articulated bodies and turned over at every heel strike by the general code.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.papers.figure import Figure
from mocap_reroot.papers.integrate import State
from mocap_reroot.papers.page import Picture, Table, write_page
from mocap_reroot.papers.walker import Stance, Tip, Walk, Walker, strike, walk
from mocap_reroot.types import BodyModel, JointType, Plane, Skeleton

HINGE = np.array([0.0, -1.0, 0.0])
"""World direction of both hinges: a turn by θ about it puts a foot in front of the hip."""

# Table 1: the state at the collision, before it is resolved. The hip angle is relative.
BETWEEN_LEGS = 0.5424
STANCE_RATE, HIP_RATE = -1.4939, -0.3117


@dataclass(frozen=True)
class CompassModel:
    """Table 1.

    Attributes:
        slope: rad, downhill.
        leg_mass, hip_mass: kg.
        length: m, of a leg.
        distance: m, from the hip to a leg's mass.
        gravity: m/s².
    """

    slope: float = 0.0524
    leg_mass: float = 1.0
    hip_mass: float = 2.0
    length: float = 1.0
    distance: float = 0.5
    gravity: float = 9.81

    def __post_init__(self) -> None:
        if min(self.leg_mass, self.length, self.gravity) <= 0 or self.hip_mass < 0:
            raise MocapRerootError(
                "A compass needs positive leg mass, length and gravity, and a hip mass that is "
                f"not negative; found {self.leg_mass}, {self.length}, {self.gravity}, "
                f"{self.hip_mass}."
            )
        if not 0 <= self.distance < self.length:
            raise MocapRerootError(
                f"The mass of a leg sits between hip and foot; found a distance of "
                f"{self.distance} m from the hip on a leg of {self.length} m."
            )

    def skeleton(self, standing: str = "left") -> Skeleton:
        """Return the tree that stands on one leg: that leg from the ground, the other at the hip.

        Capture frames are those of the tree that stands on the left leg: the left leg's origin is
        at its foot, the right leg's at the hip; both legs along z. The same frames are kept when
        the right leg stands, so that the two trees describe the same two bodies.
        """
        stands_left = standing == "left"
        hip = np.array([0.0, 0.0, self.length])
        origin = np.zeros((2, 3)) if stands_left else np.stack([hip, -hip])
        return Skeleton(
            names=("left", "right"),
            parents=np.array([-1, 0] if stands_left else [1, -1]),
            offset=np.stack([0 * hip, hip] if stands_left else [hip, 0 * hip]),
            origin=origin,
            joint_types=np.full(2, JointType.REVOLUTE),
            axes=np.tile(np.stack([HINGE, 0 * HINGE]), (2, 1, 1)),
        )

    def body(self) -> BodyModel:
        """Return the masses: the hip's belongs to the left leg (section 8.3)."""
        up = np.array([0.0, 0.0, 1.0])
        at = (self.length - self.distance) * up, self.length * up
        mass = self.leg_mass + self.hip_mass
        com = (self.leg_mass * at[0] + self.hip_mass * at[1]) / mass
        across = np.eye(3) - np.outer(up, up)
        inertia = np.zeros((2, 3, 3))
        for m, point in zip((self.leg_mass, self.hip_mass), at, strict=True):
            inertia[0] += m * ((point - com) @ (point - com)) * across
        coms = np.stack([com, -self.distance * up])
        return BodyModel(
            self.skeleton(), np.array([mass, self.leg_mass]), coms, inertia, table="Table 1"
        )

    def walker(self) -> Walker:
        """Return the biped on its slope."""
        down = np.array([np.cos(self.slope), 0.0, -np.sin(self.slope)])
        normal = np.array([np.sin(self.slope), 0.0, np.cos(self.slope)])
        foot = np.array([0.0, 0.0, -self.length])
        tips = (
            Tip("left", "left", np.zeros(3)),
            Tip("right", "right", foot),
            Tip("hip", "left", -foot, fall=True),
        )
        return Walker(
            self.body(),
            tips,
            Plane(np.zeros(3), normal),
            np.array([0.0, 0.0, -self.gravity]),
            joint="revolute",
            axis=HINGE,
            forward=down,
        )

    def at_collision(self) -> tuple[Stance, State]:
        """Return Table 1's state: on the left leg, the right foot on the slope in front of it."""
        walker = self.walker()
        stance = Stance(walker, self.skeleton("left"), walker.tips[0])
        q = np.array([-(BETWEEN_LEGS / 2 + self.slope), BETWEEN_LEGS])
        return stance, State(0.0, q, np.array([STANCE_RATE, HIP_RATE]))


@dataclass(frozen=True, eq=False)
class CompassResult:
    """A walk of the compass.

    Attributes:
        model: What walked.
        steps: One row a step: its duration and the state just after the impact that starts it.
        trajectory: One row a sample.
        walk: Trees, states and impacts.
        summary: Period, limit cycle, energy drift.
    """

    model: CompassModel
    steps: pd.DataFrame
    trajectory: pd.DataFrame
    walk: Walk
    summary: dict[str, float]

    def __repr__(self) -> str:
        s = self.summary
        return (
            f"<Compass: {len(self.steps)} steps, period {s['period']:.6f} s, after impact "
            f"theta ({s['theta_stance']:.6f}, {s['theta_swing']:.6f}) rad, rates "
            f"({s['dtheta_stance']:.6f}, {s['dtheta_swing']:.6f}) rad/s; last change "
            f"{s['last_change']:.1e}, energy drift {s['energy_drift']:.1e}>"
        )


def angles(stance: Stance, state: State) -> dict[str, tuple[float, float]]:
    """Return θ and its rate of every body of a planar walker, rad and rad/s, by name."""
    orientation, _ = stance.poses(state.q)
    rates = _planar_rates(stance, state)
    found = {}
    for i, name in enumerate(stance.skeleton.names):
        w, v = orientation[i, 0], orientation[i, 1:] @ HINGE
        angle = 2 * np.arctan2(v, w)
        found[name] = (float(angle - 2 * np.pi * np.round(angle / (2 * np.pi))), rates[i])
    return found


def _planar_rates(stance: Stance, state: State) -> list[float]:
    """Return rad/s, the rate of every body about the hinges' direction."""
    skeleton = stance.skeleton
    motion = stance.coordinates.to_motion(state.q, state.speed)
    assert motion.angular_velocity is not None
    rates = [0.0] * skeleton.n_bodies
    for i in skeleton.order:
        parent = skeleton.parents[i]
        own = motion.angular_velocity[i, :, 0] @ HINGE  # planar: the hinge's direction is common
        rates[i] = float(own + (rates[parent] if parent >= 0 else 0.0))
    return rates


def simulate(model: CompassModel, *, steps: int = 30, dt: float = 1e-3) -> CompassResult:
    """Walk a number of steps from Table 1's collision.

    Args:
        model: Masses, lengths, slope, gravity.
        steps: How many.
        dt: s, time step.

    Raises:
        MocapRerootError: The biped falls before the first step is made.
    """
    stance, state = model.at_collision()
    first = strike(stance, state, stance.walker.tips[1])
    record = walk(*first, steps=steps, dt=dt)
    if not record.strikes:
        raise MocapRerootError(
            f"The compass made no step on a slope of {model.slope} rad ({record.ended}). "
            "Try a slope between 0.01 and 0.08 rad."
        )
    return CompassResult(model, _steps(record), _trajectory(record), record, _summary(record))


def _steps(record: Walk) -> pd.DataFrame:
    rows = []
    for k, impact in enumerate(record.strikes):
        stance, states = record.pieces[k]
        found = angles(stance, states[0])
        standing = stance.tip.name
        swinging = next(name for name in found if name != standing)
        row = {"step": k, "duration": impact.before[1].time - states[0].time}
        row |= {"theta_stance": found[standing][0], "theta_swing": found[swinging][0]}
        row |= {"dtheta_stance": found[standing][1], "dtheta_swing": found[swinging][1]}
        rows.append(row)
    return pd.DataFrame(rows)


def _trajectory(record: Walk, every: float = 5e-3) -> pd.DataFrame:
    rows = []
    for k, (stance, states) in enumerate(record.pieces[: len(record.strikes)]):
        last = -np.inf
        for state in states:
            if state.time - last < every - 1e-9 and state is not states[-1]:
                continue
            last = state.time
            found = angles(stance, state)
            swinging = next(name for name in found if name != stance.tip.name)
            kinetic, potential = stance.energies(state)
            row = {"time": state.time, "step": k, "stance": stance.tip.name}
            row |= {"theta_stance": found[stance.tip.name][0], "theta_swing": found[swinging][0]}
            row |= {"dtheta_stance": found[stance.tip.name][1]}
            row |= {"dtheta_swing": found[swinging][1]}
            row |= {f"theta_{name}": found[name][0] for name in ("left", "right")}
            row |= {f"dtheta_{name}": found[name][1] for name in ("left", "right")}
            for tip in stance.walker.tips[:2]:
                x, _, z = stance.point(state.q, tip)
                row |= {f"{tip.name}_foot_x": x, f"{tip.name}_foot_z": z}
            row |= {"kinetic": kinetic, "potential": potential, "energy": kinetic + potential}
            rows.append(row)
    return pd.DataFrame(rows)


def _summary(record: Walk) -> dict[str, float]:
    steps = _steps(record)
    states = steps[["theta_stance", "theta_swing", "dtheta_stance", "dtheta_swing"]]
    drift = 0.0
    for stance, path in record.pieces[: len(record.strikes)]:
        totals = np.array([sum(stance.energies(state)) for state in path])
        zero = stance.point(path[0].q, stance.tip)[2]  # against the energy above the standing foot
        weight = stance.walker.body.total_mass * np.linalg.norm(stance.walker.gravity)
        drift = max(drift, float(np.ptp(totals) / (totals[0] - weight * zero)))
    change = float(np.abs(np.diff(states.to_numpy()[-2:], axis=0)).max(initial=0.0))
    last = {name: float(states[name].iloc[-1]) for name in states}
    return {
        "period": float(steps["duration"].iloc[-1]),
        **last,
        "last_change": change if len(steps) > 1 else float("nan"),
        "energy_drift": drift,
    }


def phase_portrait(result: CompassResult) -> Figure:
    """Return Fig. 10: the left leg's angle and rate over all steps, the last two strong."""
    figure = Figure("θ, rad", "dθ/dt, rad/s")
    path, last = result.trajectory, len(result.steps) - 2
    early = path[path["step"] < last]
    x, y = (_broken(early, f"{name}theta_left") for name in ("", "d"))
    figure.line(x, y, "before it settled", colour="#b9c7d8", width=0.8)
    colours = {True: "#c4452d", False: "#1f5fa8"}
    for stands, name in ((False, "swinging"), (True, "standing")):
        part = path[(path["step"] >= last) & ((path["stance"] == "left") == stands)]
        figure.line(part["theta_left"], part["dtheta_left"], name, colour=colours[stands], width=2)
    loop = path[path["step"] >= last - 1]
    jumps = loop.index[loop["step"].diff() == 1]
    for j in jumps:
        pair = path.loc[j - 1 : j]
        figure.line(pair["theta_left"], pair["dtheta_left"], colour="#555", dash="3 3", width=1)
    return figure


def energy_figure(result: CompassResult) -> Figure:
    """Return Fig. 11: potential against kinetic energy over the last two steps."""
    figure = Figure("kinetic energy, J", "potential energy, J")
    path, last = result.trajectory, len(result.steps) - 2
    corners = []
    for k, prime in ((last, ""), (last + 1, "′")):
        part = path[path["step"] == k]
        figure.line(part["kinetic"], part["potential"], f"step {k}", width=2)
        top = part.loc[part["potential"].idxmax()]
        for row, letter in ((part.iloc[0], "A"), (top, "B"), (part.iloc[-1], "C")):
            corners.append((row["kinetic"], row["potential"], letter + prime))
    figure.line(
        [corners[2][0], corners[3][0]], [corners[2][1], corners[3][1]],
        "impact", colour="#555", dash="3 3", width=1,
    )  # fmt: skip
    for x, y, letter in corners:
        figure.note(x, y, letter)
        figure.line([x], [y], colour="#222", width=0, mark=3)
    return figure


def _broken(path: pd.DataFrame, column: str) -> np.ndarray:
    """Return a column with NaN between steps, so that jumps are not drawn."""
    pieces = [[*part[column], np.nan] for _, part in path.groupby("step")]
    return np.concatenate(pieces) if pieces else np.zeros(0)


def run(
    out_dir: str | Path,
    *,
    slope: float = 0.0524,
    steps: int = 30,
    dt: float = 1e-3,
    gravity: float = 9.81,
    leg_mass: float = 1.0,
    hip_mass: float = 2.0,
    length: float = 1.0,
    distance: float = 0.5,
    kneed: bool = True,
) -> CompassResult:
    """Run the experiment and write ``steps.csv``, ``trajectory.csv``, figures and a page.

    Args:
        out_dir: Folder to write to.
        slope: rad.
        steps: How many steps to walk.
        dt: s, time step of the Runge-Kutta method.
        gravity: m/s².
        leg_mass, hip_mass: kg.
        length, distance: m, length of a leg; from the hip to its mass.
        kneed: Also walk the kneed example of the general walker.
    """
    model = CompassModel(slope, leg_mass, hip_mass, length, distance, gravity)
    result = simulate(model, steps=steps, dt=dt)
    parts: list[str | Picture | Table] = [
        "Two legs walk down a slope with nothing but gravity. The tree stands on one foot; at "
        "every heel strike the general re-rooting code turns it over, and conservation of angular "
        "momentum with the generalized inertia matrix (Eq. 23) gives the new velocities. Angles "
        "are those of Fig. 7: from the vertical, positive when the foot is in front of the hip.",
        repr(result).strip("<>"),
        Table(
            "steps", result.steps,
            "Every step: how long it takes, and the state just after the impact that starts it; "
            "step 0 starts with the collision of Table 1",
        ),
        Picture(
            "figure10", phase_portrait(result),
            "Phase portrait of one leg (Fig. 10): it swings above and stands below; dashed, what "
            "the impacts change.",
        ),
        Picture(
            "figure11", energy_figure(result),
            "Potential against kinetic energy over two steps (Fig. 11): A start, B highest "
            "potential energy, C collision.",
        ),
        Table("trajectory", result.trajectory, "Angles, feet and energies over time", rows=0),
    ]  # fmt: skip
    if kneed:
        from mocap_reroot.papers import kneed as with_knees

        parts += with_knees.page_parts(dt=dt)
    write_page(out_dir, "Compass biped", parts)
    return result
