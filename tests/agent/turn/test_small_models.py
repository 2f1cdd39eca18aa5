"""Small models that never write a completion wrapper, forget it after tools, or think at length: each turn ends done,
with what they said, and costs one call more at most.
"""

from __future__ import annotations

import pytest

from sulla.agent.model.reminders import CUT_OFF, REAL_CALLS
from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.store.memory import MemoryStore
from sulla.testing.provider import Say, ScriptedProvider, Step
from sulla.testing.world import World
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.agent.turn.test_turns import last

LOOK = ToolCall(CallId("c1"), "look", {"what": "shelf"})
AGAIN = ToolCall(CallId("c2"), "look", {"what": "cellar"})

TRANSCRIPTS: dict[str, tuple[list[Step], str]] = {
    "never heard of wrappers": (["Paris.", "I do not know what you mean."], "Paris."),
    "repeats itself": (["Paris.", "Paris."], "Paris."),
    "says nothing to the nudge": (["Paris.", ""], "Paris."),
    "apologizes": (["Paris.", "Sorry! Here it is: AGENT_DONE"], "Paris."),
    "opens a wrapper and never closes it": (["Paris.", "<AGENT_DONE>"], "Paris."),
    "invents a wrapper": (["Paris.", "<DONE>yes</DONE>"], "Paris."),
    "forgets it after a tool": (["Let me look. ", "Three books.", "What wrapper?"], "Three books."),
    "forgets it after two tools": (["", "", "Three books, two bottles.", "done"], "Three books, two bottles."),
    "thinks at length before it answers": (
        [Say("Paris.", reasoning="hm " * 400), Say("", reasoning="hm " * 400, stop="max_tokens")],
        "Paris.",
    ),
    "says nothing after a tool, and answers the nudge": (["Let me look. ", "", "Three books."], "Three books."),
    "calls a tool when it is nudged": (["Paris.", Say("", (LOOK,))], "Paris."),
}
CALLS = {
    "says nothing after a tool, and answers the nudge": (LOOK,),
    "forgets it after a tool": (LOOK,),
    "forgets it after two tools": (LOOK, AGAIN),
}


def _look() -> Tool:
    async def look(context: ToolContext, *, what: str) -> Result:
        """Look at something.

        Args:
            what: what to look at.
        """
        return Done(ours(f"the {what} is full"))

    return define(look, effect="pure", reach="inward")


def _with_calls(name: str, steps: list[Step]) -> list[Step]:
    calls = CALLS.get(name, ())
    return [Say(str(step), (call,)) for step, call in zip(steps, calls, strict=False)] + steps[len(calls) :]


@pytest.mark.parametrize("name", TRANSCRIPTS)
async def test_a_turn_of_a_model_without_wrappers_ends_done_with_its_text(name: str, store: MemoryStore) -> None:
    steps, answer = TRANSCRIPTS[name]
    provider = ScriptedProvider(_with_calls(name, steps))
    world = World(store, provider, tools=(_look(),))
    thread = await world.thread()
    await world.ask(thread, "tell me")
    ended = await last(world, thread, "RUN_FINISHED")
    assert (ended["outcome"]["status"], ended["outcome"]["reason"]) == ("done", "no_wrapper")
    shown = [entry.data for entry in await world.log(thread) if entry.kind == "TEXT_MESSAGE_END"]
    assert [one["text"] for one in shown if not one.get("hidden")][-1] == answer
    assert len(provider.requests) == 1 + len(CALLS.get(name, ())) + 1
    provider.assert_done()


async def test_words_in_the_wrapper_are_the_answer_where_nothing_was_said_after_a_tool(store: MemoryStore) -> None:
    wrapped = "<AGENT_DONE>The shelf holds nothing at all.</AGENT_DONE>"
    provider = ScriptedProvider([Say("", (LOOK,)), "", wrapped])
    world = World(store, provider, tools=(_look(),))
    thread = await world.thread()
    await world.ask(thread, "what is there?")
    said = [entry.data for entry in await world.log(thread) if entry.kind == "TEXT_MESSAGE_END"]
    shown = [one for one in said if not one.get("hidden") and one.get("text")]
    assert [one["text"] for one in shown] == ["The shelf holds nothing at all."]
    assert (await last(world, thread, "RUN_FINISHED"))["outcome"]["status"] == "done"


