"""A reply that somebody speaks over ends like one that is interrupted, whoever makes it, and nothing is left of it but
what was shown.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sulla.core.ids import CallId, MessageId, ThreadId
from sulla.core.message import ToolCall
from sulla.models.base import TokenUsage
from sulla.store.memory import MemoryStore
from sulla.testing.mortal import Mortal, is_kill
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.records import Input, ModelStarted, TextMessageEnd
from sulla.threads.log.spoken import BargedIn, Heard, Spoken
from sulla.threads.log.state import ThreadState
from tests.agent.test_crashes import folded, shown

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"


async def making(world: World, thread: ThreadId) -> MessageId:
    """The id of the reply that was begun last."""
    return [entry.fact for entry in await world.log(thread) if isinstance(entry.fact, ModelStarted)][-1].message_id


async def speak_over(world: World, thread: ThreadId, gate: Gate) -> MessageId:
    """Somebody speaks while the reply stands at the gate."""
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await gate.reached()
        message_id = await making(world, thread)
        assert await world.threads.tell(thread, BargedIn("u1", message_id), "u1")
    return message_id


async def ends(world: World, thread: ThreadId) -> list[Any]:
    found: list[Any] = [entry.data for entry in await world.log(thread) if entry.kind == "RUN_FINISHED"]
    return [(end["outcome"]["status"], end["outcome"].get("reason", "")) for end in found]


@pytest.mark.parametrize("pieces", [("Once upon a ",), ()], ids=["shown", "not shown"])
async def test_the_turn_ends_and_keeps_what_was_shown(store: MemoryStore, pieces: tuple[str, ...]) -> None:
    gate = Gate()
    call = ToolCall(CallId("k"), "look", {})
    provider = ScriptedProvider([Say((*pieces, gate, "time"), (call,))])
    world = World(store, provider)
    thread = await world.thread()
    await world.send(thread, "tell me a story")
    message_id = await speak_over(world, thread, gate)
    assert await ends(world, thread) == [("cancelled", "barged_in")]
    assert provider.abandoned == 1
    replies = [entry.fact for entry in await world.log(thread) if isinstance(entry.fact, TextMessageEnd)]
    if pieces:
        (reply,) = replies
        assert (reply.message_id, reply.text, reply.cut, reply.parts) == (message_id, "Once upon a", True, ())
    else:
        assert replies == []
        assert "MODEL_ABANDONED" in await world.kinds(thread)
    info = await store.head(thread)
    assert info is not None
    assert (info.head.status, info.held, info.ready) == ("idle", False, False)


async def test_it_is_charged_like_a_reply_that_was_interrupted(store: MemoryStore) -> None:
    spent = []
    for boot, how in enumerate(("interrupt", "speech"), 1):
        gate = Gate()
        world = World(store, ScriptedProvider([Say(("Once ", gate)), DONE]), boot=boot)
        thread = await world.thread()
        await world.threads.send(thread, Input(MessageId("m1"), "tell me a story"))
        if how == "speech":
            await speak_over(world, thread, gate)
            await world.threads.send(thread, Input(MessageId("m2"), "not that"))
            await world.turns.attend(thread)
        else:
            async with asyncio.TaskGroup() as group:
                group.create_task(world.turns.attend(thread))
                await gate.reached()
                await world.threads.send(thread, Input(MessageId("m2"), "not that", "interrupt"))
        state = await world.threads.load(thread)
        assert state is not None
        day = world.model.ledger.used(world.clock.now())
        spent.append((state.spending.tokens, state.spending.day_tokens, state.spending.usage, day))
    assert spent[0] == spent[1]
    assert (
        spent[0][0] > TokenUsage(input_tokens=100, output_tokens=20).total
    )  # what was set aside for the first one, too


async def test_a_reply_whose_maker_is_gone_is_not_made_again_for_nobody(store: MemoryStore) -> None:
    first = World(store, ScriptedProvider())
    thread = await first.thread()
    await first.send(thread, "tell me a story")
    mortal: Any = Mortal(store, 3, after=False)  # at the write of the whole reply
    with pytest.raises(BaseExceptionGroup) as killed:
        await World(mortal, ScriptedProvider(["Once upon a time."]), boot=2).turns.attend(thread)
    assert is_kill(killed.value)
    await first.threads.tell(thread, BargedIn("u1", await making(first, thread)), "u1")
    last = World(store, ScriptedProvider(), boot=3)  # of which no reply is asked
    await last.turns.attend(thread)
    assert await ends(last, thread) == [("cancelled", "barged_in")]


async def test_speech_over_a_reply_that_is_over_disturbs_nobody(store: MemoryStore) -> None:
    world = World(store, ScriptedProvider([DONE, DONE]))
    thread = await world.thread()
    await world.ask(thread, "hi")
    assert await world.threads.tell(thread, BargedIn("u1", await making(world, thread)), "u1")
    info = await store.head(thread)
    assert info is not None
    assert not info.ready
    await world.ask(thread, "and now?")
    assert await ends(world, thread) == [("done", ""), ("done", "")]


async def test_what_is_loaded_is_what_the_log_folds_to_also_where_words_were_cut(store: MemoryStore) -> None:
    gate = Gate()
    world = World(store, ScriptedProvider([Say(("Once upon a time. ", gate)), DONE]))
    thread = await world.thread()
    await world.send(thread, "tell me a story")
    message_id = await speak_over(world, thread, gate)
    spoken = Spoken("u1", "final", heard=Heard(message_id, 4))
    await world.threads.send(thread, Input(MessageId("m2"), "not that", "steer", spoken=spoken))
    assert [message.text for message in (await both(world, thread)).context.transcript][1:] == ["Once upon a time."]
    await world.turns.attend(thread)
    assert [message.text for message in (await both(world, thread)).context.transcript][1] == "Once"


async def test_a_typed_message_that_waited_first_is_answered_knowing_what_was_heard(store: MemoryStore) -> None:
    gate = Gate()
    provider = ScriptedProvider([Say(("Once upon a time. ", gate)), DONE, DONE, DONE])
    world = World(store, provider)
    thread = await world.thread()
    await world.send(thread, "tell me a story")
    message_id = await speak_over(world, thread, gate)
    spoken = Spoken("u1", "final", heard=Heard(message_id, 4))
    await world.send(thread, "typed")
    await world.threads.send(thread, Input(MessageId("m2"), "not that", "queue", spoken=spoken))
    await world.turns.attend(thread)
    asked = [[message.text.partition("<")[0] for message in request.messages] for request in provider.requests]
    assert asked[1][:3] == ["tell me a story", "Once", "typed"]
    texts = [message.text for message in (await both(world, thread)).context.transcript]
    assert [text.partition("<")[0] for text in texts] == [
        *("tell me a story", "Once", "typed", "All right.", "not that", "All right."),
    ]


async def both(world: World, thread: ThreadId) -> ThreadState:
    """The state as it is loaded, which is the state as it is folded."""
    loaded = await World(world.store, ScriptedProvider(), boot=9).threads.load(thread)
    assert loaded is not None
    fold = folded(await world.store.read(thread), thread)
    loaded.newest.outcome = fold.newest.outcome  # of which a head keeps less, once the run has ended
    assert shown(loaded) == shown(fold)
    return loaded
