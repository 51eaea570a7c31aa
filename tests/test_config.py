"""Configuration: precedence, unknown keys, round trip."""

import inspect
from pathlib import Path
from typing import get_type_hints

import pytest

import mocap_reroot as mr
from mocap_reroot import schema
from mocap_reroot.config import Config, all_options, read_toml, resolve
from mocap_reroot.errors import ConfigError, FileError
from mocap_reroot.keywords import Options
from mocap_reroot.options import GONE, RENAMED, renamed

SAMPLES = Path(__file__).parents[1] / "sample_data"


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_flag_over_toml_over_default(tmp_path):
    toml = write(tmp_path / "c.toml", "mass = 60\n[smoothing]\ncutoff = 8.0\n")
    config = resolve(toml, mass=75.0)
    assert config.body.mass == 75.0
    assert config.smoothing.cutoff == 8.0
    assert config.reading.unit == "auto"


def test_every_option_round_trips_through_toml(tmp_path):
    config = resolve(
        unit="0.0254", up="-z", mass=70.5, sex="female", cutoff="6", forces="measured",
        pin_feet=True, tables="core", format="csv,parquet", report=False,
    )  # fmt: skip
    again = resolve(write(tmp_path / "c.toml", config.to_toml()))
    assert again == config
    assert config.reading.unit == 0.0254
    assert config.output.wanted == schema.CORE


def test_all_options_are_unique():
    per_section = [name for part in Config().as_dict().values() for name in part]
    assert len(per_section) == len(set(per_section)) == len(all_options())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mas = 70", ["'mas'", "mass"]),
        ("[body]\ncutoff = 6", ["cutoff belongs in [smoothing]"]),
        ("[bodi]\nmass = 6", ["[bodi]", "Did you mean [body]?"]),
        ("mass = -1", ["c.toml: mass is -1", "positive"]),
        ("up = 'sideways'", ["sideways", "-z"]),
        ("tables = ['torque']", ["torque", "torques"]),
        ("mass = 'heavy'", ["heavy", "positive number"]),
        ("height = 180", ["180 m", "0.3 to 3 m", "--any-size"]),
    ],
)
def test_wrong_keys_and_values_are_named(tmp_path, text, words):
    with pytest.raises(ConfigError) as caught:
        resolve(write(tmp_path / "c.toml", text))
    assert all(word in str(caught.value) for word in words)


def test_not_toml(tmp_path):
    with pytest.raises(FileError, match="not valid TOML"):
        read_toml(write(tmp_path / "c.toml", "mass 70"))
    with pytest.raises(FileError, match="cannot be read"):
        read_toml(tmp_path / "absent.toml")


def test_paths_in_toml_are_relative_to_it(tmp_path):
    toml = write(tmp_path / "c.toml", "bodies = 'my_bodies.csv'\n")
    assert resolve(toml).body.bodies == str(tmp_path / "my_bodies.csv")


def test_written_configuration_finds_its_files_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = resolve(contacts="feet.csv", markerset="mine.toml", static="s.c3d")
    (tmp_path / "out").mkdir()
    again = resolve(write(tmp_path / "out" / "config.toml", config.anywhere().to_toml()))
    assert again.contact.contacts == str(tmp_path / "feet.csv")
    assert again.reading.markerset == str(tmp_path / "mine.toml")
    assert again.reading.static == str(tmp_path / "s.c3d")
    assert resolve(markerset="cgm2").anywhere().reading.markerset == "cgm2"


def test_every_option_is_a_flag_a_keyword_and_on_the_reference_page():
    from mocap_reroot.cli.analysing import run

    flags = {parameter.name: parameter for parameter in run.params}
    shown = inspect.signature(mr.analyze).parameters
    for name, one in all_options().items():
        assert one.flag in flags[name].opts and flags[name].default is None
        assert shown[name].default == one.default
        assert shown[name].annotation == one.annotation
    assert list(get_type_hints(Options)) == list(all_options())


def test_sections_take_words_and_numbers_as_declared():
    assert resolve(cutoff="6").smoothing.cutoff == 6.0
    assert resolve(tables="core,kinematics").output.wanted.count("kinematics") == 1
    assert set(schema.CORE) < set(resolve(tables=["core", "kinematics"]).output.wanted)
    assert resolve(format=("csv,sto",)).output.format == ("csv", "sto")
    assert resolve(up="+y").reading.up == "y"


