"""Tuned numbers of the stages (noise, friction, bounds of the sole): unit, meaning and source.

Stages take them as an argument; a TOML file sets them in ``[parameters.ground]``. Class docstrings
are what ``docs/reference/parameters.md`` is made of.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any

from mocap_reroot.errors import ConfigError


@dataclass(frozen=True)
class Numbers:
    """Tuned numbers of a stage; all are finite and none is negative."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not 0 <= value < math.inf:
                raise ConfigError(f"{name} is {value!r}; expected a number from 0 on.")


@dataclass(frozen=True)
class GroundParameters(Numbers):
    """What is known beforehand about capture, bodies and feet.

    A noise is a spectral density: the number is the standard deviation of one sample at 100 Hz.

    Attributes:
        knot: s, about how far knots of the estimate are apart.
        height_noise: m, noise of the captured centre of mass upwards.
        path_noise: m, the same along the ground.
        lag: m per body weight, by which markers and soft parts hang below the centre of mass.
        end: s, whose frames tell the velocity at a clip's ends.
        turn_noise: m², noise of the captured orientation × inertia over the mass of the body: what
            is hard to turn was captured well; …
        angle_noise: rad, … and what is easy to turn, a body about its length, not worse than this.
        force_bend: m/s⁴, second derivative of a limb's force over the mass, in a stance of 0.3 s …
        moment_bend: m²/s⁴, the same of its moments (pressure × force).
        couple_bend: The free moment bends this much of it.
        bend_power: … falling with the length of the stance to this power …
        short, short_power: … and, in stances shorter than this (s), faster: a push that bears the
            body for a whole step bends with the third power of its length, and stances of sprints
            are seen about 45 ms too long.
        impact: s/m, by which bending is freed per m/s of falling at touch-down …
        impact_fades: s, … fading in this time after it.
        margin: s, by which a stance may begin earlier and end later than was seen, at a price:
        early: Body weights borne 20 ms outside of what was seen.
        clear: m, height over the ground at which that is √2 times dearer.
        along, across: m, how far the pressure strays from where the sole is lowest.
        lowest: m, how much higher a point of the sole must be to count a third.
        roll_ahead, roll: The sole rolls: the pressure is this far ahead of the ankle, and so much
            farther per slope at which the body leans over it …
        roll_spread: … within this distance; all in shares of the sole's length.
        lifted: m, points higher than this above the lowest bear nothing.
        heel, ball: Where the sole begins and ends to bear, shares of its length.
        width: Share of its width that bears.
        slack: m, by which the pressure may leave these bounds.
        aim: Body weights, how far a force strays from pointing towards the centre of mass, …
        aim_ahead, aim_aside: … of which slope it takes these shares, fore-aft and sideways.
        couple: m, free moment over body weight.
        friction: Largest ratio of tangential to normal force.
        touches: Body weights that a limb must bear to be said to touch while it alone bears the
            body: the error of estimated forces in slow runs.
        newton: Body weights (× 1 m for moments) to which the equations of motion hold at knots.
        residual: Body weights, by which plates and motion disagree …
        residual_arm: m, … and moments over that.
        stand_noise: m, noise of a foot's place over the plates, in proportion to what they bear.
        push: Body weights, how large a push is that comes from elsewhere, a seat or a hold, where
            the limbs cannot carry alone.
        asked: Share of it where limbs near the ground may carry as well.
        push_arm: m, its moment about the centre of mass over that.
        most_moved, most_turned: m, rad; where the body would have to be moved or turned farther, a
            contact is missing: limbs near the ground are asked; …
        spun_moved, spun_turned: … so much more per rad/s at which it spins: its centre of mass is
            not where the model has it, and goes round.
        far: By how many times farther, a push from elsewhere is the last resort.
    """

    knot: float = 1 / 60
    height_noise: float = 0.001
    path_noise: float = 0.0025
    lag: float = 0.0025
    end: float = 0.08
    turn_noise: float = 0.0005
    angle_noise: float = 0.015
    force_bend: float = 4500.0
    moment_bend: float = 2000.0
    couple_bend: float = 0.35
    bend_power: float = 1.0
    short: float = 0.22
    short_power: float = 4.0
    impact: float = 12.0
    impact_fades: float = 0.12
    margin: float = 0.10
    early: float = 0.06
    clear: float = 0.02
    along: float = 0.05
    across: float = 0.04
    lowest: float = 0.015
    roll_ahead: float = 0.23
    roll: float = 1.0
    roll_spread: float = 0.3
    lifted: float = 0.025
    heel: float = 0.05
    ball: float = 0.85
    width: float = 0.6
    slack: float = 0.01
    aim: float = 0.12
    aim_ahead: float = 0.75
    aim_aside: float = 0.4
    couple: float = 6.0 / (70 * 9.80665)
    friction: float = 0.9
    touches: float = 0.06
    newton: float = 1e-4
    residual: float = 0.012
    residual_arm: float = 0.45
    stand_noise: float = 0.0015
    push: float = 0.5
    asked: float = 0.05
    push_arm: float = 0.3
    most_moved: float = 0.035
    most_turned: float = 0.15
    spun_moved: float = 0.004
    spun_turned: float = 0.02
    far: float = 1.8


@dataclass(frozen=True)
class Parameters:
    """The tuned numbers of all stages."""

    ground: GroundParameters = field(default_factory=GroundParameters)

    def changed(self) -> dict[str, dict[str, float]]:
        """Return the numbers that are not the usual ones, by stage."""
        usual = asdict(Parameters())
        differ = {
            stage: {name: value for name, value in numbers.items() if value != usual[stage][name]}
            for stage, numbers in asdict(self).items()
        }
        return {stage: numbers for stage, numbers in differ.items() if numbers}

    def with_numbers(self, numbers: Mapping[str, Mapping[str, float]]) -> Parameters:
        """Return the same with some numbers changed.

        Args:
            numbers: By stage and name, as ``[parameters.ground]`` of a TOML file has them.

        Raises:
            ConfigError: A stage or number is unknown, or no number; offers names.
        """
        if not isinstance(numbers, Mapping):
            raise ConfigError(f"parameters is {numbers!r}; expected a section a stage.")
        stages: dict[str, Any] = {}
        for stage, values in numbers.items():
            _require_name("stage", stage, [one.name for one in fields(self)])
            now = getattr(self, stage)
            if not isinstance(values, Mapping):
                raise ConfigError(f"parameters.{stage} is {values!r}; expected names and numbers.")
            for name in values:
                _require_name(f"number of parameters.{stage}", name, list(vars(now)))
            stages[stage] = replace(now, **values)
        return replace(self, **stages)


def _require_name(kind: str, name: str, valid: list[str]) -> None:
    if name not in valid:
        close = get_close_matches(name, valid, n=1, cutoff=0.5)
        offer = f" Did you mean {close[0]}?" if close else ""
        raise ConfigError(f"There is no {kind} {name!r}.{offer} There are: {', '.join(valid)}.")
