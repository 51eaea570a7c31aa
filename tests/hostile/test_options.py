"""Every option with every kind of value: a configuration or a sentence."""

import pytest

from mocap_reroot.config import Config, all_options, resolve
from mocap_reroot.errors import MocapRerootError

VALUES = (
    "true", "-1", "0", "1e400", "nan", "-inf", "3", "9" * 400, '""', '"auto"', '"x\\u0000y"',
    "[]", "[1]", '["torques"]', "[[]]", "{a = 1}", "1979-05-27", "07:32:00", '"../../x"',
)  # fmt: skip


@pytest.mark.parametrize("option", sorted(all_options()))
def test_any_value_is_taken_or_refused(option, tmp_path):
    path, section = tmp_path / "options.toml", all_options()[option].section
    taken = 0
    for value in VALUES:
        for text in (f"{option} = {value}\n", f"[{section}]\n{option} = {value}\n"):
            path.write_text(text)
            try:
                taken += isinstance(resolve(path), Config)
            except MocapRerootError as error:
                assert option in str(error) or "TOML" in str(error), (value, error)
    assert taken < 2 * len(VALUES)  # something is wrong for every option
