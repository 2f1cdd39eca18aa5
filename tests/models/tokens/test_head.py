"""The counter of what comes before a request's messages."""

from __future__ import annotations

import pytest

from sulla.core.ids import MessageId
from sulla.core.message import Message, Text
from sulla.core.words import Author, Words
from sulla.models.base import PromptSection, ToolSpec
from sulla.models.tokens.estimate import count_head, count_message, estimate_text
from sulla.models.tokens.head import MOST_KNOWN, HeadCounter


def _section(name: str, text: str) -> PromptSection:
    return PromptSection(name, Words(text, Author.OPERATOR))


_TOOLS = (
    ToolSpec("bash", "runs a command", {"type": "object"}),
    ToolSpec("read", "reads a file", {"type": "object", "required": ["path"]}),
)
_SYSTEM = (_section("identity", "You are Sulla."), _section("time", "It is nine."))
_TOLD = (Message(MessageId("m"), "user", (Text("a summary of before"),)),)


class _Count:
    """Estimates, and notes which texts it was asked about."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, text: str) -> int:
        self.asked.append(text)
        return estimate_text(text)


@pytest.mark.parametrize("times", [1, 2])
def test_a_head_takes_what_its_parts_take_however_often_it_is_counted(times: int) -> None:
    counter = HeadCounter(estimate_text)
    expected = count_head(_SYSTEM, _TOOLS, estimate_text) + sum(count_message(one, estimate_text) for one in _TOLD)
    assert [counter.count(_SYSTEM, _TOOLS, _TOLD) for _ in range(times)] == [expected] * times


def test_a_new_section_is_all_that_is_counted_again() -> None:
    count = _Count()
    counter = HeadCounter(count)
    counter.count(_SYSTEM, _TOOLS, _TOLD)
    count.asked.clear()
    counter.count((_SYSTEM[0], _section("time", "It is ten.")), (*_TOOLS,), _TOLD)
    assert count.asked == ["It is ten."]


def test_a_tool_that_is_told_otherwise_is_counted_again() -> None:
    counter = HeadCounter(estimate_text)
    before = counter.count((), _TOOLS, ())
    longer = ToolSpec("bash", "runs a command, and says at length how it went and what it printed", {"type": "object"})
    assert counter.count((), (longer, _TOOLS[1]), ()) > before
    assert counter.count((), _TOOLS, ()) == before


def test_it_remembers_no_more_than_its_bound() -> None:
    count = _Count()
    counter = HeadCounter(count)
    for number in range(MOST_KNOWN + 1):
        counter.count((_section("time", f"minute {number}"),), (), ())
    count.asked.clear()
    counter.count((_section("time", "minute 0"), _section("time", f"minute {MOST_KNOWN}")), (), ())
    assert count.asked == ["minute 0"]


def test_a_list_of_tools_that_changes_is_counted_as_it_is() -> None:
    counter = HeadCounter(estimate_text)
    tools = [*_TOOLS]
    both = counter.count((), tools, ())
    tools.pop()
    assert counter.count((), tools, ()) == count_head((), _TOOLS[:1], estimate_text) < both
