"""The text of the file that keys are in."""

from __future__ import annotations

import tomllib

import pytest

from sulla.daemon.settings.keys_text import with_key


def test_another_key_leaves_all_others_as_they_were() -> None:
    before = '[model]\nopenai_api_key = "one"\n[mcp.servers."my server".env]\nTOKEN = "two\\"\\\\"\n'
    text = with_key(before, "model", "anthropic_api_key", "three\nfour")
    expected = tomllib.loads(before)
    expected["model"]["anthropic_api_key"] = "three\nfour"
    assert tomllib.loads(text) == expected
    assert tomllib.loads(with_key(text, "model", "openai_api_key", "five"))["model"]["openai_api_key"] == "five"


def test_the_first_key_makes_a_whole_file() -> None:
    text = with_key("", "model", "anthropic_api_key", "one")
    assert text.startswith("# Keys and passwords")
    assert tomllib.loads(text) == {"model": {"anthropic_api_key": "one"}}


def test_a_text_that_is_no_toml_is_not_replaced() -> None:
    with pytest.raises(ValueError, match="xpected"):
        with_key("nonsense", "model", "anthropic_api_key", "one")
