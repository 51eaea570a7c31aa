"""Configuration: precedence, unknown keys, round trip."""

import pytest

from mocap_reroot import schema
from mocap_reroot.config import Config, option_names, read_toml, resolve
from mocap_reroot.errors import ConfigError, FileError


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


def test_option_names_are_unique():
    per_section = [name for part in Config().as_dict().values() for name in part]
    assert len(per_section) == len(set(per_section)) == len(option_names())


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


def test_sharing_rules_are_those_of_dynamics():
    from mocap_reroot.config import SHARING_RULES
    from mocap_reroot.ground.sharing import RULES

    assert tuple(RULES) == SHARING_RULES
