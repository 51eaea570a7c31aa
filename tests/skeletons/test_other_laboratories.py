"""The same walk as other laboratories would store it: axes, units, signs, labels, lengths."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ezc3d
import numpy as np
import pytest

from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.reading import read
from sample_data.balance import Truth

Y_UP = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
UPSIDE_DOWN = np.diag([1.0, -1, -1])


@pytest.fixture(scope="module")
def original(recorded_walk: tuple[Path, Truth]) -> Path:
    return recorded_walk[0]


def turned(turn: np.ndarray, screen: str | None) -> Callable[[Any], None]:
    """Return a change of the laboratory's axes; ``screen`` is what the file says is up."""

    def change(c3d: Any) -> None:
        points, plates = c3d["data"]["points"], c3d["parameters"]["FORCE_PLATFORM"]
        points[:3] = np.einsum("ij,jmf->imf", turn, points[:3])
        corners = np.einsum("ij,jkp->ikp", turn, plates["CORNERS"]["value"])
        plates["CORNERS"]["value"] = corners
        if screen is None:
            del c3d["parameters"]["POINT"]["Y_SCREEN"]
        else:
            c3d["parameters"]["POINT"]["Y_SCREEN"]["value"] = [screen]

    return change


def in_metres(c3d: Any) -> None:
    c3d["data"]["points"][:3] /= 1000
    c3d["parameters"]["POINT"]["UNITS"]["value"] = ["m"]


def on_the_plate(c3d: Any) -> None:
    c3d["data"]["analogs"] *= -1


def offset_plates(c3d: Any) -> None:
    c3d["data"]["analogs"][0, 2::6] += 12.5


def prefixed(c3d: Any) -> None:
    labels = c3d["parameters"]["POINT"]["LABELS"]
    labels["value"] = [f"Anna:{label}" for label in labels["value"]]


def many_points(c3d: Any) -> None:
    points, labels = c3d["data"]["points"], c3d["parameters"]["POINT"]["LABELS"]
    stray = np.ones((4, 300, points.shape[2]))
    stray[:3] = np.random.default_rng(0).normal(0, 500, (3, 300, points.shape[2]))
    c3d["data"]["points"] = np.concatenate([stray, points], axis=1)
    labels["value"] = [f"*{k}" for k in range(300)] + list(labels["value"])


CHANGES: dict[str, tuple[Callable[[Any], None], np.ndarray]] = {
    "y up": (turned(Y_UP, "+Y"), Y_UP),
    "y up, not said": (turned(Y_UP, None), Y_UP),
    "y up, z said": (turned(Y_UP, "+Z"), Y_UP),
    "z down": (turned(UPSIDE_DOWN, "-Z"), UPSIDE_DOWN),
    "points in metres, plates in millimetres": (in_metres, np.eye(3)),
    "force on the plate": (on_the_plate, np.eye(3)),
    "plates not zeroed": (offset_plates, np.eye(3)),
    "prefixed labels": (prefixed, np.eye(3)),
    "342 points": (many_points, np.eye(3)),
}


def rewritten(source: Path, target: Path, change: Callable[[Any], None]) -> None:
    c3d = ezc3d.c3d(str(source))
    change(c3d)
    shape = c3d["data"]["points"].shape[1:]
    c3d["data"]["meta_points"]["residuals"] = np.zeros((1, *shape))
    c3d["data"]["meta_points"]["camera_masks"] = np.zeros((7, *shape), dtype=bool)
    c3d.write(str(target))


@pytest.mark.parametrize("name", CHANGES)
def test_the_motion_is_the_same(original: Path, tmp_path: Path, name: str) -> None:
    change, turn = CHANGES[name]
    rewritten(original, tmp_path / "other.c3d", change)
    ours, other = read(original), read(tmp_path / "other.c3d")
    np.testing.assert_allclose(other.up, turn @ ours.up, atol=1e-12)
    assert other.skeleton.names == ours.skeleton.names
    expected = np.einsum("ij,njf->nif", turn, forward(ours).position)
    assert np.abs(forward(other).position - expected).max() < 1e-5  # m
    assert ours.plates is not None and other.plates is not None
    force = np.einsum("ij,pjf->pif", turn, ours.plates.force)
    assert np.abs(other.plates.force - force).max() < 0.01  # N
    moment = np.einsum("ij,pjf->pif", turn, ours.plates.moment)
    assert np.abs(other.plates.moment - moment).max() < 0.01  # N·m


@pytest.mark.parametrize("frames", [1, 2, 5])
def test_very_short_clips(original: Path, tmp_path: Path, frames: int) -> None:
    def cut(c3d: Any) -> None:
        c3d["data"]["points"] = c3d["data"]["points"][:, :, :frames]
        c3d["data"]["analogs"] = c3d["data"]["analogs"][:, :, : 5 * frames]

    rewritten(original, tmp_path / "short.c3d", cut)
    motion = read(tmp_path / "short.c3d")
    assert motion.n_frames == frames and np.isfinite(motion.rotation).all()
    knee = motion.skeleton.index("left_shank")
    expected = forward(read(original)).position[knee, :, :frames]
    assert np.abs(forward(motion).position[knee] - expected).max() < 0.001
