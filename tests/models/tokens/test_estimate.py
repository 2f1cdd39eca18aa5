"""Estimates: never far too few, never far too many, cheap, the same way for every part of a message."""

from __future__ import annotations

import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.ids import CallId, MessageId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import Message, Part, Reasoning, Text, ToolCall, ToolResult
from sulla.models.tokens.estimate import count_message, estimate_text, estimate_tokens

DATA = Path(__file__).parent / "data"

COUNTED = {
    "chinese.txt": (566, 389),
    "code.txt": (586, 584),
    "english.txt": (364, 361),
    "german.txt": (503, 414),
    "json_compact.json": (414, 415),
    "json_wide.json": (644, 643),
}
"""Tokens of the samples as cl100k_base and o200k_base count them. test_ranks.py checks the first of each."""


def _message(*parts: Part) -> Message:
    return Message(MessageId("m"), "assistant", parts)


@pytest.mark.parametrize("sample", COUNTED)
def test_an_estimate_is_at_most_a_tenth_too_low_and_a_quarter_too_high(sample: str) -> None:
    estimate, most = estimate_text((DATA / sample).read_text()), max(COUNTED[sample])
    assert 0.9 * most <= estimate <= 1.25 * most


@pytest.mark.parametrize("sample", COUNTED)
def test_a_conversation_cut_into_messages_is_estimated_like_the_whole(sample: str) -> None:
    lines = (DATA / sample).read_text().splitlines(keepends=True)
    whole = estimate_text("".join(lines))
    assert whole <= sum(map(estimate_text, lines)) <= whole + len(lines)


def test_nothing_costs_nothing_and_anything_something() -> None:
    assert estimate_text("") == 0
    assert all(estimate_text(char) >= 1 for char in string.printable + "é中😀\u200d\ud800")


@given(st.text(), st.text())
def test_more_text_never_costs_less(one: str, more: str) -> None:
    assert estimate_text(one) <= estimate_text(one + more) <= estimate_text(one) + estimate_text(more)


@given(st.text(alphabet=st.characters(), min_size=1))
def test_no_text_costs_more_than_its_bytes_could(text: str) -> None:
    # A byte pair encoding has at most one token a byte; a unit of weight more or less is rounding.
    assert estimate_text(text) <= 1.1 * len(text.encode("utf-8", "surrogatepass")) + 1


def test_text_reasoning_and_results_count_alike() -> None:
    words = "what was done and what is left to do"
    alike = {
        estimate_tokens(_message(part)) for part in (Text(words), Reasoning(words), ToolResult(CallId("c"), words))
    }
    assert alike == {4 + estimate_text(words)}


def test_a_call_counts_its_name_and_its_arguments() -> None:
    args: JsonObject = {"path": "notes.md", "text": "größer 中文"}
    call = ToolCall(CallId("c"), "write_file", args)
    texts = ["write_file", '{"path":"notes.md","text":"größer 中文"}']
    assert estimate_tokens(_message(call)) == 4 + sum(map(estimate_text, texts))


def test_a_message_is_counted_part_by_part() -> None:
    seen: list[str] = []

    def count(text: str) -> int:
        seen.append(text)
        return 10

    parts = (Reasoning("why"), Text("because"), ToolCall(CallId("c"), "list", {}))
    assert count_message(_message(*parts), count) == 44
    assert seen == ["why", "because", "list", "{}"]


def test_what_a_services_own_tool_found_is_weighed_although_it_has_no_text() -> None:
    found = Reasoning("", {"type": "web_search_tool_result", "content": "word " * 500}, quoted=True)
    assert estimate_tokens(_message(found)) > estimate_tokens(_message(Text("word " * 400)))
