"""Double support as a closed chain: both feet stay, and the rest hardly notices."""

from pathlib import Path

import numpy as np
import pytest

from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.mechanics.coordinates import Coordinates
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.mechanics.loop_closure import close_support, opening, support_closures
from mocap_reroot.mechanics.relative import Loops
from mocap_reroot.reading import read
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.signals.smoothing import smooth
from mocap_reroot.types import Motion, Phase


@pytest.fixture(scope="module")
def double_support(shared_data: Path) -> tuple[Phase, Motion]:
    motion = read(shared_data / "c3d/plug_in_gait/HC030A/HC030A05.c3d")
    rooted = reroot(smooth(motion, 6.0), detect_contacts(motion))
    doubles = [(phase, piece) for phase, piece in rooted if phase.mode == "double"]
    return max(doubles, key=lambda pair: pair[1].n_frames)


def test_both_feet_stay(double_support: tuple[Phase, Motion]) -> None:
    phase, piece = double_support
    assert len({piece.skeleton.names[b].split("_")[0] for b in phase.support}) == 2
    closed = close_support(piece, phase)
    print(f"opening {1000 * opening(piece, phase):.1f} -> {1e9 * opening(closed, phase):.2f} nm")
    assert opening(piece, phase) > 1e-3
    assert opening(closed, phase) < 1e-8
    place = forward(closed).orientation[list(phase.support)]
    assert np.abs(place - place[..., :1]).max() < 1e-8
    # Held at a point, feet may roll; the error is shared out, and the pelvis moves little.
    closed = close_support(piece, phase, kind="point")
    assert opening(closed, phase) < 1e-8
    pelvis = piece.skeleton.index("pelvis")
    moved = forward(closed).position[pelvis] - forward(piece).position[pelvis]
    assert np.linalg.norm(moved, axis=0).max() < 3 * opening(piece, phase)


def test_masses_hold_the_trunk_still(
    shared_data: Path, double_support: tuple[Phase, Motion]
) -> None:
    phase, piece = double_support
    captured = read(shared_data / "c3d/plug_in_gait/HC030A/HC030A05.c3d").skeleton
    body = body_model(captured, mass=40.0)
    trunk = piece.skeleton.index("trunk")
    moved = []
    for weights in (None, body):
        closed = close_support(piece, phase, weights)
        assert opening(closed, phase) < 1e-8
        shift = forward(closed).position[trunk] - forward(piece).position[trunk]
        moved.append(np.linalg.norm(shift, axis=0).max())
    assert moved[1] < moved[0]


def test_closed_speeds_leave_the_feet_alone(double_support: tuple[Phase, Motion]) -> None:
    phase, piece = double_support
    coordinates = Coordinates(piece.skeleton)
    loops = Loops(coordinates, support_closures(forward(piece), phase))
    q, speed, _ = coordinates.of_motion(piece, piece.n_frames // 2)
    q, steps = loops.close(q)
    assert steps <= 6 and np.abs(loops.errors(q)).max() < 1e-10
    kept = loops.keep_closed(q, speed)
    assert np.abs(loops.jacobian(q) @ kept).max() < 1e-9
    assert np.linalg.norm(kept - speed) < np.linalg.norm(speed)
