"""A kneed walker: the general walker on four bodies, with knees that lock when they straighten.

A walker with point feet in the manner of McGeer (1990) and Chen (*Passive Dynamic Walking with
Knees*, MIT 2007); its sizes are an example that walks, not a table of theirs. Three kinds of change
meet in every step: the tree is turned over at heel strike, the knee of the leg that leaves the
ground is freed, and it locks again by a second impact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from mocap_reroot.papers.compass import HINGE, angles
from mocap_reroot.papers.figure import Figure
from mocap_reroot.papers.integrate import State
from mocap_reroot.papers.page import Picture, Table
from mocap_reroot.papers.walker import Knee, Stance, Tip, Walk, Walker, lock, walk
from mocap_reroot.types import BodyModel, JointType, Plane, Skeleton

UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class KneedModel:
    """Sizes of the kneed walker.

    Attributes:
        slope: rad, downhill.
        hip_mass, thigh_mass, shank_mass: kg.
        thigh, shank: m, lengths.
        thigh_mass_at: m, from the hip; ``shank_mass_at``: from the knee.
        gravity: m/s².
    """

    slope: float = 0.0504
    hip_mass: float = 0.5
    thigh_mass: float = 0.5
    shank_mass: float = 0.05
    thigh: float = 0.5
    shank: float = 0.5
    thigh_mass_at: float = 0.325
    shank_mass_at: float = 0.125
    gravity: float = 9.81

    def skeleton(self) -> Skeleton:
        """Return the tree that stands on the left foot: shank, thigh, other thigh, other shank."""
        return Skeleton(
            names=("left_shank", "left_thigh", "right_thigh", "right_shank"),
            parents=np.array([-1, 0, 1, 2]),
            offset=np.stack([0 * UP, self.shank * UP, self.thigh * UP, -self.thigh * UP]),
            joint_types=np.full(4, JointType.REVOLUTE),
            axes=np.tile(np.stack([HINGE, 0 * HINGE]), (4, 1, 1)),
        )

    def walker(self) -> Walker:
        """Return the walker on its slope; the hip's mass belongs to the left thigh."""
        heavy = self.thigh_mass + self.hip_mass
        left_com = (
            self.thigh_mass * (self.thigh - self.thigh_mass_at) + self.hip_mass * self.thigh
        ) / heavy
        spread = self.thigh_mass * self.hip_mass / heavy * self.thigh_mass_at**2
        inertia = np.zeros((4, 3, 3))
        inertia[1] = spread * (np.eye(3) - np.outer(UP, UP))
        mass = np.array([self.shank_mass, heavy, self.thigh_mass, self.shank_mass])
        along = self.shank - self.shank_mass_at, left_com, -self.thigh_mass_at, -self.shank_mass_at
        body = BodyModel(self.skeleton(), mass, np.outer(along, UP), inertia, table="kneed walker")
        return Walker(
            body,
            (
                Tip("left", "left_shank", 0 * UP),
                Tip("right", "right_shank", -self.shank * UP),
                Tip("hip", "left_thigh", self.thigh * UP, fall=True),
            ),
            Plane(0 * UP, np.array([np.sin(self.slope), 0.0, np.cos(self.slope)])),
            -self.gravity * UP,
            joint="revolute",
            axis=HINGE,
            # a shank that turns towards positive θ, foot forward, extends its knee
            knees=(
                Knee("left_thigh", "left_shank", HINGE, "left"),
                Knee("right_thigh", "right_shank", HINGE, "right"),
            ),
            forward=np.array([np.cos(self.slope), 0.0, -np.sin(self.slope)]),
        )

    def after_strike(self) -> tuple[Stance, State]:
        """Return a state just after a heel strike, close enough to the gait to settle into it."""
        walker = self.walker()
        stance = Stance(walker, self.skeleton(), walker.tips[0])
        stand, swing, stand_rate, swing_rate = 0.1877, -0.2884, -1.1014, -0.0399
        q = np.array([stand, 0.0, swing - stand, 0.0])
        speed = np.array([stand_rate, 0.0, swing_rate - stand_rate, 0.0])
        return lock(stance, State(0.0, q, speed), walker.knees[0])


def simulate(model: KneedModel, *, steps: int = 20, dt: float = 1e-3) -> Walk:
    """Walk a number of steps."""
    return walk(*model.after_strike(), steps=steps, dt=dt)


def step_table(record: Walk) -> pd.DataFrame:
    """Return one row a step: duration, when the knee locked, and the state at its start."""
    rows, start = [], 0
    strikes = [k for k, impact in enumerate(record.impacts) if impact.name.startswith("strike")]
    for number, end in enumerate(strikes):
        stance, states = record.pieces[start]
        found = angles(stance, states[0])
        side, other = stance.tip.name, "right" if stance.tip.name == "left" else "left"
        began = states[0].time
        row = {"step": number, "duration": record.impacts[end].before[1].time - began}
        row["knee_lock"] = record.impacts[start].before[1].time - began
        row |= {
            "theta_stance": found[f"{side}_thigh"][0],
            "theta_swing": found[f"{other}_thigh"][0],
        }
        row |= {"dtheta_stance": found[f"{side}_thigh"][1]}
        row |= {"dtheta_swing": found[f"{other}_thigh"][1]}
        rows.append(row)
        start = end + 1
    return pd.DataFrame(rows)


def trajectory(record: Walk, every: int = 5) -> pd.DataFrame:
    """Return angles and energies over time, every so many samples."""
    rows = []
    for stance, states in record.pieces:
        for state in [*states[:-1:every], states[-1]]:
            kinetic, potential = stance.energies(state)
            row: dict[str, float | str] = {"time": state.time, "stance": stance.tip.name}
            row |= {f"theta_{name}": value[0] for name, value in angles(stance, state).items()}
            row |= {"kinetic": kinetic, "potential": potential, "energy": kinetic + potential}
            rows.append(row)
    return pd.DataFrame(rows)


def page_parts(*, steps: int = 20, dt: float = 1e-3) -> list[str | Picture | Table]:
    """Return the kneed walker's part of the compass page."""
    record = simulate(KneedModel(), steps=steps, dt=dt)
    path, table = trajectory(record), step_table(record)
    begin = table["duration"].iloc[:-4].sum()
    late = path[path["time"] >= begin]
    figure = Figure("time, s", "θ, rad")
    for name in ("left_thigh", "left_shank", "right_thigh", "right_shank"):
        figure.line(late["time"], late[f"theta_{name}"], name.replace("_", " "))
    return [
        "The same code on another tree: a walker with knees (McGeer, Chen). Any body may hit the "
        "ground; a knee that straightens locks by an impact of its own, and is freed when its leg "
        f"leaves the ground. {record.ended.capitalize()}.",
        Table("kneed_steps", table, "Kneed walker: every step, as above; knee_lock in s"),
        Picture("kneed", figure, "Kneed walker: angles over the last four steps."),
        Table("kneed_trajectory", path, "Kneed walker: angles and energies over time", rows=0),
    ]