async def test_what_was_said_already_is_not_said_again_by_the_wrapper(store: MemoryStore) -> None:
    provider = ScriptedProvider(["Paris.", "<AGENT_DONE>I named the capital.</AGENT_DONE>"])
    world = World(store, provider)
    thread = await world.thread()
    await world.ask(thread, "capital of France?")
    said = [entry.data for entry in await world.log(thread) if entry.kind == "TEXT_MESSAGE_END"]
    assert [one["text"] for one in said if not one.get("hidden")] == ["Paris."]


async def test_a_model_that_thinks_may_think_before_the_wrapper_too(store: MemoryStore) -> None:
    provider = ScriptedProvider([Say("Paris.", reasoning="hm"), Say("<AGENT_DONE>ok</AGENT_DONE>", reasoning="hm")])
    world = World(store, provider)
    thread = await world.thread()
    await world.ask(thread, "capital of France?")
    reply, nudge = provider.requests
    assert nudge.max_tokens == reply.max_tokens
    assert (await last(world, thread, "RUN_FINISHED"))["outcome"].get("reason") is None


@pytest.mark.parametrize("before", [(), (LOOK,)])
async def test_a_reply_without_a_word_is_no_answer(before: tuple[ToolCall, ...], store: MemoryStore) -> None:
    provider = ScriptedProvider([*(Say("Let me look.", (call,)) for call in before), Say(reasoning="hm"), Say()])
    world = World(store, provider, tools=(_look(),))
    thread = await world.thread()
    await world.ask(thread, "tell me")
    error = await last(world, thread, "RUN_ERROR")
    assert error["code"] == "no_outcome"
    assert "model.reply_tokens" in error["message"]


async def test_a_model_that_calls_a_tool_in_the_place_of_an_answer_is_not_said_to_have_replied_nothing(
    store: MemoryStore,
) -> None:
    provider = ScriptedProvider([Say("Let me look.", (LOOK,)), Say(), Say("", (AGAIN,))])
    world = World(store, provider, tools=(_look(),))
    thread = await world.thread()
    await world.ask(thread, "tell me")
    error = await last(world, thread, "RUN_ERROR")
    assert error["code"] == "no_outcome"
    assert "called a tool again when it was asked how far it is; that call was not made" in error["message"]
    assert "empty" not in error["message"]


async def test_the_next_turn_does_not_see_the_reason_of_the_last(store: MemoryStore) -> None:
    provider = ScriptedProvider(["Paris.", "What?", "Rome. <AGENT_DONE>ok</AGENT_DONE>"])
    world = World(store, provider)
    thread = await world.thread()
    await world.ask(thread, "capital of France?")
    await world.ask(thread, "and of Italy?")
    assert (await last(world, thread, "RUN_FINISHED"))["outcome"].get("reason") is None


WROTE = '<tool_call>{"name": "look", "arguments": {"what": "shelf"}}</tool_call>'


async def test_a_call_that_is_only_written_down_is_told_once_and_neither_made_shown_nor_remembered(
    store: MemoryStore,
) -> None:
    real = Say("", (LOOK,))
    provider = ScriptedProvider([f"I look. {WROTE}", real, "It is full. <AGENT_DONE>ok</AGENT_DONE>"])
    world = World(store, provider, tools=(_look(),))
    thread = await world.thread()
    await world.ask(thread, "what of the shelf?")
    log = await world.log(thread)
    texts = [entry.data["text"] for entry in log if entry.kind == "TEXT_MESSAGE_END"]
    assert texts == ["", "", "It is full."]
    (reminder,) = [entry.data["text"] for entry in log if entry.kind == "REMINDER"]
    assert reminder == REAL_CALLS
    assert provider.requests[1].messages[-1].hidden
    assert "tool_call>" not in str(provider.requests[-1].messages)
    assert (await last(world, thread, "RUN_FINISHED"))["outcome"]["status"] == "done"
    provider.assert_done()


