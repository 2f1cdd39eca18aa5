"""What a turn is told beside its message is asked for once, within a bound, and never at the price of the turn."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import pytest

from sulla.agent.prompt import ActiveAgent
from sulla.agent.turn.ambient_context import TELL_S, AmbientContext, TurnContext
from sulla.core.errors import StoreUnavailable
from sulla.core.ids import MessageId, RunId, ThreadId
from sulla.core.message import Message, Text
from sulla.core.words import NO_WORDS, Words, ours
from sulla.testing.clock import ManualClock
from sulla.threads.log.family import Birth
from sulla.threads.log.inputs import WaitingInput
from sulla.threads.log.state import ModelContext, ThreadIdentity, ThreadState
from sulla.threads.log.transcript import Transcript

ITEM = WaitingInput(2, RunId("run_1"), MessageId("m1"), "what is this?", "queue")
OTHER = ActiveAgent(ours("reader"), NO_WORDS, 1)


def thread(*said: str) -> ThreadState:
    script = Transcript(lambda message: 1)
    for text in said:
        script.push(Message(MessageId(text), "user", (Text(text),)))
    return ThreadState(ThreadId("thr_1"), ModelContext(script), ThreadIdentity(agent="sulla"))


async def memory(agent: str, message: str) -> Words:
    return ours(f"{agent} remembers {message}")


async def active(besides: Collection[ThreadId]) -> tuple[ActiveAgent, ...]:
    assert list(besides) == ["thr_1"]
    return (OTHER,)


async def environment(thread_id: ThreadId) -> Words:
    return Words(f"seen in {thread_id}")


async def test_all_of_it_is_told_and_the_memory_beside_the_first_message_alone() -> None:
    told = TurnContext(ManualClock(), memory, active, environment)
    first = await told.ambient(thread(), ITEM, "sulla")
    assert first == AmbientContext((OTHER,), Words("seen in thr_1"), ours("sulla remembers what is this?"))
    assert await told.ambient(thread("earlier"), ITEM, "sulla") == AmbientContext((OTHER,), Words("seen in thr_1"))


async def test_a_later_message_brings_what_fits_it_and_is_not_in_the_conversation_yet() -> None:
    heard = []

    async def recalled(agent: str, stands: Mapping[str, int], message: str, told: Iterable[str]) -> Words:
        heard.append((agent, list(stands), message, list(told)))
        assert list(told) == heard[-1][3], "whoever is asked next finds all of it, too"
        return ours("more")

    told = TurnContext(ManualClock(), memory, recalled=recalled)
    assert (await told.ambient(thread(), ITEM, "sulla")).memory == ours("sulla remembers what is this?")
    assert heard == []
    state = thread("earlier")
    parts = (Text("said"), Text("told before", "memory", "sulla"), Text("another's", "memory", "bob"))
    state.context.transcript.push(Message(MessageId("m0"), "user", parts))
    assert (await told.ambient(state, ITEM, "sulla")).memory == ours("more")
    assert heard == [("sulla", ["thr_1"], "what is this?", ["told before"])]
    whose = (ThreadId("thr_0"), RunId("run_0"), ThreadId("thr_0"))
    state.identity = replace(state.identity, birth=Birth("sub_1", "step", *whose, 1, memory=False))
    assert (await told.ambient(state, ITEM, "sulla")).memory == NO_WORDS


@pytest.mark.parametrize("knows", [True, False])
async def test_a_run_that_is_to_know_its_task_alone_is_told_no_memory(knows: bool) -> None:
    state = thread()
    whose = (ThreadId("thr_0"), RunId("run_0"), ThreadId("thr_0"))
    state.identity = replace(state.identity, birth=Birth("sub_1", "step", *whose, 1, memory=knows))
    told = await TurnContext(ManualClock(), memory, active, environment).ambient(state, ITEM, "sulla")
    assert bool(told.memory) is knows


async def test_a_question_of_a_playbook_is_told_no_memory() -> None:
    item = replace(ITEM, origin="playbook")
    assert (await TurnContext(ManualClock(), memory).ambient(thread(), item, "sulla")).memory == NO_WORDS


async def test_whoever_has_nothing_to_tell_tells_nothing() -> None:
    assert await TurnContext(ManualClock()).ambient(thread(), ITEM, "sulla") == AmbientContext()


async def test_what_the_store_does_not_give_is_left_out_and_said(caplog: pytest.LogCaptureFixture) -> None:
    async def away(thread_id: ThreadId) -> Words:
        raise StoreUnavailable("the store is away")

    found = await TurnContext(ManualClock(), memory, active, away).ambient(thread(), ITEM, "sulla")
    assert found == AmbientContext((OTHER,), NO_WORDS, ours("sulla remembers what is this?"))
    assert "a turn begins without what its person looks at: the store is away" in caplog.text


async def test_a_turn_does_not_wait_for_it_for_ever(caplog: pytest.LogCaptureFixture) -> None:
    async def hangs(besides: Collection[ThreadId]) -> tuple[ActiveAgent, ...]:
        await asyncio.Event().wait()
        return ()

    clock = ManualClock()
    asking = asyncio.ensure_future(TurnContext(clock, memory, hangs, environment).ambient(thread(), ITEM, "sulla"))
    await clock.advance(TELL_S / 2)
    assert not asking.done()
    await clock.advance(TELL_S)
    assert asking.done()
    assert (await asking).environment == Words("seen in thr_1")
    assert "a turn begins without who else is at work: no answer within 1 s" in caplog.text
