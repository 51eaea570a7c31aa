"""The survey of a clip, and the tracks of points, against slow twins on whole arrays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.contact.body_series import body_series, lowest
from mocap_reroot.contact.limbs import Point
from mocap_reroot.contact.scale import Scale
from mocap_reroot.contact.signals import (
    bridge,
    differentiate,
    median,
    medians,
    quantile,
    smooth,
)
from mocap_reroot.contact.support_force import support_force
from mocap_reroot.kernels.compiling import LANES
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.parameters import ContactParameters
from mocap_reroot.types import STANDARD_GRAVITY, Motion
from mocap_reroot.types.motion import flag_code
from tests.contact.walkers import person

FRAMES = 2 * LANES + 37  # more than two blocks, the last one cut short
UP = np.array([0.0, 0.6, 0.8])


def tumbling(left_out: tuple[tuple[int, int], ...] = ()) -> Motion:
    """Return a person whose joints all turn and whose root travels, in smooth random ways."""
    rng = np.random.default_rng(7)
    skeleton = person()
    n, t = skeleton.n_bodies, np.arange(FRAMES) / 120
    waves = np.sin(rng.uniform(1, 6, (n, 4, 1)) * t + rng.uniform(0, 6, (n, 4, 1)))
    q = np.array([2.0, 0, 0, 0])[:, None] + waves
    root = np.sin(rng.uniform(1, 4, (1, 3, 1)) * t) + 5
    flags = np.zeros(FRAMES, np.uint8)
    for start, stop in left_out:
        flags[start:stop] = flag_code("rest_pose")
    return Motion(skeleton, 120.0, UP, q / np.linalg.norm(q, axis=1)[:, None], root, flags=flags)


GAPS = [(), ((0, 9),), ((0, 3), (100, 140), (LANES + 100, LANES + 101), (FRAMES - 5, FRAMES))]


@pytest.mark.parametrize("gaps", GAPS)
def test_survey_sees_what_the_world_holds(gaps):
    motion = tumbling(gaps)
    world, body = forward(motion), body_model(motion)
    seen = body_series(motion, [4, 2, 4], body, 12.0)
    np.testing.assert_array_equal(seen.valid, motion.analysed)
    np.testing.assert_allclose(seen.low, (UP @ world.position).min(axis=0), atol=1e-12)
    assert seen.path.bodies == (4, 2)
    wanted = np.concatenate(
        [
            row
            for body in (4, 2)
            for row in (world.position[body], world.matrix[body].reshape(FRAMES, 9).T)
        ]
    )
    wanted = np.array([np.interp(np.arange(FRAMES), *good(seen.valid, row)) for row in wanted])
    rows = seen.path.rows[:24, seen.path.pad : -seen.path.pad]
    np.testing.assert_allclose(rows, smooth(wanted, 120.0, 12.0), atol=1e-12)


def test_what_is_no_part_of_the_person_is_not_its_lowest_point():
    """A root that a rig leaves below the floor, the target of a foot, the tip of a sword."""
    motion = tumbling()
    anatomy = motion.skeleton.anatomy
    assert anatomy is not None
    foreign = int((UP @ forward(motion).position)[:, 0].argmin())
    segments = tuple("" if k == foreign else s for k, s in enumerate(anatomy.segments))
    skeleton = replace(motion.skeleton, anatomy=replace(anatomy, segments=segments))
    motion = replace(motion, skeleton=skeleton)
    own = np.delete(UP @ forward(motion).position, foreign, axis=0)
    seen = body_series(motion, [4], None, 12.0)
    np.testing.assert_allclose(seen.low, own.min(axis=0), atol=1e-12)


def good(valid: np.ndarray, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.flatnonzero(valid), row[valid]


@pytest.mark.parametrize("belt", [0.0, 1.3])
@pytest.mark.parametrize("gaps", GAPS)
def test_push_is_that_of_the_bodies_centres_on_bridged_paths(gaps, belt):
    """The swing of all points together, against momenta of every point's own bridged path."""
    motion = tumbling(gaps)
    body = body_model(motion)
    seen = body_series(motion, [4], body, 12.0)
    shift = np.outer([belt, 0, 0], np.arange(FRAMES) / 120)
    scale = Scale(0.9, 3.0, 120.0, UP)
    found = support_force(seen, scale, True, shift if belt else None, ContactParameters())
    world = forward(motion)
    place = [world.point(i, com) for i, com in enumerate(body.com)]
    place = np.array(place) + shift
    flat = place.reshape(-1, FRAMES)
    flat[:] = [np.interp(np.arange(FRAMES), *good(seen.valid, row)) for row in flat]
    mass = (body.mass / body.total_mass)[:, None, None]
    assert mass.sum() == pytest.approx(1)
    rate = np.gradient(place, axis=-1) * 120
    momentum = smooth((mass * np.cross(place, rate, axis=1)).sum(axis=0), 120.0, 5.0)
    centre = (mass * place).sum(axis=0)
    height, level = smooth(UP @ centre, 120.0, 12.0), smooth(centre, 120.0, 5.0)

    def twice(series: np.ndarray) -> np.ndarray:
        return np.gradient(np.gradient(series, axis=-1), axis=-1) * 120**2 / STANDARD_GRAVITY

    np.testing.assert_allclose(found.vertical, 1 + twice(height), atol=1e-9)
    force = twice(level) + UP[:, None]
    moment = np.gradient(momentum, axis=-1) * 120 / STANDARD_GRAVITY
    moment += np.cross(level, UP[:, None], axis=0)
    known = np.isfinite(found.line_base[0])
    np.testing.assert_array_equal(known, (UP @ force > 0.3) & (found.vertical > 0.3))
    assert 0 < known.sum() < FRAMES
    there = np.cross(UP[:, None], moment, axis=0) / (UP @ force)
    np.testing.assert_allclose(found.line_base[:, known], there[:, known], rtol=1e-9, atol=1e-9)


