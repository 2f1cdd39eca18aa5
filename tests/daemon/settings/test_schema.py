"""The schema of `sulla.toml`: as the settings are, for editors, without secrets."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from pydantic import SecretStr

from sulla.daemon.settings.config import sections, settings_model
from sulla.daemon.settings.schema import schema_text, settings_schema
from sulla.daemon.settings.starter import starter
from tests.daemon.settings.page import SCHEMA


def _field(section: str, key: str) -> dict[str, Any]:
    found: dict[str, Any] = settings_schema()["properties"][section]["properties"][key]
    return found


def test_the_published_schema_is_as_the_models_are() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == schema_text(), "write it anew: python -m tests.daemon.settings.page"


def test_every_section_and_setting_is_in_it_and_nothing_else() -> None:
    tables = settings_schema()["properties"]
    assert set(tables) == set(settings_model().model_fields) - {"home"}
    for name, kind in sections().items():
        assert list(tables[name]["properties"]) == list(kind.model_fields)
        assert tables[name]["additionalProperties"] is False
    assert settings_schema()["additionalProperties"] is False


def test_every_setting_says_what_it_means() -> None:
    tables = settings_schema()["properties"]
    for name, kind in sections().items():
        assert all(tables[name]["properties"][key]["description"] for key in kind.model_fields)


def test_bounds_and_choices_are_those_of_the_settings() -> None:
    assert (_field("gateway", "port")["minimum"], _field("gateway", "port")["maximum"]) == (0, 65535)
    assert _field("daemon", "log_level")["enum"] == ["debug", "info", "warning", "error"]
    assert _field("daemon", "drain_s")["exclusiveMinimum"] == 0
    assert _field("gateway", "allowed_hosts")["items"] == {"type": "string"}
    assert _field("limits", "runs")["default"] == 16


@pytest.mark.parametrize(
    ("section", "key"),
    [
        (name, key)
        for name, kind in sections().items()
        for key, field in kind.model_fields.items()
        if field.annotation is SecretStr
    ],
)
def test_a_secret_has_neither_a_default_nor_an_example(section: str, key: str) -> None:
    assert set(_field(section, key)) == {"description", "format", "type", "writeOnly"}


def test_it_stands_on_its_own() -> None:
    assert "$ref" not in schema_text()
    assert "$defs" not in schema_text()
    assert json.loads(schema_text()) == settings_schema()


def test_the_first_settings_of_a_home_keep_to_it() -> None:
    assert set(tomllib.loads(starter())) <= set(settings_schema()["properties"])
