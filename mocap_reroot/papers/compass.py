"""The compass biped of Stępień, Polański and Wojciechowski, section 8.

Two legs joined at the hip, point masses, walking down a slope with nothing but gravity. World axes:
x forward and downhill, z up. Angles are those of Fig. 7: ``θ`` of a leg from the vertical, positive
when its foot is in front of the hip. No equation of the double pendulum is written down here: the
tree is computed with composite bodies and turned over at every heel strike by the general code.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.papers.integrate import State
from mocap_reroot.papers.page import Picture, Table, axes, write_page
from mocap_reroot.papers.walker import Stance, Tip, Walk, Walker, strike, walk
from mocap_reroot.types import BodyModel, JointType, Plane, Skeleton

HINGE = np.array([0.0, -1.0, 0.0])
"""World direction of both hinges: a turn by θ about it puts a foot in front of the hip."""

# Table 1: the state at the collision, before it is resolved. The hip angle is relative.
BETWEEN_LEGS = 0.5424
STANCE_RATE, HIP_RATE = -1.4939, -0.3117

STATES = ["theta_stance", "theta_swing", "dtheta_stance", "dtheta_swing"]


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
                f"not negative; found {self}."
            )
        if not 0 <= self.distance < self.length:
            raise MocapRerootError(
                "The mass of a leg sits between hip and foot, 0 <= distance < length; "
                f"found {self}."
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
        trajectory: One row a state.
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
    skeleton, layout = stance.skeleton, stance.tree.coordinates
    orientation, _ = stance.tree.poses(state.q)
    angle = 2 * np.arctan2(orientation[:, 1:] @ HINGE, orientation[:, 0])
    angle -= 2 * np.pi * np.round(angle / (2 * np.pi))
    motion = layout.to_motion(state.q, state.speed)
    assert motion.angular_velocity is not None
    rate = HINGE @ motion.angular_velocity[:, :, 0].T  # of each joint: the hinges' axis is common
    for i in skeleton.order[1:]:
        rate[i] += rate[skeleton.parents[i]]
    both = zip(angle.tolist(), rate.tolist(), strict=True)
    return dict(zip(skeleton.names, both, strict=True))


def simulate(model: CompassModel, *, steps: int = 30, dt: float = 5e-3) -> CompassResult:
    """Walk a number of steps from Table 1's collision.

    Args:
        model: Masses, lengths, slope, gravity.
        steps: How many.
        dt: s, longest time step.

    Raises:
        MocapRerootError: The biped falls before the first step is made.
    """
    stance, state = model.at_collision()
    first = strike(stance, state, stance.walker.tips[1])
    record = walk(*first, steps=steps, dt=dt)
    if not record.impacts:
        raise MocapRerootError(
            f"The compass made no step on a slope of {model.slope} rad ({record.ended}). "
            "Try a slope between 0.01 and 0.08 rad."
        )
    path = _trajectory(record)
    by_step = path.groupby("step")
    start = by_step[["time", *STATES]].first()
    table = start.assign(time=by_step["time"].last() - start["time"]).rename(
        columns={"time": "duration"}
    )
    # drift against the energy above the standing foot
    weight = stance.walker.body.total_mass * model.gravity
    above = by_step["energy"].first() - weight * by_step["standing_z"].first()
    drift = (by_step["energy"].max() - by_step["energy"].min()) / above
    change = table[STATES].diff().abs().max(axis=1).iloc[-1]
    summary = {"period": table["duration"].iloc[-1], **table[STATES].iloc[-1]}
    summary |= {"last_change": change, "energy_drift": drift.max()}
    numbers = {name: float(value) for name, value in summary.items()}
    path = path.drop(columns="standing_z")
    return CompassResult(model, table.reset_index(), path, record, numbers)


def _trajectory(record: Walk) -> pd.DataFrame:
    """Return one row a state of every step that was made."""
    rows = []
    for k, (stance, states) in enumerate(record.stances[: len(record.impacts)]):
        standing = stance.tip.name
        swinging = "right" if standing == "left" else "left"
        for state in states:
            found = angles(stance, state)
            kinetic, potential = stance.energies(state)
            row = {"time": state.time, "step": k, "stance": standing}
            roles = {"stance": standing, "swing": swinging, "left": "left", "right": "right"}
            for role, leg in roles.items():
                row[f"theta_{role}"], row[f"dtheta_{role}"] = found[leg]
            for tip in stance.walker.tips[:2]:
                row[f"{tip.name}_foot_x"], _, row[f"{tip.name}_foot_z"] = stance.point(state.q, tip)
            row |= {"kinetic": kinetic, "potential": potential, "energy": kinetic + potential}
            rows.append(row | {"standing_z": row[f"{standing}_foot_z"]})
    return pd.DataFrame(rows)


def phase_portrait(result: CompassResult) -> Figure:
    """Return Fig. 10: the left leg's angle and rate over all steps, the last two strong."""
    plot, last = axes("θ, rad", "dθ/dt, rad/s"), len(result.steps) - 2
    for step, part in result.trajectory.groupby("step"):
        stands = part["stance"].iloc[0] == "left"
        curve = part["theta_left"], part["dtheta_left"]
        if step < last:
            label = "" if step else "before the limit cycle"
            plot.plot(*curve, color="#b9c7d8", linewidth=0.8, label=label)
        else:
            colour, label = ("#c4452d", "standing") if stands else ("#1f5fa8", "swinging")
            plot.plot(*curve, color=colour, linewidth=2, label=label)
    loop = result.trajectory[result.trajectory["step"] >= last - 1]
    for j in loop.index[loop["step"].diff() == 1]:  # what the impacts change
        pair = loop.loc[j - 1 : j]
        plot.plot(pair["theta_left"], pair["dtheta_left"], "--", color="#555555", linewidth=1)
    plot.legend()
    return plot.figure


def energy_figure(result: CompassResult) -> Figure:
    """Return Fig. 11: potential against kinetic energy over the last two steps."""
    plot, last, corners = (
        axes("kinetic energy, J", "potential energy, J"),
        len(result.steps) - 2,
        [],
    )
    for k, prime in ((last, ""), (last + 1, "′")):
        part = result.trajectory[result.trajectory["step"] == k]
        plot.plot(part["kinetic"], part["potential"], linewidth=2, label=f"step {k}")
        top = part.loc[part["potential"].idxmax()]
        for row, letter in ((part.iloc[0], "A"), (top, "B"), (part.iloc[-1], "C")):
            corners.append((row["kinetic"], row["potential"]))
            plot.annotate(letter + prime, corners[-1], (4, 4), textcoords="offset points")
    plot.plot(*zip(*corners, strict=True), "o", color="#222222", markersize=4)
    plot.plot(*zip(*corners[2:4], strict=True), "--", color="#555555", linewidth=1, label="impact")
    plot.legend()
    return plot.figure


def run(out_dir: str | Path, *, steps: int = 30, dt: float = 5e-3, **sizes: float) -> CompassResult:
    """Run the experiment and write tables, figures and a page.

    Args:
        out_dir: Folder to write to.
        steps: How many steps to walk.
        dt: s, longest time step.
        **sizes: Attributes of :class:`CompassModel`.
    """
    result = simulate(CompassModel(**sizes), steps=steps, dt=dt)
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
    write_page(out_dir, "Compass biped", parts)
    return result
