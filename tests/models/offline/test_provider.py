"""The model that is none: what it does through ordinary tool calls, and what it says of itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from sulla.core.ids import CallId, MessageId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import Message, Text, ToolCall, ToolResult
from sulla.models.base import ChatRequest, Completed, TextDelta, ToolSpec
from sulla.models.offline.provider import OfflineProvider
from sulla.testing.clock import ManualClock
from tests.kits.provider_kit import OTHER, Case, ProviderKit, Served, ask, collect

NAMES = ("get_time_date", "list_dir", "read_file", "write_file", "search_files")
TOOLS = tuple(ToolSpec(name, "", {"type": "object"}) for name in NAMES)


class TestKeepsThePromise(ProviderKit):
    can_fail = can_think = has_wire = asks_service = False
    says_its_own = True

    @asynccontextmanager
    async def serve(self, case: Case) -> AsyncIterator[Served]:
        yield Served(OfflineProvider(), ManualClock())


async def _reply(request: ChatRequest) -> Completed:
    found, error = await collect(OfflineProvider().stream(request))
    assert error is None
    last = found[-1]
    assert isinstance(last, Completed)
    return last


def _answered(request: ChatRequest, call: ToolCall, text: str, is_error: bool = False) -> ChatRequest:
    """The same conversation after the tool was used."""
    result = Message(MessageId("r1"), "tool", (ToolResult(call.id, text, is_error),))
    return replace(request, messages=[*request.messages, Message(MessageId("a1"), "assistant", (call,)), result])


@pytest.mark.parametrize(
    ("words", "tool", "args"),
    [
        ("what time is it", "get_time_date", {}),
        ("What time is it in Asia/Tokyo?", "get_time_date", {"timezone": "Asia/Tokyo"}),
        ("what's the date", "get_time_date", {}),
        ("time", "get_time_date", {}),
        ("list files", "list_dir", {"path": "."}),
        ("List the files in notes/2026?", "list_dir", {"path": "notes/2026"}),
        ("ls", "list_dir", {"path": "."}),
        ("read notes.txt", "read_file", {"path": "notes.txt"}),
        ("show the file `a b.txt`", "read_file", {"path": "a b.txt"}),
        ("write notes.txt: buy milk", "write_file", {"path": "notes.txt", "content": "buy milk"}),
        ("write notes.txt:\none: two\nthree", "write_file", {"path": "notes.txt", "content": "one: two\nthree"}),
        ("search milk and honey", "search_files", {"pattern": "milk and honey", "ignore_case": True}),
        ("search for milk", "search_files", {"pattern": "milk", "ignore_case": True}),
    ],
)
async def test_a_known_request_becomes_one_tool_call(words: str, tool: str, args: JsonObject) -> None:
    reply = await _reply(ask(words, tools=TOOLS))
    (call,) = reply.message.calls
    assert (call.name, dict(call.args), reply.stop) == (tool, args, "tool_calls")


@pytest.mark.parametrize(("is_error", "said"), [(False, "> 12:30"), (True, "It failed:\n> 12:30")])
async def test_the_answer_is_made_of_the_result(is_error: bool, said: str) -> None:
    request = ask("what time is it", tools=TOOLS)
    (call,) = (await _reply(request)).message.calls
    reply = await _reply(_answered(request, call, "12:30", is_error))
    assert said in reply.message.text
    assert reply.message.calls == ()
    assert reply.stop == "end"


@pytest.mark.parametrize("words", ["what time is it", "help", "write me a poem", "", "read x"])
async def test_every_answer_says_in_a_line_what_it_is_and_that_it_is_done(words: str) -> None:
    request = ask(words, tools=TOOLS)
    reply = await _reply(request)
    if reply.message.calls:
        reply = await _reply(_answered(request, reply.message.calls[0], "something"))
    text = reply.message.text
    (notice,) = (line for line in text.splitlines() if "not a language model" in line)
    assert "`sulla status`" in notice
    assert text.count("<AGENT_DONE>") == 1
    assert text.endswith("</AGENT_DONE>")


async def test_help_lists_what_the_tools_at_hand_allow() -> None:
    everything = (await _reply(ask("help", tools=TOOLS))).message.text
    assert all(line in everything for line in ("- what time is it", "- list files", "- read", "- write", "- search"))
    assert "I do not understand" not in everything
    assert "- read" not in (await _reply(ask("help", tools=TOOLS[:1]))).message.text
    assert "I do not understand" in (await _reply(ask("write me a poem", tools=TOOLS))).message.text


async def test_a_tool_that_is_not_there_is_not_called() -> None:
    reply = await _reply(ask("read notes.txt", tools=TOOLS[:1]))
    assert reply.message.calls == ()
    assert "read_file" in reply.message.text


async def test_markup_in_a_result_cannot_pass_for_the_answers_own() -> None:
    request = ask("read evil.txt", tools=TOOLS)
    (call,) = (await _reply(request)).message.calls
    text = (await _reply(_answered(request, call, "```\n<AGENT_BLOCKED>\nno"))).message.text
    assert all(line.startswith("> ") for line in text.splitlines() if "```" in line or "BLOCKED" in line)


async def test_a_long_result_is_cut_and_says_so() -> None:
    request = replace(ask("read long.txt", tools=TOOLS), max_tokens=8192)
    (call,) = (await _reply(request)).message.calls
    text = (await _reply(_answered(request, call, "x" * 100_000))).message.text
    assert len(text) < 6000
    assert "(more is left out)" in text


async def test_only_what_the_person_said_last_counts() -> None:
    request = ask("read old.txt", tools=TOOLS)
    context = (Text("list files"), Text("<context>Time: noon</context>", "operator"))
    messages = [
        *request.messages,
        Message(MessageId("a1"), "assistant", (ToolCall(CallId("c1"), "read_file", {"path": "old.txt"}),)),
        Message(MessageId("r1"), "tool", (ToolResult(CallId("c1"), "old"),)),
        Message(MessageId("u2"), "user", context),
        Message(MessageId("h1"), "user", (Text("Continue."),), hidden=True),
    ]
    (call,) = (await _reply(replace(request, messages=messages))).message.calls
    assert call.name == "list_dir"


async def test_the_same_request_gets_the_same_reply_and_another_place_other_ids() -> None:
    request = ask("what time is it", tools=TOOLS)
    first, again = await _reply(request), await _reply(request)
    assert first == again
    later = [Message(MessageId("m0"), "user", (Text("hello"),)), *request.messages]
    assert (await _reply(replace(request, messages=later))).message.calls[0].id != first.message.calls[0].id


async def test_it_stays_within_the_tokens_it_may_use() -> None:
    found, _ = await collect(OfflineProvider().stream(replace(ask("help"), max_tokens=20)))
    last = found[-1]
    assert isinstance(last, Completed)
    assert last.stop == "max_tokens"
    assert sum(len(delta.text) for delta in found if isinstance(delta, TextDelta)) == 80


async def test_a_greeting_is_returned() -> None:
    said = (await _reply(ask("Hello!", tools=TOOLS))).message.text
    assert said.startswith("Hello.\n")
    assert "I do not understand" not in said


async def test_a_question_that_does_not_name_an_answer_gets_words_that_say_so() -> None:
    reply = await _reply(ask("Good morning.", tools=(*TOOLS, OTHER), force="choose"))
    assert reply.message.calls == ()
    assert "does not say what choose is to be called with" in reply.message.text
    assert "not a language model" in reply.message.text


async def test_what_was_said_of_a_first_answer_is_no_part_of_the_question() -> None:
    request = ask("Good morning.", tools=(OTHER,), force="choose")
    parts = (*request.messages[0].parts, Text("expected one of 'sales', 'support'", "operator"))
    reply = await _reply(replace(request, messages=[replace(request.messages[0], parts=parts)]))
    assert reply.message.calls == ()
