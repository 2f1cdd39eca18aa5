"""The table of requests that work without a language model."""

from __future__ import annotations

import pytest

from sulla.models.offline.rules import RULES, help_text, wish_of
from sulla.tools.builtin.every import builtin_tools
from sulla.tools.schema import validate


@pytest.mark.parametrize(
    "words",
    [
        "", "help", "write a poem about the sea", "what is the time complexity of quicksort", "read", "search",
        "timeless", "listen", "what time is it in Asia/Tokyo and Europe/Berlin", "please read the room: now",
    ],
)  # fmt: skip
def test_what_no_rule_fits_is_not_guessed_at(words: str) -> None:
    assert wish_of(words) is None


def test_each_rule_understands_its_own_example() -> None:
    for rule in RULES:
        for example in (rule.usage.replace("[", "").replace("]", ""), rule.usage.partition(" [")[0]):
            wish = wish_of(example)
            assert wish is not None, example
            assert wish.rule is rule


def test_each_rule_calls_a_tool_that_there_is_as_that_wants_to_be_called() -> None:
    tools = {tool.name: tool for tool in builtin_tools()}
    for rule in RULES:
        for example in (rule.usage.replace("[", "").replace("]", ""), rule.usage.partition(" [")[0]):
            wish = wish_of(example)
            assert wish is not None
            assert validate(wish.args, tools[rule.tool].schema) == ()


def test_braces_in_a_persons_words_stay_words() -> None:
    wish = wish_of("read {path}{0}.txt")
    assert wish is not None
    assert wish.intro == "{path}{0}.txt holds:"


def test_help_names_only_what_can_be_done() -> None:
    assert help_text(frozenset()).splitlines()[1:] == ["- help"]
    assert len(help_text(frozenset(rule.tool for rule in RULES)).splitlines()) == len(RULES) + 2
