"""Gap filling: rigid segments rebuild themselves, splines bridge what is short."""

import numpy as np
from scipy.spatial.transform import Rotation

from mocap_reroot.skeletons import gaps

SHAPE = np.array([[0.0, 0, 0], [0.1, 0, 0], [0, 0.12, 0], [0.05, 0.05, 0.09]])


def moving(frames: int = 60) -> np.ndarray:
    t = np.linspace(0, 1, frames)
    turn = Rotation.from_rotvec(np.outer(t, [0.5, -1.0, 0.3])).as_matrix()
    shift = np.stack([t, t**2, np.sin(3 * t)])
    return np.einsum("fij,kj->kif", turn, SHAPE) + shift


def test_a_hidden_marker_is_rebuilt_from_its_segment() -> None:
    whole = moving()
    hidden = whole.copy()
    hidden[1, :, 10:50] = np.nan
    hidden[3, :, :5] = np.nan
    shape = gaps.segment_shape(hidden)
    np.testing.assert_allclose(gaps.fill_from_cluster(hidden, shape), whole, atol=1e-9)


def test_two_markers_do_not_fix_a_segment() -> None:
    hidden = moving()
    hidden[:2, :, 20:30] = np.nan
    filled = gaps.fill_from_cluster(hidden, SHAPE)
    assert np.isnan(filled[:2, :, 20:30]).all() and not np.isnan(filled[2:]).any()


def test_markers_on_a_line_do_not_either() -> None:
    line = np.array([[0.0, 0, 0], [0.1, 0, 0], [0.2, 0.001, 0], [0.0, 0.1, 0.1]])
    points = np.repeat(line[:, :, None], 5, axis=2)
    points[3, :, 2] = np.nan
    assert np.isnan(gaps.fill_from_cluster(points, line)[3, :, 2]).all()


def test_short_gaps_are_bridged_and_long_ones_kept() -> None:
    t = np.arange(100) / 100
    point = np.stack([np.sin(6 * t), np.cos(4 * t), t])[None]
    hidden = point.copy()
    hidden[0, :, 20:28] = np.nan
    hidden[0, :, 50:80] = np.nan
    hidden[0, :, :3] = np.nan
    filled = gaps.fill_in_time(hidden, 10)
    np.testing.assert_allclose(
        filled[0, :, 20:28], point[0, :, 20:28], atol=4e-4
    )  # of waves of height 1
    assert np.isnan(filled[0, :, 50:80]).all() and np.isnan(filled[0, :, :3]).all()


def test_two_points_and_the_joint_above_are_enough():
    """A thigh that turns about a hip which the pelvis carries."""
    rng = np.random.default_rng(5)
    pelvis, thigh = rng.uniform(-0.1, 0.1, (4, 3)), rng.uniform(-0.2, 0.2, (3, 3))
    there, here = rng.uniform(-0.1, 0.1, (2, 3))
    turns = [Rotation.random(40, random_state=k).as_matrix() for k in (1, 2)]
    where = rng.uniform(-1, 1, (40, 3))
    joint = turns[0] @ there + where
    whole = np.concatenate(
        [
            np.einsum("fij,kj->kif", turns[0], pelvis) + where.T,
            np.einsum("fij,kj->kif", turns[1], thigh - here) + joint.T,
        ]
    )
    labels = ["p1", "p2", "p3", "p4", "t1", "t2", "t3"]
    clusters = {"pelvis": labels[:4], "left_thigh": labels[4:]}
    hidden = whole.copy()
    hidden[5, :, 5:] = np.nan
    shapes = {"pelvis": pelvis, "left_thigh": thigh}
    assert np.isnan(gaps.fill(hidden, labels, clusters, 10.0, shapes)[5, :, 5:]).all()
    pivots = {"left_thigh": gaps.Pivot("pelvis", there, here)}
    filled = gaps.fill(hidden, labels, clusters, 10.0, shapes, pivots)
    np.testing.assert_allclose(filled, whole, atol=1e-9)
