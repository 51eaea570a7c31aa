"""Tuned numbers of the stages (noise, friction, bounds of the sole): unit, meaning and source.

Stages take them as an argument; a TOML file sets them in ``[parameters.STAGE]``. Class docstrings
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
class ContactParameters(Numbers):
    """When a limb is in contact, and with what.

    Lengths are shares of a leg (hip to ankle along the bones), speeds shares of sqrt(g · leg),
    forces body weights, angles rad, where no other unit is given: a child and an adult then have
    the same numbers. Where no source is given, they were set by eye with the shared clips in view,
    jumps and runs by the free fall of the centre of mass in three CMU clips: decision 7.

    Attributes:
        cutoff: Hz, low-pass of the detection's own, so that raw and smoothed motion have the same
            events.
        line_cutoff: Hz, the same for where the ground's force acts, as levers are a metre long.
        height: A sole point this high is as likely off as on.
        still: A point this slow is as likely at rest as moving …
        skid: … with this share of the limb's own top speed added, for fast clips.
        enter, leave: A stance has a score above the first somewhere, and lasts while it is above
            the second.
        shortest_stance, shortest_swing: s, of a high score; the stances of sprints, 0.08 to
            0.12 s, are blurred by the low-pass.
        off_speed, off_rising: At foot-off the ball moves at the first share of the top speed of
            the swing that follows; the second is added where it rises straight up, in proportion
            to cos² of the angle. Chosen among six values on walks of four children and three
            adults, with plates.
        strike_speed, strike_falling: The same of the landing point at foot strike (after
            Ghoussayni 2004): one that glides in is almost at rest when it touches, one that drops
            is stopped by the ground. Chosen among eight values on the same walks.
        falling_limits: While the body falls freely, limits are narrowed to this share …
        unloaded_limits: … and to this one while another limb supports all of it.
        event_window: s, how far the exact event may lie from the edge of the score.
        event_agreement: s, signs of a strike farther apart do not belong to the same one.
        candidate_height, candidate_speed: A limb lower and slower than this may be in contact, if
            the ground's forces need it.
        footprint_shortest: s, a rest shorter than this tells nothing about the ground.
        footprint_level: Footprints whose heights differ by less are on the same level.
        apex_drop, apex_window: A limb lower by this both before and after, within s, is at the top
            of a jump.
        plane_error: How well one plane must explain the heights of footprints (rms).
        step_height: Levels of a stepped ground are farther apart than this.
        ramp_steepest: Slopes up to this (20 degrees) are walked as ramps; steeper is stairs.
        ramp_certain: Slopes up to this are a floor that drifts or tilts: no stairs are that flat.
        floor_below, floor_above: Points at rest this far below and above zero are on a floor at
            zero …
        plate_below, plate_above: … and above a force plate, whose height is certain, on it.
        plate_level: Plates within this of level are level …
        slight_tilt: … and a floor with such plates, too, if its tilt is less: markers that move on
            the shoe can feign as much.
        skin: Skin and shoe below the lowest joint or marker, where nothing tells.
        root_fixed: A root that moves less than this in the whole clip was not tracked.
        belt_speed: A treadmill's belt runs faster than this, …
        belt_share: … the body drifts, and points at rest vary, by less than this share of it.
        rest_speed: A foot slower than this may be flat on the ground.
        rest_band: Frames (or points) within this of the lowest ones count as low.
        foot_asymmetry: Difference of the sine of the bones' steepness by which two feet are not
            alike.
        never_flat, rest_reach: Soles steeper than the first against the rest pose's were never
            seen flat, if the foot is usually within the second of its rest.
        rest_upright, rest_level: From upright and level, within which a rest pose draws a leg and
            a foot that stand.
        free_fall, no_fall: Vertical force below which the body falls freely, and above which it
            does not.
        line_force: Force below which nothing can be said about where it acts.
        sole_near, sole_far: A force whose line passes this near a sole may act on it alone; this
            far, hardly.
        sole_outside: One that passes this far outside the soles does not act on them alone …
        outside_window: s, … where most frames within it agree (less where the support changes) …
        outside_shortest: s, … for at least this long.
        gap_force: Force above which the body is not in flight, where it lasts.
        gap_height, gap_speed, gap_aside: A limb higher, faster, or farther from the force's line
            than this is not the one in contact (squares are summed) …
        gap_unlikely: … and where the sum is greater than this for all limbs, something that was
            not captured supports the body: a chair, a partner.
        gap_shortest: s, a contact that was not seen lasts at least this long.
        gap_blurred: s, at both ends of a flight the force of the stance shows through smoothing.
        gap_mean: Mean force above which a gap between stances is no flight …
        gap_falls, gap_falling: … if it is below the first in less than the second share of it.
        gap_least: A gap too short to have a middle is no flight if the force is never less.
        gap_long: s, a force that lasts longer is no blurred impact, however fast the feet move.
        part_lifted: A heel or tip this high no longer touches; …
        part_sunk: … counted from the lowest point, or from this height if that is higher.
        part_shortest: s, toes in contact for less are not worth a phase boundary.
        hand, forearm, knee, seat, back: Radii from the line between joints to the skin: half the
            breadths and depths of Winter 2009, table 3.1, and NASA 1978, volume II, of a man with
            a leg of 0.87 m.
        palm, elbow, shin: How far along hand, forearm and shank the part reaches that touches.
        back_begins: Where on a trunk of one body, from its joint to the shoulders, the back begins.
        pad_near: Height below which such a part may touch the ground.
        pad_seated: Height of the hips over the ankles below which one may sit.
        pad_interval: s between the frames in which that is looked for.
        chair_still: Speed of the seat upwards below which it rests …
        chair_rolling: … and its speed altogether: chairs may roll.
        chair_outside: Distance by which the force's line passes the feet of who sits …
        chair_mostly: … in this share of the time; or the feet are off the ground, on a rung.
        chair_bent: Height of the hips over the soles of who sits; 1.1 on straight legs.
        chair_level: m, heights of the seat within which it is on the same chair.
        chair_shortest: s, that one sits, or has the feet off the ground.
        chair_above: Height below which seat and feet are on the ground.
        plate_knock: s, a load shorter than this is a knock.
        plate_agreement: s, a plate that disagrees more with the motion holds only a part of the
            foot.
        walk_pace, run_pace: Slowest walk and run; slower strides are called other.
        run_double, run_flight: Shares of a stride in double support below which, and in flight
            above which, it is a run.
        stride_shortest: Strides shorter than this have no direction, hence no step length.
    """

    cutoff: float = 12.0
    line_cutoff: float = 5.0
    height: float = 0.06
    still: float = 0.13
    skid: float = 0.10
    enter: float = 0.6
    leave: float = 0.4
    shortest_stance: float = 0.04
    shortest_swing: float = 0.06
    off_speed: float = 0.25
    off_rising: float = 0.35
    strike_speed: float = 0.13
    strike_falling: float = 0.30
    falling_limits: float = 0.2
    unloaded_limits: float = 0.5
    event_window: float = 0.12
    event_agreement: float = 0.06
    candidate_height: float = 0.12
    candidate_speed: float = 0.4
    footprint_shortest: float = 0.05
    footprint_level: float = 0.02
    apex_drop: float = 0.03
    apex_window: float = 0.12
    plane_error: float = 0.012
    step_height: float = 0.05
    ramp_steepest: float = 0.36
    ramp_certain: float = 0.06
    floor_below: float = 0.03
    floor_above: float = 0.06
    plate_below: float = 0.04
    plate_above: float = 0.12
    plate_level: float = 0.01
    slight_tilt: float = 0.03
    skin: float = 0.015
    root_fixed: float = 1e-5
    belt_speed: float = 0.12
    belt_share: float = 0.25
    rest_speed: float = 0.05
    rest_band: float = 0.01
    foot_asymmetry: float = 0.15
    never_flat: float = 0.6
    rest_reach: float = 1.0
    rest_upright: float = 0.6
    rest_level: float = 0.6
    free_fall: float = 0.1
    no_fall: float = 0.4
    line_force: float = 0.3
    sole_near: float = 0.12
    sole_far: float = 0.3
    sole_outside: float = 0.25
    outside_window: float = 1.0
    outside_shortest: float = 0.1
    gap_force: float = 0.5
    gap_height: float = 0.25
    gap_speed: float = 0.5
    gap_aside: float = 0.5
    gap_unlikely: float = 9.0
    gap_shortest: float = 0.08
    gap_blurred: float = 0.05
    gap_mean: float = 0.4
    gap_falls: float = 0.2
    gap_falling: float = 0.2
    gap_least: float = 0.8
    gap_long: float = 0.15
    part_lifted: float = 0.035
    part_sunk: float = 0.02
    part_shortest: float = 0.03
    hand: float = 0.03
    forearm: float = 0.045
    knee: float = 0.06
    seat: float = 0.11
    back: float = 0.12
    palm: float = 0.7
    elbow: float = 0.4
    shin: float = 0.4
    back_begins: float = 0.5
    pad_near: float = 0.2
    pad_seated: float = 0.85
    pad_interval: float = 0.06
    chair_still: float = 0.04
    chair_rolling: float = 0.3
    chair_outside: float = 0.1
    chair_mostly: float = 0.6
    chair_bent: float = 0.95
    chair_level: float = 0.03
    chair_shortest: float = 0.25
    chair_above: float = 0.12
    plate_knock: float = 0.08
    plate_agreement: float = 0.07
    walk_pace: float = 0.05
    run_pace: float = 0.25
    run_double: float = 0.05
    run_flight: float = 0.02
    stride_shortest: float = 0.1


@dataclass(frozen=True)
class PlateParameters(Numbers):
    """What a force plate must obey before it is believed, judged by samples under load.

    Attributes:
        held: s; samples that repeat to the last digit for longer, under load, were not measured:
            no converter repeats itself for so long while a person moves.
        cut: Share of the loaded samples that may be exactly the largest one, in runs of at least
            ``cut_run``. The top of a curve printed to 1 N in 400 takes 0.02.
        cut_run: s.
        pulled: Share of the impulse that may point down.
        near: m, along the ground, from the pressure to the nearest limb; soles are 0.3 m long.
        low: m above the plate, where limbs are that may press on it.
        seat: m above the plate, below which a pelvis may sit on something that stands there.
        mostly: Share of the loaded frames in which the pressure must be under a limb.
        away: Negative correlation of the horizontal force with the way from the pressure to the
            pelvis, beyond which it points away from the body; people lean into their steps (their
            correlation is 0.3 to 0.95).
        slant: Horizontal force over vertical, below which it has no direction to speak of.
        few: Loaded frames, below which a plate cannot be judged.
        statue: m, and twice rad, within which a body does not move: its plate may be constant.
    """

    held: float = 0.2
    cut: float = 0.05
    cut_run: float = 0.02
    pulled: float = 0.2
    near: float = 0.25
    low: float = 0.35
    seat: float = 0.75
    mostly: float = 0.75
    away: float = 0.3
    slant: float = 0.03
    few: float = 5
    statue: float = 1e-3


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
        plate_outside: m, a pressure farther than this outside a sole is not that foot's.
        plate_faint: N, a run of pressure goes on down to this force, above the noise of plates.
        plate_reach: m, how far a sole, whose outline is an estimate, may reach over a plate's edge.
        upright: Height of the pelvis above a foot over the length of the bones between them, above
            which nothing but feet can support the body: 0.9 and more on straight legs, 0.5 on a
            chair.
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
    plate_outside: float = 0.12
    plate_faint: float = 5.0
    plate_reach: float = 0.02
    upright: float = 0.75
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

    plates: PlateParameters = field(default_factory=PlateParameters)
    contact: ContactParameters = field(default_factory=ContactParameters)
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
