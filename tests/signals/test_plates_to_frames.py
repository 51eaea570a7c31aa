"""Force plates averaged to frames: means of known curves, offsets, clocks, directions."""

import numpy as np

from mocap_reroot.signals.plates_to_frames import frame_means, plates_to_frames
from mocap_reroot.types import RawPlates

UP = np.array([0.0, 0, 1])
CORNERS = np.array([[[0.4, 0.0, 0], [0.4, 0.6, 0], [0.0, 0.6, 0], [0.0, 0.0, 0]]])


def raw(push: np.ndarray, rate: float = 1000.0, start: float = 0.0) -> RawPlates:
    """Return one plate that is pushed straight up at its centre."""
    force = np.zeros((1, 3, len(push)))
    force[0, 2] = push
    return RawPlates(("plate_1",), CORNERS, force, 0.1 * force, rate, start)


def test_a_straight_line_keeps_its_values() -> None:
    line = np.arange(1000.0)[None]
    means = frame_means(line, 1000.0, 100.0, 100)
    np.testing.assert_allclose(means[0, 1:-1], 10.0 * np.arange(1, 99), atol=1e-9)
    odd = frame_means(line, 1000.0, 1000 / 7, 140)
    np.testing.assert_allclose(odd[0, 1:-1], 7.0 * np.arange(1, 139), atol=1e-9)


def test_a_wave_is_averaged_over_one_frame() -> None:
    t = np.arange(2000) / 1000
    means = frame_means(np.sin(2 * np.pi * 5 * t)[None], 1000.0, 100.0, 200)
    centre = np.arange(200) / 100
    expected = np.sin(2 * np.pi * 5 * centre) * np.sinc(5 / 100)  # mean over 10 ms
    np.testing.assert_allclose(means[0, 1:-1], expected[1:-1], atol=2e-4)


def test_clocks_that_differ_and_frames_beyond() -> None:
    means = frame_means(np.arange(100.0)[None], 100.0, 100.0, 100, start=0.5)
    assert np.isnan(means[0, :49]).all()
    np.testing.assert_allclose(means[0, 51:], np.arange(1.0, 50.0), atol=1e-9)
    slow = frame_means(np.arange(100.0)[None], 50.0, 100.0, 150)  # slower than the frames
    np.testing.assert_allclose(slow[0, 2:148], np.arange(1, 74, 0.5), atol=1e-9)


def test_offset_is_found_only_where_nobody_stands() -> None:
    rng = np.random.default_rng(0)
    push = 14 + rng.normal(0, 1, 3000)
    push[1000:1700] += 700
    plates, notes = plates_to_frames(raw(push), 100.0, 300, UP)
    assert abs(plates.force[0, 2, :95].mean()) < 0.3 and abs(plates.moment[0, 2, :95].mean()) < 0.03
    assert abs(plates.force[0, 2, 110:160].mean() - 700) < 0.5
    assert len(notes) == 1 and "plate 1" in notes[0]
    standing, notes = plates_to_frames(raw(450 + rng.normal(0, 1, 3000)), 100.0, 300, UP)
    assert abs(standing.force[0, 2].mean() - 450) < 0.2 and not notes


def test_plates_face_up_and_push() -> None:
    push = np.zeros(3000)
    push[1000:1700] = -700.0  # the force on the plate
    plates, notes = plates_to_frames(raw(push), 100.0, 300, UP)
    np.testing.assert_allclose(plates.normal[0], UP, atol=1e-12)
    assert plates.force[0, 2].max() == 700 and any("reversed" in note for note in notes)