def test_a_body_nobody_knows_where_makes_its_frame_invalid():
    motion = tumbling()
    rotation = np.array(motion.rotation)
    rotation[0, :, 50] = np.nan
    seen = body_series(replace(motion, rotation=rotation), [4], None, 12.0)
    assert np.flatnonzero(~seen.valid).tolist() == [50]
    assert np.isfinite(seen.path.rows).all()


def test_tracks_are_positions_and_rates_of_points():
    seen = body_series(tumbling(), [4, 2], None, 12.0)
    points = [Point(2, np.array([0.1, -0.2, 0.3]), "tip"), Point(4, np.zeros(3), "heel")]
    track = seen.path.of(points, UP)
    inner = seen.path.rows[:, seen.path.pad : -seen.path.pad]
    wanted = inner[12:15] + np.einsum("ijf,j->if", inner[15:24].reshape(3, 3, -1), points[0].local)
    np.testing.assert_allclose(track.position[0], wanted, atol=1e-13)
    np.testing.assert_array_equal(track.position[1], inner[:3])
    rate = np.gradient(track.position, axis=-1) * 120
    np.testing.assert_allclose(track.velocity, rate, atol=1e-12)
    np.testing.assert_allclose(track.speed, np.linalg.norm(rate, axis=1), atol=1e-12)
    np.testing.assert_allclose(track.height, UP @ track.position, atol=1e-12)
    less = seen.path.of(points, UP, positions=False, velocities=False)
    np.testing.assert_array_equal(less.height, track.height)
    np.testing.assert_array_equal(less.speed, track.speed)
    assert len(less.position) == len(less.velocity) == 0
    slow = seen.path.of(points, UP, velocities=False)
    np.testing.assert_array_equal(slow.position, track.position)
    np.testing.assert_array_equal(slow.speed, track.speed)
    some = np.array([3, 90])
    back = seen.path.turned_back(2, UP, some)
    mean = seen.path.turned(2, points[0].local, some)
    np.testing.assert_allclose(np.mean(points[0].local @ back), mean @ UP)


def test_lowest_of_long_clips_is_found_in_blocks_alike(monkeypatch):
    motion = tumbling(GAPS[2])
    whole = lowest(motion)
    monkeypatch.setattr("mocap_reroot.contact.body_series._WHOLE", 100)
    monkeypatch.setattr("mocap_reroot.contact.body_series._BLOCK", 64)
    np.testing.assert_allclose(lowest(motion), whole, atol=1e-12)


def test_lowest_takes_sites_into_account():
    motion = tumbling()
    world = forward(motion)
    low = lowest(motion)
    head = motion.skeleton.names.index("head")
    ends = [world.position[head], world.point(head, np.array([0, 0, 0.2]))]
    assert low[head] == pytest.approx(min((UP @ end).min() for end in ends))
    assert low[0] == pytest.approx((UP @ world.position[0]).min())


def test_small_tools_agree_with_numpy():
    rng = np.random.default_rng(3)
    for count in (1, 2, 9, 100):
        values = rng.normal(size=count)
        for share in (0.2, 0.5, 0.95):
            assert quantile(values, share) == pytest.approx(np.quantile(values, share), abs=1e-12)
        assert median(values) == pytest.approx(np.median(values), abs=1e-12)
        block = rng.normal(size=(3, count))
        np.testing.assert_allclose(medians(block), np.median(block, axis=1))
    series = rng.normal(size=(2, 40))
    np.testing.assert_allclose(differentiate(series, 7.0), np.gradient(series, axis=1) * 7)
    mask = np.array([1, 1, 0, 1, 0, 0, 1], bool)
    line = np.arange(7.0)
    bent = np.where(mask, line, 99.0)
    bridge(bent, mask)
    np.testing.assert_allclose(bent, line)
