"""The first `sulla.toml` of a home says everything and changes nothing."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from sulla.daemon.settings.config import Settings, load_settings, sections, settings_model
from sulla.daemon.settings.starter import SCHEMA_FILE, Inferred, literal, starter

_LIVE = re.compile(r"^(?!#|\[)\S", re.MULTILINE)
"""A line that is neither empty nor a comment nor a section's name."""


def _loaded(home: Path, text: str) -> Settings:
    (home / "sulla.toml").write_text(text, encoding="utf-8")
    return load_settings({}, {}, home)


def _offered(text: str) -> dict[str, dict[str, str]]:
    """What is offered behind a ``#`` without a blank, by section and key."""
    found: dict[str, dict[str, str]] = {}
    section = ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip("[]")
            found[section] = {}
        elif offered := re.fullmatch(r"#(\w+) = (.*)", line):
            found[section][offered[1]] = offered[2]
    return found


def test_it_loads_to_the_same_settings_as_no_file(tmp_path: Path) -> None:
    nothing = load_settings({}, {}, tmp_path)
    assert _loaded(tmp_path, starter()) == nothing
    assert _LIVE.findall(starter()) == []


def test_every_setting_is_in_it_once_with_its_default(tmp_path: Path) -> None:
    offered = _offered(starter())
    for name, kind in sections().items():
        assert list(offered[name]) == list(kind.model_fields)
    written = {
        section: {key: value for key, value in keys.items() if value != "..."} for section, keys in offered.items()
    }
    text = "".join(
        f"[{section}]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())
        for section, keys in written.items()
    )
    assert sum(map(len, written.values())) > 30
    assert _loaded(tmp_path, text) == load_settings({}, {}, tmp_path / "none").model_copy(update={"home": tmp_path})


def test_a_setting_without_a_default_has_none_in_the_settings_either() -> None:
    blank = {(section, key) for section, keys in _offered(starter()).items() for key in keys if keys[key] == "..."}
    none = {
        (name, key)
        for name, kind in sections().items()
        for key, field in kind.model_fields.items()
        if field.default is None
    }
    assert blank == none


def test_every_table_of_the_settings_has_its_place() -> None:
    tables = set(settings_model().model_fields) - {"home"}
    assert set(tomllib.loads(starter())) == tables


def test_every_setting_stands_below_what_it_means() -> None:
    lines = starter().splitlines()
    for number, line in enumerate(lines):
        if re.match(r"#\w+ = ", line):
            assert lines[number - 1].startswith("# "), line


def test_what_was_found_out_is_live_and_says_how(tmp_path: Path) -> None:
    text = starter([Inferred("model", "name", "ollama:qwen3:8b", "an Ollama answers")])
    assert _loaded(tmp_path, text).model.name == "ollama:qwen3:8b"
    plain = load_settings({}, {}, tmp_path / "none")
    expected = plain.model_copy(
        update={"home": tmp_path, "model": plain.model.model_copy(update={"name": "ollama:qwen3:8b"})}
    )
    assert load_settings({}, {}, tmp_path) == expected
    assert '# Found out by `sulla init`: an Ollama answers.\nname = "ollama:qwen3:8b"\n' in text
    assert len(_LIVE.findall(text)) == 1


def test_a_name_with_quotes_and_control_characters_stays_one_value(tmp_path: Path) -> None:
    name = 'ollama:a"b\\c\x1b\x7f\n[gateway]\nport = 1'
    settings = _loaded(tmp_path, starter([Inferred("model", "anthropic_model", name, "a test")]))
    assert settings.model.anthropic_model == name
    assert settings.gateway.port == 8137


def test_a_reason_cannot_leave_its_comment(tmp_path: Path) -> None:
    text = starter([Inferred("model", "name", "offline", "x\n[gateway]\nport = 1")])
    assert _loaded(tmp_path, text).gateway.port == 8137


def test_the_first_line_tells_editors_where_the_schema_is() -> None:
    assert starter().splitlines()[0] == f"#:schema ./{SCHEMA_FILE}"


def test_no_line_is_too_wide_to_be_read() -> None:
    assert max(map(len, starter().splitlines())) <= 120


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("", '""'),
        ("ü ☃", '"ü ☃"'),
        (True, "true"),
        (500_000, "500000"),
        (30.0, "30.0"),
        (("a", "b"), '["a", "b"]'),
        ((), "[]"),
        (SecretStr("hunter2"), '""'),
        (None, "..."),
    ],
)
def test_a_default_is_written_as_toml(value: Any, text: str) -> None:
    assert literal(value) == text


def test_a_default_that_toml_cannot_hold_is_a_mistake_that_shows() -> None:
    with pytest.raises(TypeError, match="a default of type object cannot be written as TOML"):
        literal(object())
