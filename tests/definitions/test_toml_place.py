"""Where a key stands in a TOML text, and where the text is none."""

from __future__ import annotations

import pytest

from sulla.core.errors import InvalidInput
from sulla.definitions.toml_place import SettingsFile

TEXT = '''\
# max_turns = 1
description = """
max_turns = 2
[flow]
"""
  max_turns = 3
tools = [
  "max_turns = 4",
]

[flow]
max_turns = 5
plan = true

[[intents]]
phrase = "a"
to = "agent:a"
[[intents]]
phrase = "b"
args = { max_turns = 6 }
to = "agent:b"
'''


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("description",), ":2:1"),
        (("max_turns",), ":6:3"),
        (("tools",), ":7:1"),
        (("flow",), ":11:1"),
        (("flow", "max_turns"), ":12:1"),
        (("intents", 1), ":18:1"),
        (("intents", 1, "to"), ":21:1"),
        (("intents", 1, "args", "max_turns"), ":20:1"),
        (("flow", "nothing"), ":11:1"),
        (("nothing",), ""),
    ],
)
def test_a_key_is_found_where_it_is_written_and_nowhere_else(path: tuple[str | int, ...], place: str) -> None:
    assert SettingsFile("agent.toml", TEXT).at(*path) == f"agent.toml{place}"


def test_a_key_is_found_behind_windows_line_ends_and_in_quotes() -> None:
    file = SettingsFile("agent.toml", 'name = "x"\r\n"max_turns" = 0\r\n')
    assert file.at("max_turns") == "agent.toml:2:1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = 1\na = 2\n", "agent.toml:2:6: Cannot overwrite a value"),
        ("a = 1\nb\n\n\n", "agent.toml:2:2: Expected '=' after a key in a key/value pair"),
        ("a = [1,\nb = 2\n", "agent.toml:2:1: Invalid value"),
    ],
)
def test_what_is_no_toml_is_told_at_its_line_and_column(text: str, said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        SettingsFile("agent.toml", text).fields()
    assert refused.value.message == said


def test_of_many_lines_that_look_like_a_key_only_the_first_are_read() -> None:
    file = SettingsFile("agent.toml", 'text = """\n' + "x = 1\n" * 100 + '"""\nx = 0\n')
    assert file.at("x") == "agent.toml"
