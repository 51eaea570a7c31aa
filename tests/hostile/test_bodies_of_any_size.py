"""Bodies that cannot be: refused where they are given, told and graded D where inferred."""

import pytest

import mocap_reroot as mr
from mocap_reroot.cli import main
from mocap_reroot.config import Config, size_beyond
from mocap_reroot.errors import ConfigError
from mocap_reroot.report.verdict import judge
from tests.hostile.made import Clip


@pytest.fixture
def clip(tmp_path):
    path = tmp_path / "clip.bvh"
    path.write_text(Clip().text())
    return path


@pytest.mark.parametrize(
    "option", [{"mass": 7000.0}, {"mass": 0.5}, {"height": 64.0}, {"height": 0.2}]
)
def test_a_size_that_is_given_is_refused(clip, option):
    with pytest.raises(ConfigError, match="--any-size"):
        mr.analyze(clip, **option)
    with pytest.raises(mr.MocapRerootError, match="No person is of"):
        mr.body_model(mr.read(clip).skeleton, **option)
    found = mr.analyze(clip, **option, any_size=True)
    assert not any("No person is of" in text for text in found.summary["warnings"])
    assert "size_beyond" not in found.summary["quality"]


def test_the_command_line_says_so(clip, tmp_path, capsys):
    with pytest.raises(SystemExit) as left:
        main(["run", str(clip), "-o", str(tmp_path / "out"), "--mass", "7000"])
    assert left.value.code == 2
    assert "1 to 500 kg" in capsys.readouterr().err
    with pytest.raises(SystemExit) as left:
        main(["run", str(clip), "-o", str(tmp_path / "out"), "--mass", "7000", "--any-size"])
    assert left.value.code == 0


@pytest.mark.parametrize("unit", [70.0, 1e-4])
def test_a_size_that_is_inferred_is_told_and_graded(clip, unit):
    found = mr.analyze(clip, unit=unit).summary
    assert any("No person is of" in text for text in found["warnings"])
    assert found["quality"]["size_beyond"] > 1
    verdict = judge(found)
    assert verdict.grade == "D"
    assert any("beyond the size of any person" in reason for reason in verdict.reasons)
    free = mr.analyze(clip, unit=unit, any_size=True).summary
    assert "size_beyond" not in free["quality"]


def test_people_are_of_a_size():
    for mass, height in ((1.0, 0.3), (3.5, 0.5), (70.0, 1.75), (500.0, 3.0), (70.0, None)):
        assert size_beyond(mass, height) <= 1
    assert size_beyond(None, None) == 0 and size_beyond(70.0, float("nan")) <= 1
    assert size_beyond(9e8, 6477.0) == pytest.approx(1.8e6)
    assert Config().with_options({"mass": 600.0, "any_size": True}).body.mass == 600.0