@pytest.mark.parametrize("name", sorted(RENAMED))
def test_names_that_went_are_taken_with_a_note(name, tmp_path, caplog):
    value = "spline" if name == "smoothing" else 6.0
    config = resolve(**{name: value})
    assert getattr(config.smoothing, RENAMED[name]) == value
    assert f"{name} is now called {RENAMED[name]}" in caplog.text
    text = f"{name} = {value!r}\n"
    assert resolve(write(tmp_path / "c.toml", text)) == config


@pytest.mark.parametrize("name", sorted(GONE))
def test_options_without_a_meaning_are_taken_with_a_note(name, tmp_path, caplog):
    assert resolve(**{name: "smooth"}) == resolve()
    assert f"There is no {name} any more: {GONE[name]}" in caplog.text
    for text in (f"{name} = 'smooth'\n", f"[dynamics]\n{name} = 'smooth'\n"):
        assert resolve(write(tmp_path / "c.toml", text)) == resolve()


def test_old_flag_is_taken_and_hidden(caplog):
    from click.testing import CliRunner

    from mocap_reroot.cli.analysing import run

    told = CliRunner().invoke(run, ["--help"]).output
    assert "--cutoff" in told and "--cutoff-hz" not in told
    assert any("--cutoff-hz" in parameter.opts for parameter in run.params)


def test_functions_take_old_keywords_with_a_note(caplog):
    @renamed(cutoff_hz="cutoff")
    def smooth(motion, cutoff=None):
        return motion, cutoff

    assert smooth(1, cutoff_hz=6.0) == (1, 6.0)
    assert "smooth(): cutoff_hz is now called cutoff" in caplog.text
    with pytest.raises(TypeError, match="given twice"):
        smooth(1, cutoff=5.0, cutoff_hz=6.0)


def test_a_slip_of_the_pen_offers_names():
    with pytest.raises(ConfigError, match="Did you mean cutoff"):
        mr.analyze("walk.bvh", cutof=6.0)


def test_tuned_numbers_are_set_in_toml_and_written_back(tmp_path):
    toml = write(tmp_path / "c.toml", "mass = 70\n[parameters.ground]\nfriction = 0.6\n")
    config = resolve(toml, sex="female")
    assert config.parameters.ground.friction == 0.6
    assert config.ground["parameters"] is config.parameters.ground
    assert config.as_dict()["parameters"] == {"ground": {"friction": 0.6}}
    assert resolve(write(tmp_path / "again.toml", config.anywhere().to_toml())) == config
    assert resolve().as_dict()["parameters"] == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[parameters.ground]\nfrictoin = 0.6\n", "Did you mean friction"),
        ("[parameters.grond]\nfriction = 0.6\n", "Did you mean ground"),
        ("[parameters]\nground = 3\n", "expected names and numbers"),
        ("[parameters.ground]\nfriction = -0.6\n", "friction is -0.6; expected a number"),
        ("[parameters.ground]\nfriction = 'high'\n", "friction is 'high'; expected a number"),
        ("parameters = 3\n", "expected a section a stage"),
    ],
)
def test_a_tuned_number_that_cannot_be_is_an_error(text, expected, tmp_path):
    with pytest.raises(ConfigError, match=expected):
        resolve(write(tmp_path / "c.toml", text))


def test_a_tuned_number_reaches_the_ground():
    slippery = resolve(parameters={"ground": {"friction": 0.05}})
    grf = mr.analyze(SAMPLES / "walk.bvh", mass=70.0, config=slippery).grf
    across = [c for c in grf if c.endswith("_fx") and "residual" not in c]
    usual = mr.analyze(SAMPLES / "walk.bvh", mass=70.0).grf
    assert grf[across].abs().max().max() < 0.8 * usual[across].abs().max().max()


def test_tuned_numbers_reach_contacts_and_plates():
    usual = mr.analyze(SAMPLES / "walk.c3d", mass=70.0)
    narrow = resolve(parameters={"contact": {"off_speed": 0.1, "off_rising": 0.0}})
    assert narrow.detection["parameters"] is narrow.parameters.contact
    motion = mr.read(SAMPLES / "walk.bvh")
    found = mr.detect_contacts(motion, **narrow.detection)
    assert found.touching.sum() < mr.detect_contacts(motion).touching.sum()
    strict = resolve(parameters={"plates": {"near": 0.001}})
    refused = mr.analyze(SAMPLES / "walk.c3d", mass=70.0, config=strict)
    assert usual.motion.plates is not None and refused.motion.plates is None


def test_predicted_forces_have_contacts_from_the_motion_alone():
    assert resolve(forces="predicted").detection["contact_source"] == "kinematics"
    asked = resolve(forces="predicted", contact_source="plates")
    assert asked.detection["contact_source"] == "plates"
    assert resolve().detection["contact_source"] == "auto"