@pytest.mark.parametrize(
    "wrote",
    [
        'look({"what": "shelf"})',
        "look(what='shelf')",
        '{"name": "look", "arguments": {"what": "shelf"}}',
        '```tool_code\nprint(default_api.look(what="shelf"))\n```',
        '<|python_tag|>look.call(what="shelf")<|eom_id|>',
        '[TOOL_CALLS][{"name": "look", "arguments": {"what": "shelf"}}]',
    ],
)
async def test_nor_is_a_call_that_is_written_as_prose(
    store: MemoryStore, wrote: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    provider = ScriptedProvider([wrote, Say("", (LOOK,)), "It is full. <AGENT_DONE>ok</AGENT_DONE>"])
    world = World(store, provider, tools=(_look(),))
    thread = await world.thread()
    await world.ask(thread, "what of the shelf?")
    log = await world.log(thread)
    assert [entry.data["text"] for entry in log if entry.kind == "TEXT_MESSAGE_END"] == ["", "", "It is full."]
    assert [entry.data["text"] for entry in log if entry.kind == "REMINDER"] == [REAL_CALLS]
    assert wrote not in str(provider.requests[-1].messages)
    (noted,) = [record for record in caplog.records if "wrote down calls" in record.message]
    assert (vars(noted)["calls"], vars(noted)["characters"]) == (1, len(wrote))
    assert (await last(world, thread, "RUN_FINISHED"))["outcome"]["status"] == "done"
    provider.assert_done()


async def test_a_call_within_a_sentence_is_cut_and_what_stands_around_it_is_told_once(store: MemoryStore) -> None:
    wrote = 'I look now: look({"what": "shelf"}), one moment.'
    provider = ScriptedProvider([wrote, "It is full. <AGENT_DONE>ok</AGENT_DONE>"])
    world = World(store, provider, tools=(_look(),))
    thread = await world.thread()
    await world.ask(thread, "what of the shelf?")
    log = await world.log(thread)
    assert [entry.data["text"] for entry in log if entry.kind == "TEXT_MESSAGE_END"] == ["", "It is full."]
    provider.assert_done()


async def test_a_sentence_that_mentions_a_call_as_code_is_shown_as_it_is(store: MemoryStore) -> None:
    answer = 'Use `look({"what": "shelf"})` for that.'
    provider = ScriptedProvider([f"{answer}\n<AGENT_DONE>ok</AGENT_DONE>"])
    world = World(store, provider, tools=(_look(),))
    thread = await world.thread()
    await world.ask(thread, "how?")
    assert (await last(world, thread, "TEXT_MESSAGE_END"))["text"] == answer
    provider.assert_done()


async def test_a_model_that_writes_calls_down_again_is_not_told_again(store: MemoryStore) -> None:
    answer = f"{WROTE}Here is my answer. <AGENT_DONE>ok</AGENT_DONE>"
    provider = ScriptedProvider([answer, answer])
    world = World(store, provider, tools=(_look(),))
    thread = await world.thread()
    await world.ask(thread, "tell me")
    assert (await last(world, thread, "RUN_FINISHED"))["outcome"]["status"] == "done"
    provider.assert_done()


async def test_a_model_without_tools_is_not_told_to_call_any(store: MemoryStore) -> None:
    provider = ScriptedProvider([f"{WROTE}Here is my answer. <AGENT_DONE>ok</AGENT_DONE>"])
    world = World(store, provider)
    thread = await world.thread()
    await world.ask(thread, "tell me")
    assert (await last(world, thread, "TEXT_MESSAGE_END"))["text"] == "Here is my answer."
    provider.assert_done()


async def test_a_reply_that_was_cut_off_at_its_limit_goes_on_once(store: MemoryStore) -> None:
    provider = ScriptedProvider([Say("Cut off he", stop="max_tokens"), "re it ends. <AGENT_DONE>ok</AGENT_DONE>"])
    world = World(store, provider)
    thread = await world.thread()
    await world.ask(thread, "tell me")
    assert provider.requests[1].messages[-1].text == CUT_OFF
    assert (await last(world, thread, "RUN_FINISHED"))["outcome"]["status"] == "done"
    provider.assert_done()


async def test_a_turn_whose_reply_is_cut_off_again_ends_failed_and_names_the_limit(store: MemoryStore) -> None:
    provider = ScriptedProvider([Say("Cut off he", stop="max_tokens"), Say("re and the", stop="max_tokens"), "Rest."])
    world = World(store, provider)
    thread = await world.thread()
    await world.ask(thread, "tell me")
    error = await last(world, thread, "RUN_ERROR")
    assert (error["code"], error["outcome"]["reason"]) == ("limit_reached", "limit_reply_tokens")
    assert error["message"].startswith("the answer was cut off at the reply's limit")
    assert "8192 (model.reply_tokens" in error["message"]
    shown = [entry.data["text"] for entry in await world.log(thread) if entry.kind == "TEXT_MESSAGE_END"]
    assert shown == ["Cut off he", "re and the"]
    assert len(provider.requests) == 2
