"""Real turns, as those hear of them who measure: when each thing began and ended, and what it came to."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from sulla.core.errors import ProviderTransient
from sulla.core.event import TextShown
from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.models.base import TokenUsage
from sulla.telemetry.stream import SpanFeed
from sulla.telemetry.timeline import CallDone, FirstWord, Piece, RunBegan, RunOver, RunSetAside, ToolDone
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.threads.log.codec import Origin
from sulla.threads.log.records import Answer, ThreadCreated
from sulla.threads.watching import CommittedFact
from sulla.tools.base import Done, Result, ToolContext, Waiting
from sulla.tools.define import define
from tests.telemetry.conftest import Hear

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"


async def look(context: ToolContext, *, what: str) -> Result:
    """Look for a while.

    Args:
        what: at what.
    """
    await context.clock.sleep(2.0)
    return Done(ours("seen"), is_error=what == "nothing")


async def ask_person(context: ToolContext, *, what: str) -> Result:
    """Ask a person.

    Args:
        what: what.
    """
    return Waiting(f"answer:{context.call_id}", what)


LOOK, ASK = define(look, effect="pure"), define(ask_person, effect="pure")


def _call(tool: str, what: str) -> Say:
    return Say("Let me see.", (ToolCall(CallId(f"call {what}"), tool, {"what": what}),))


async def test_a_turn_is_told_from_its_message_to_its_end(hear: Hear) -> None:
    gate = Gate()
    heard = hear(ScriptedProvider([Say(("All ", gate, "right. <AGENT_DONE/>"), usage=TokenUsage(10, 4, 300, 7))]))
    world, clock = heard.world, heard.clock
    thread = await world.thread()
    sent = await world.send(thread, "hello")
    await clock.advance(1.5)
    turn = asyncio.ensure_future(world.turns.attend(thread))
    await gate.reached()
    await clock.advance(0.5)
    gate.open()
    await turn
    began, spoke, call, ended = heard.pieces
    assert isinstance(began, RunBegan)
    assert (began.whose.run_id, began.model, began.again, began.waited_s) == (sent.run_id, "scripted", "", 1.5)
    assert spoke == FirstWord(began.whose, 1.5)
    assert isinstance(call, CallDone)
    assert (call.outcome, call.purpose, call.attempt, call.reason) == ("ok", "reply", 1, "end")
    assert call.began_ms is not None
    assert (call.ended_ms - call.began_ms, call.first_ms) == (500, call.began_ms)
    assert isinstance(ended, RunOver)
    assert (ended.outcome, ended.reason, ended.took_s, ended.usage.total) == ("done", "", 0.5, 321)
    assert heard.counts("sulla_turns") == {("sulla", "done"): 1}
    assert heard.counts("sulla_model_calls") == {("reply", "ok"): 1}
    assert heard.counts("sulla_tokens") == {
        ("input",): 10, ("output",): 4, ("cache_read",): 300, ("cache_write",): 7,
    }  # fmt: skip
    assert heard.seen("sulla_turn_duration_seconds") == {("sulla",): (1, 0.5)}
    assert heard.seen("sulla_turn_queue_seconds") == {(): (1, 1.5)}
    assert heard.seen("sulla_turn_first_text_seconds") == {(): (1, 1.5)}
    assert heard.seen("sulla_model_call_duration_seconds") == {("ok",): (1, 0.5)}


@pytest.mark.parametrize(("what", "outcome"), [("the sky", "ok"), ("nothing", "error")])
async def test_a_tool_call_is_told_with_its_time(hear: Hear, what: str, outcome: str) -> None:
    heard = hear(ScriptedProvider([_call("look", what), DONE]), LOOK)
    thread = await heard.world.thread()
    await heard.world.send(thread, "look")
    turn = asyncio.ensure_future(heard.world.turns.attend(thread))
    await heard.clock.advance(2.0)
    await turn
    (tool,) = (piece for piece in heard.pieces if isinstance(piece, ToolDone))
    assert (tool.name, tool.ended_ms - tool.began_ms, tool.outcome) == ("look", 2000, outcome)
    assert heard.counts("sulla_tool_calls") == {("look", outcome): 1}
    assert heard.seen("sulla_tool_call_duration_seconds") == {("look",): (1, 2.0)}


async def test_a_tool_that_there_is_not_has_no_name_among_the_figures(hear: Hear) -> None:
    heard = hear(ScriptedProvider([_call("invented by a model", "x"), DONE]), LOOK)
    await heard.world.ask(await heard.world.thread(), "go")
    assert heard.counts("sulla_tool_calls") == {("other", "error"): 1}


async def test_attempts_that_come_to_nothing_are_told_apart(hear: Hear) -> None:
    heard = hear(ScriptedProvider([ProviderTransient("overloaded")] * 4))
    thread = await heard.world.thread()
    await heard.world.send(thread, "hello")
    turn = asyncio.ensure_future(heard.world.turns.attend(thread))
    while not turn.done():
        await heard.clock.advance(1.0)
    calls = [piece for piece in heard.pieces if isinstance(piece, CallDone)]
    assert [(call.attempt, call.outcome) for call in calls] == [
        (1, "abandoned"), (2, "abandoned"), (3, "abandoned"), (4, "failed"),
    ]  # fmt: skip
    assert heard.counts("sulla_turns") == {("sulla", "failed"): 1}
    assert heard.counts("sulla_turn_failures") == {("provider_transient",): 1}


async def test_a_turn_that_is_stopped_is_cancelled_and_its_call_cut(hear: Hear) -> None:
    gate = Gate()
    heard = hear(ScriptedProvider([Say(("All ", gate, "right."))]))
    thread = await heard.world.thread()
    await heard.world.send(thread, "hello")
    turn = asyncio.ensure_future(heard.world.turns.attend(thread))
    await gate.reached()
    await heard.world.threads.stop(thread)
    await turn
    assert heard.counts("sulla_turns") == {("sulla", "cancelled"): 1}
    assert heard.counts("sulla_model_calls") == {("reply", "cut"): 1}


async def test_a_turn_that_waits_for_a_person_is_put_down_and_goes_on(hear: Hear) -> None:
    heard = hear(ScriptedProvider([_call("ask_person", "may I?"), DONE]), ASK)
    thread = await heard.world.thread()
    await heard.world.ask(thread, "go")
    *_, paused = heard.pieces
    assert isinstance(paused, RunSetAside)
    assert paused.why == "suspended"
    await heard.clock.advance(3600.0)
    suspended: Any = (await heard.world.log(thread))[-1].data
    await heard.world.threads.answer(thread, Answer(suspended["waits"][0]["wait_id"], "yes"))
    await heard.world.turns.attend(thread)
    again = [piece.again for piece in heard.pieces if isinstance(piece, RunBegan)]
    assert again == ["", "answered"]
    assert heard.counts("sulla_turns") == {("sulla", "done"): 1}
    assert heard.seen("sulla_turn_duration_seconds") == {("sulla",): (1, 3600.0)}
    assert heard.counts("sulla_tool_calls") == {("ask_person", "waiting"): 1}
    assert heard.seen("sulla_tool_call_duration_seconds") == {("ask_person",): (1, 0.0)}, "people's time is not its own"


async def test_a_message_that_joins_a_turn_is_no_turn_of_its_own_in_the_times(hear: Hear) -> None:
    heard = hear(ScriptedProvider([_call("look", "the sky"), DONE]), LOOK)
    thread = await heard.world.thread()
    await heard.world.send(thread, "look")
    turn = asyncio.ensure_future(heard.world.turns.attend(thread))
    await heard.clock.advance(0.5)
    await heard.world.send(thread, "and hurry", "steer")
    await heard.clock.advance(1.5)
    await turn
    assert heard.counts("sulla_turns") == {("sulla", "joined"): 1, ("sulla", "done"): 1}
    assert heard.seen("sulla_turn_duration_seconds")["sulla",][0] == 1


async def test_a_turn_that_another_process_takes_over_is_told_by_both_and_ended_by_one(hear: Hear) -> None:
    clock_gate = Gate()
    first = hear(ScriptedProvider([Say((clock_gate, "never"))]))
    thread = await first.world.thread()
    sent = await first.world.send(thread, "hello")
    dying = asyncio.ensure_future(first.world.turns.attend(thread))
    await clock_gate.reached()
    dying.cancel()  # its log says so: the daemon is told to stop
    await asyncio.gather(dying, return_exceptions=True)
    first.stream.close()
    assert [type(piece) for piece in first.pieces] == [RunBegan, RunSetAside]
    second = hear(ScriptedProvider([DONE]), boot=2)
    await second.world.turns.attend(thread)
    abandoned, began, *_, ended = second.pieces
    assert isinstance(abandoned, CallDone)
    assert (abandoned.outcome, abandoned.reason, abandoned.began_ms) == ("abandoned", "drained", None)
    assert isinstance(began, RunBegan)
    assert (began.whose.run_id, began.again, began.waited_s) == (sent.run_id, "drained", None)
    assert isinstance(ended, RunOver)
    assert ended.took_s is None
    assert second.seen("sulla_turn_duration_seconds") == {}
    assert second.counts("sulla_turns") == {("sulla", "done"): 1}
    assert first.counts("sulla_turns") == {}


async def test_a_reader_with_a_defect_stops_no_turn_and_is_told(hear: Hear, caplog: pytest.LogCaptureFixture) -> None:
    heard = hear(ScriptedProvider([DONE]))

    def broken(piece: Piece) -> None:
        raise ValueError("a defect")

    heard.world.threads._watcher = SpanFeed(heard.clock, [broken])
    thread = await heard.world.thread()
    with caplog.at_level(logging.ERROR):
        await heard.world.ask(thread, "hello")
    assert "RUN_FINISHED" in await heard.world.kinds(thread)
    assert "what happened to a thread is not measured" in caplog.messages


def test_moments_of_a_run_that_nobody_knows_are_nothing(hear: Hear) -> None:
    heard = hear(ScriptedProvider())
    heard.stream.shown(RunId("run_of_another"), TextShown(MessageId("msg"), 0, "hello"))
    heard.stream.kept(ThreadId("thr"), [CommittedFact(ThreadCreated("sulla"), Origin(0))])
    assert heard.pieces == []
