"""Several people in one C3D: one of them is chosen by name, and is the same as alone."""

from __future__ import annotations

from pathlib import Path

import ezc3d
import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.reading import read_recording

WHO = {"Anna": "HC030A/HC030A05", "Ben": "HC032A/HC032A03"}
FRAMES = 190


@pytest.fixture(scope="module")
def clips(shared_data, tmp_path_factory) -> dict[str, Path]:
    """Two children in one file, 3 m apart, with events of both; and each of them alone."""
    folder = tmp_path_factory.mktemp("people")
    points, labels, times = [], [], []
    alone = {}
    for k, (name, clip) in enumerate(WHO.items()):
        recording = read_recording(shared_data / "c3d" / "plug_in_gait" / f"{clip}.c3d")
        assert recording.markers is not None and recording.unit == "mm"
        position = recording.markers.position[..., :FRAMES].copy()
        position[:, 1] += 3000.0 * k
        mine = [f"{name}:{label}" for label in recording.markers.labels]
        alone[name] = _written(folder / f"{name}.c3d", position, mine, [(name, 0.5 + k)])
        points.append(position)
        labels += mine
        times.append((name, 0.5 + k))
    alone["both"] = _written(folder / "both.c3d", np.concatenate(points), labels, times)
    return alone


def _written(path: Path, position: np.ndarray, labels: list[str], strikes) -> Path:
    content = ezc3d.c3d()
    content["parameters"]["POINT"]["RATE"]["value"] = [100.0]
    content["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    content["parameters"]["POINT"]["LABELS"]["value"] = labels
    content["data"]["points"] = np.insert(np.moveaxis(position, 0, 1), 3, 1.0, axis=0)
    content.add_parameter("EVENT", "USED", [len(strikes)])
    content.add_parameter("EVENT", "SUBJECTS", [name for name, _ in strikes])
    content.add_parameter("EVENT", "CONTEXTS", ["Left"] * len(strikes))
    content.add_parameter("EVENT", "LABELS", ["Foot Strike"] * len(strikes))
    content.add_parameter("EVENT", "TIMES", np.array([[0.0, time] for _, time in strikes]).T)
    content.write(str(path))
    return path


@pytest.mark.parametrize("name", list(WHO))
def test_each_of_two_people_is_as_alone(clips, name: str) -> None:
    chosen, alone = mr.read(clips["both"], subject=name), mr.read(clips[name])
    np.testing.assert_allclose(chosen.rotation, alone.rotation, atol=1e-9)
    np.testing.assert_allclose(chosen.displacement, alone.displacement, atol=1e-9)
    assert [event.subject for event in chosen.source.events] == [name]


def test_without_a_name_one_is_taken_and_the_other_told(clips) -> None:
    motion = mr.read(clips["both"])
    (told,) = (text for text in motion.source.repairs if "--subject" in text)
    other = next(name for name in WHO if name in told)
    taken = next(name for name in WHO if name != other)
    np.testing.assert_allclose(motion.rotation, mr.read(clips[taken]).rotation, atol=1e-9)


def test_an_unknown_person_is_refused_with_the_names(clips) -> None:
    with pytest.raises(mr.MocapRerootError, match=r"no subject named 'Bem'.*'Ben'.*Anna, Ben"):
        mr.read(clips["both"], subject="Bem")


def test_the_option_is_one_of_the_command_line(clips) -> None:
    from click.testing import CliRunner

    from mocap_reroot.cli import app

    done = CliRunner().invoke(app, ["inspect", str(clips["both"]), "--subject", "ben", "--json"])
    assert done.exit_code == 0, done.output
    assert "Other subjects" not in done.output
