"""A run's events become the chat that the model saw."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import orjson
import pytest

from sulla.agent.model.reminders import NUDGE
from sulla.core.errors import CorruptRecord, ProviderRejected
from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import ToolCall
from sulla.core.redact import MARK, Redactor
from sulla.journal.training import PromptFrame, ended_run, first_event, to_bytes, to_example
from sulla.models.base import ChatRequest, ToolSpec
from sulla.models.openai.wire import OpenAiOptions, encode_request
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.plays import Question
from sulla.threads.log.records import Input
from tests.journal.desk import LOOK

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"
FRAME = PromptFrame(
    ("You are Sulla.", "Be brief."), (ToolSpec("look", "Looks.", {"type": "object", "properties": {}}),)
)

WRAPPED = replace(FRAME, wrappers=True)


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    store = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await store.open()
    yield store
    await store.close()


@pytest.fixture
def world(store: MemoryStore) -> World:
    return World(store, ScriptedProvider(), tools=(LOOK,))


def _say(world: World, *steps: Any) -> None:
    provider = world.model.provider
    assert isinstance(provider, ScriptedProvider)
    provider.add(*steps)


async def _example(world: World, thread_id: ThreadId, run_id: RunId) -> JsonObject | None:
    return to_example(thread_id, run_id, await world.log(thread_id), FRAME, "sulla")


def _chat(example: JsonObject | None) -> list[tuple[Any, Any]]:
    assert example is not None
    messages: Any = example["messages"]
    return [(message["role"], message["content"]) for message in messages]


async def test_it_is_what_the_model_was_asked_and_its_last_word(world: World) -> None:
    call = ToolCall(CallId("theirs"), "look", {"what": "here"})
    _say(world, Say("I look.", (call,), reasoning="hm"), DONE)
    thread_id = await world.thread()
    sent = await world.ask(thread_id, "What is here?\u200b")
    example = await _example(world, thread_id, sent.run_id)
    assert example is not None
    messages: Any = example["messages"]
    provider: Any = world.model.provider
    asked: ChatRequest = provider.requests[-1]
    shown = orjson.loads(encode_request(asked, OpenAiOptions()))["messages"][1:]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert messages[2].pop("reasoning_content") == "hm"
    assert messages[1:-1] == shown, "as a server that speaks this form was asked"
    assert messages[0]["content"] == "You are Sulla.\n\nBe brief."
    assert messages[-1] == {"role": "assistant", "content": "All right."}
    assert orjson.loads(messages[2]["tool_calls"][0]["function"]["arguments"]) == {"what": "here"}
    assert example["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "look",
                "description": "Looks.",
                "parameters": {"type": "object", "properties": {}},
            },
        }
    ]


async def test_it_says_whose_run_it_was_and_how_it_ended(world: World) -> None:
    _say(world, DONE)
    thread_id = await world.thread()
    sent = await world.ask(thread_id, "hello")
    example = await _example(world, thread_id, sent.run_id)
    assert example is not None
    last = (await world.log(thread_id))[-1]
    outcome = last.data["outcome"]
    assert isinstance(outcome, dict)
    assert outcome["status"] == "done"
    assert outcome["response"] == "ok"
    assert example["metadata"] == {
        "thread_id": thread_id,
        "run_id": sent.run_id,
        "input_seq": sent.seq,
        "seq": last.seq,
        "at": "2027-01-15T08:00:00.000Z",
        "agent": "sulla",
        "model": "scripted",
        "outcome": outcome,
        "usage": {"input_tokens": 100, "output_tokens": 20},
    }


async def test_an_earlier_run_of_the_thread_is_not_a_part_of_it(world: World) -> None:
    _say(world, DONE, "Again. <AGENT_DONE>ok</AGENT_DONE>")
    thread_id = await world.thread()
    await world.ask(thread_id, "one")
    sent = await world.ask(thread_id, "two")
    chat = _chat(await _example(world, thread_id, sent.run_id))
    assert [role for role, _ in chat] == ["system", "user", "assistant"]
    assert chat[1][1].startswith("two")
    assert chat[2][1] == "Again."


async def test_a_message_that_joined_is_a_part_of_the_run_that_it_joined(world: World) -> None:
    gate = Gate()
    call = ToolCall(CallId("theirs"), "look", {"what": "nowhere"})
    _say(world, Say(("I ", gate, "look."), (call,)), DONE)
    thread_id = await world.thread()
    first = await world.send(thread_id, "look")
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread_id))
        await gate.reached()
        second = await world.send(thread_id, "and be quick", "steer")
        gate.open()
    chat = _chat(await _example(world, thread_id, first.run_id))
    assert chat[-3:] == [("tool", "Error: nothing there"), ("user", "and be quick"), ("assistant", "All right.")]
    log = await world.log(thread_id)
    assert await _example(world, thread_id, second.run_id) is None
    assert [ended_run(entry, ("done",)) for entry in log if ended_run(entry, ("done",))] == [first.run_id]


async def test_a_nudge_that_got_nothing_but_the_wrapper_is_left_out_where_none_was_asked_for(world: World) -> None:
    _say(world, "No wrapper here.", "<AGENT_DONE>ok</AGENT_DONE>")
    thread_id = await world.thread()
    sent = await world.ask(thread_id, "hello")
    assert _chat(await _example(world, thread_id, sent.run_id))[-1] == ("assistant", "No wrapper here.")


WRITTEN = (
    "All right.\n\n<AGENT_DONE>ok</AGENT_DONE>",
    "<AGENT_DONE>ok</AGENT_DONE>",
    "No.\n\n<AGENT_BLOCKED><BLOCKER_REASON>key</BLOCKER_REASON><UNBLOCK_REQUIREMENTS>1</UNBLOCK_REQUIREMENTS></AGENT_BLOCKED>",
)


@pytest.mark.parametrize("written", WRITTEN)
async def test_where_wrappers_are_asked_for_replies_are_given_with_theirs(written: str, world: World) -> None:
    _say(world, written)
    thread_id = await world.thread()
    sent = await world.ask(thread_id, "hello")
    assert _chat(to_example(thread_id, sent.run_id, await world.log(thread_id), WRAPPED, "sulla"))[-1] == (
        "assistant",
        written,
    )


async def test_a_wrapper_that_had_to_be_asked_for_stands_behind_the_nudge(world: World) -> None:
    _say(world, "No wrapper here.", "<AGENT_DONE>ok</AGENT_DONE>")
    thread_id = await world.thread()
    sent = await world.ask(thread_id, "hello")
    chat = _chat(to_example(thread_id, sent.run_id, await world.log(thread_id), WRAPPED, "sulla"))
    assert chat[-3:] == [
        ("assistant", "No wrapper here."),
        ("user", NUDGE),
        ("assistant", "<AGENT_DONE>ok</AGENT_DONE>"),
    ]


async def test_what_the_daemon_answers_in_the_models_place_is_nothing_to_learn_from(store: MemoryStore) -> None:
    world = World(store, ScriptedProvider(), tools=(replace(LOOK, return_direct=True),))
    _say(world, Say("I look.", (ToolCall(CallId("theirs"), "look", {"what": "here"}),)))
    thread_id = await world.thread()
    sent = await world.ask(thread_id, "What is here?")
    assert (await world.log(thread_id))[-2].data["text"] == "saw here"
    assert _chat(await _example(world, thread_id, sent.run_id))[-1] == ("assistant", "I look.")


async def test_a_reminder_that_was_answered_stays(world: World) -> None:
    _say(world, "Half. <AGENT_CONTINUE><STATUS_REPORT>half</STATUS_REPORT></AGENT_CONTINUE>", DONE)
    thread_id = await world.thread()
    sent = await world.ask(thread_id, "hello")
    chat = _chat(await _example(world, thread_id, sent.run_id))
    assert chat[2:] == [("assistant", "Half."), ("user", "Continue."), ("assistant", "All right.")]


async def test_a_run_without_a_word_of_the_model_gives_nothing(world: World) -> None:
    _say(world, ProviderRejected("no"))
    thread_id = await world.thread()
    sent = await world.ask(thread_id, "hello")
    end = (await world.log(thread_id))[-1]
    assert (ended_run(end, ("failed",)), ended_run(end, ("done",))) == (sent.run_id, None)
    assert await _example(world, thread_id, sent.run_id) is None


async def test_the_beginning_is_found_and_a_missing_one_is_an_error(world: World) -> None:
    _say(world, DONE)
    thread_id = await world.thread()
    sent = await world.ask(thread_id, "hello")
    log = await world.log(thread_id)
    assert first_event(log, sent.run_id) == sent.seq
    assert first_event(log[sent.seq + 1 :], sent.run_id) is None
    with pytest.raises(CorruptRecord, match="not a waiting input"):
        to_example(thread_id, sent.run_id, log[sent.seq :], FRAME, "sulla")


async def test_secrets_are_taken_out_everywhere(world: World) -> None:
    _say(world, "Your key is sk-ant-0123456789. <AGENT_DONE>sk-ant-0123456789</AGENT_DONE>")
    thread_id = await world.thread()
    sent = await world.ask(thread_id, "keep sk-ant-0123456789")
    example = await _example(world, thread_id, sent.run_id)
    assert example is not None
    raw = to_bytes(example, Redactor(["sk-ant-0123456789", "You are Sulla."]))
    assert b"sk-ant-0123456789" not in raw
    assert b"You are Sulla." not in raw
    assert raw.count(MARK.encode()) == 4


async def test_an_answer_to_a_playbook_is_no_example_and_what_came_of_it_is_one(world: World) -> None:
    _say(world, Say("", (ToolCall(CallId("c"), "decide", {}),)), DONE)
    thread_id = await world.thread()
    question = Question(ThreadId("gone"), "ask:1", "decide", "Decides.", {"type": "object", "properties": {}})
    asked = Input(MessageId("m1"), "[The playbook brew asks.]", origin="playbook", question=question)
    ended = Input(MessageId("m2"), "[The playbook brew has ended.]", origin="playbook")
    runs = []
    for said in (asked, ended):
        runs.append((await world.threads.send(thread_id, said)).run_id)
        await world.turns.attend(thread_id)
    assert await _example(world, thread_id, runs[0]) is None
    assert _chat(await _example(world, thread_id, runs[1]))[-1] == ("assistant", "All right.")


async def test_what_was_quoted_beside_a_message_stands_where_the_model_read_it(world: World) -> None:
    _say(world, DONE)
    thread_id = await world.thread()
    sent = await world.threads.send(thread_id, Input(MessageId("m1"), "Sum it up.", quoted="Rome fell."))
    await world.turns.attend(thread_id)
    role, content = _chat(await _example(world, thread_id, sent.run_id))[1]
    assert (role, content.startswith("Sum it up."), "Rome fell." in content) == ("user", True, True)
