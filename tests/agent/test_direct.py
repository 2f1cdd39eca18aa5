"""A tool's result that is meant for the person ends the reply: the model is not asked what to make of it."""

from __future__ import annotations

from dataclasses import replace

from sulla.core.ids import CallId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import Message, ToolCall
from sulla.core.words import ours
from sulla.store.memory import MemoryStore
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.world import World
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define

ENDED = "Here you are. <AGENT_DONE>ok</AGENT_DONE>"


def _tools() -> tuple[Tool, ...]:
    async def show(context: ToolContext, *, what: str) -> Result:
        """Show something.

        Args:
            what: What.
        """
        return Done(ours(f"shown: {what}"), is_error=what == "wrong")

    async def look(context: ToolContext) -> Result:
        """Look at something."""
        return Done(ours("seen"))

    return replace(define(show, effect="pure"), return_direct=True), define(look, effect="pure")


def _call(name: str, number: int = 1, **args: str) -> ToolCall:
    given: JsonObject = dict(args)
    return ToolCall(CallId(f"c{number}"), name, given)


async def _played(store: MemoryStore, *calls: ToolCall) -> tuple[World, ScriptedProvider, list[JsonObject]]:
    provider = ScriptedProvider([Say("", calls), ENDED])
    world = World(store, provider, tools=_tools())
    thread = await world.thread()
    await world.ask(thread, "show me")
    log = await world.log(thread)
    assert log[-1].kind == "RUN_FINISHED"
    return world, provider, [dict(entry.data) for entry in log if entry.kind == "TEXT_MESSAGE_END"]


async def test_a_direct_result_is_the_reply_and_no_model_is_asked_again(store: MemoryStore) -> None:
    _, provider, texts = await _played(store, _call("show", what="a picture"))
    assert len(provider.requests) == 1
    assert [text["text"] for text in texts] == ["", "shown: a picture"]


async def test_several_direct_results_come_in_the_models_order(store: MemoryStore) -> None:
    _, _, texts = await _played(store, _call("show", 1, what="one"), _call("show", 2, what="two"))
    assert texts[-1]["text"] == "shown: one\n\nshown: two"


async def test_beside_a_tool_that_the_model_has_to_see_it_is_asked(store: MemoryStore) -> None:
    _, provider, texts = await _played(store, _call("show", 1, what="one"), _call("look", 2))
    assert len(provider.requests) == 2
    assert texts[-1]["text"] == "Here you are."


async def test_a_failure_is_for_the_model(store: MemoryStore) -> None:
    _, provider, _ = await _played(store, _call("show", what="wrong"))
    assert len(provider.requests) == 2


async def test_the_conversation_goes_on_behind_it(store: MemoryStore) -> None:
    provider = ScriptedProvider([Say("", (_call("show", what="x"),)), ENDED])
    world = World(store, provider, tools=_tools())
    thread = await world.thread()
    await world.ask(thread, "show me")
    assert isinstance(world.clock.elapsed(), float)
    await world.ask(thread, "and now?")
    told: list[Message] = list(provider.requests[-1].messages)
    assert [message.role for message in told] == ["user", "assistant", "tool", "assistant", "user"]
    assert told[3].text == "shown: x"


async def test_what_has_taken_over_ends_the_turn_before_a_message_joins_it(store: MemoryStore) -> None:
    show, look = _tools()
    provider = ScriptedProvider([Say("", (_call("show", 1, what="it runs"), _call("look", 2))), ENDED])
    world = World(store, provider, tools=(replace(show, return_direct=False, takes_over=True), look))
    thread = await world.thread()
    await world.send(thread, "show me")
    await world.send(thread, "quickly", "steer")
    await world.turns.attend(thread)
    ends = [entry.data for entry in await world.log(thread) if entry.kind == "TEXT_MESSAGE_END"]
    assert [end["text"] for end in ends] == ["", "shown: it runs", "Here you are."]
    assert len(provider.requests) == 2
    assert "INPUTS_JOINED" not in await world.kinds(thread)


async def test_what_failed_to_take_over_does_not(store: MemoryStore) -> None:
    show, look = _tools()
    provider = ScriptedProvider([Say("", (_call("show", 1, what="wrong"), _call("look", 2))), ENDED])
    world = World(store, provider, tools=(replace(show, takes_over=True), look))
    await world.ask(await world.thread(), "show me")
    assert len(provider.requests) == 2
