"""Speech over an answer ends it at once; listening does not; and the conversation holds what was heard of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.core.ids import CallId, MessageId, ThreadId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.speech.interruptions.going_on import GO_ON_TEXT
from sulla.speech.interruptions.interruptions import GO_ON_S, LOOK_AGAIN_S, TurnVerdict
from sulla.speech.service import Playing
from sulla.speech.turn_taking.events import Cancelled, End, Partial, TurnStarted
from sulla.store.memory import MemoryStore
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.threads.log.records import Input
from sulla.threads.log.spoken import Heard
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.speech.talking import Room, said

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"
STORY = "Once upon a time there was a king."
MORE = " He had a daughter."
NEVER = [("cancelled", "barged_in")]


async def telling(store: Any, *after: Say | str, text: str = STORY) -> tuple[Room, Gate]:
    """An agent that is about to tell a story, and stops in the middle."""
    gate = Gate()
    room = Room(store, ScriptedProvider([Say((text, gate, f"{MORE} <AGENT_DONE>told</AGENT_DONE>")), *after]))
    await room.begin()
    await room.world.send(room.thread, "tell me a story")
    return room, gate


# ------------------------------------------------------------------------------------------------ a reply in flight


async def test_the_first_partial_of_enough_words_ends_the_reply_in_flight(store: MemoryStore) -> None:
    room, gate = await telling(store, DONE)
    async with room.answering():
        await gate.reached()
        making = await room.making()
        await room.hears("u1", "not")
        assert (room.shown, room.provider.abandoned) == ([], 0)
        await room.hears("u1", "not that")
        assert room.shown == [("SPEECH_BARGE_IN", {"turn_id": "u1", "message_id": making, "played_chars": 0})]
        assert room.provider.abandoned == 1
    assert await room.ended() == NEVER
    assert [(reply.text, reply.cut) for reply in await room.replies()] == [(STORY, True)]
    await room.ends("u1", "not that one")
    await room.world.work()
    assert await room.ended() == [*NEVER, ("done", "")]
    assert said(room.provider.requests[-1]) == ["tell me a story", STORY, "not that one"]


async def test_it_takes_a_few_steps_of_the_loop_from_the_partial_to_the_cancelled_call(store: MemoryStore) -> None:
    room, gate = await telling(store)
    async with room.answering():
        await gate.reached()
        room.interruptions.heard(room.thread, TurnStarted("u1", 0), None)
        room.interruptions.heard(room.thread, Partial("u1", "not that"), None)
        steps = 0
        while not room.provider.abandoned and steps < 1_000:
            steps += 1
            await asyncio.sleep(0)
        assert steps <= 40  # none of which waits for anything but the store


@pytest.mark.parametrize("text", ["Stop", "wait", "No!", "hold", "um, stop"])
async def test_some_words_are_enough_alone(store: MemoryStore, text: str) -> None:
    room, gate = await telling(store)
    async with room.answering():
        await gate.reached()
        await room.hears("u1", text)
        assert room.types == ["SPEECH_BARGE_IN"]
    assert await room.ended() == NEVER


async def test_signs_of_listening_end_nothing_and_are_no_message(store: MemoryStore) -> None:
    room, gate = await telling(store)
    async with room.answering():
        await gate.reached()
        await room.hears("u1", "uh-huh", "uh-huh yeah", "Uh-huh. Yeah, okay.")
        verdict, _ = await room.ends("u1", "Uh-huh. Yeah, okay.")
        assert verdict == TurnVerdict(deliver=False)
        assert await room.ends("u2", "right") == (TurnVerdict(deliver=False), None)
        gate.open()
    assert room.shown == []
    assert await room.ended() == [("done", "")]
    log = await room.world.log(room.thread)
    heard = [entry.data for entry in log if entry.kind == "OVERHEARD"]
    assert heard == [{"turn_id": "u1", "text": "Uh-huh. Yeah, okay."}, {"turn_id": "u2", "text": "right"}]
    state = await room.world.threads.load(room.thread)
    assert state is not None
    assert said(state.context.transcript) == ["tell me a story", STORY + MORE]


async def test_a_single_word_that_stays_alone_interrupts_at_its_end(store: MemoryStore) -> None:
    room, gate = await telling(store, DONE)
    async with room.answering():
        await gate.reached()
        await room.hears("u1", "Shorter")
        assert room.types == []
        verdict, _ = await room.ends("u1", "Shorter.")
        assert verdict.deliver
    assert room.types == ["SPEECH_BARGE_IN"]
    await room.world.work()
    assert await room.ended() == [*NEVER, ("done", "")]


async def test_a_flushed_sign_of_listening_is_a_message(store: MemoryStore) -> None:
    room, gate = await telling(store, DONE)
    async with room.answering():
        await gate.reached()
        verdict, _ = await room.ends("u1", "okay", reason="forced")
        assert verdict.deliver
    assert await room.ended() == [*NEVER, ("done", "")]


async def test_nobody_interrupts_where_nothing_is_said_or_played(store: MemoryStore) -> None:
    room = Room(store, ScriptedProvider([DONE]))
    await room.begin()
    async with room.answering():
        await room.hears("u1", "hello there", "hello there you")
        verdict, _ = await room.ends("u1", "okay")
        assert verdict == TurnVerdict(deliver=True)
    assert room.shown == []
    assert "BARGED_IN" not in await room.world.kinds(room.thread)


@pytest.mark.parametrize("plays", [False, True])
async def test_a_reply_that_begins_while_somebody_speaks_on_is_ended_too(store: MemoryStore, *, plays: bool) -> None:
    hand, gate = Hand(), Gate()
    hand.gate = Gate()
    call = ToolCall(CallId("k"), "look", {})
    room = Room(store, ScriptedProvider([Say("Let me see.", (call,)), Say((STORY, gate))]), _tool(hand))
    await room.begin()
    await room.world.send(room.thread, "look and tell")
    async with room.answering():
        await hand.gate.reached()
        playing = Playing((await room.replies())[0].message_id, 3) if plays else None
        await room.hears("u1", "and then", playing=playing)  # a tool is at work
        assert room.types == ["SPEECH_BARGE_IN"] * plays
        hand.gate.open()
        await gate.reached()
        await room.clock.advance(1.0)
        room.interruptions.heard(room.thread, Partial("u1", "and then what"), None)
        await room.clock.settle()
        assert room.provider.abandoned == 1
        assert room.types == ["SPEECH_BARGE_IN"]
    assert await room.ended() == NEVER
    assert hand.done == 1


# -------------------------------------------------------------------------------------------------- no tool effects


class Hand:
    """A tool that a test can hold up."""

    def __init__(self) -> None:
        self.done = 0
        self.gate: Gate | None = None


def _tool(hand: Hand) -> Tool:
    async def look(context: ToolContext) -> Result:
        """Look."""
        if hand.gate is not None:
            await hand.gate.pass_through()
        hand.done += 1
        return Done(ours("seen"))

    return define(look, effect="once", reach="inward")


async def test_a_reply_that_was_cancelled_has_no_tool_effect(store: MemoryStore) -> None:
    gate, hand = Gate(), Hand()
    call = ToolCall(CallId("k"), "look", {})
    room = Room(store, ScriptedProvider([Say(("Let me see.", gate), (call,))]), _tool(hand))
    await room.begin()
    await room.world.send(room.thread, "look")
    async with room.answering():
        await gate.reached()
        await room.hears("u1", "no leave it")
        gate.open()
    assert hand.done == 0
    assert await room.ended() == NEVER
    assert "TOOL_CALL_START" not in await room.world.kinds(room.thread)


async def test_a_tool_that_is_at_work_is_left_to_finish_and_the_words_join_the_run(store: MemoryStore) -> None:
    hand = Hand()
    hand.gate = Gate()
    call = ToolCall(CallId("k"), "look", {})
    room = Room(store, ScriptedProvider([Say("Let me see.", (call,)), DONE]), _tool(hand))
    await room.begin()
    await room.world.send(room.thread, "look")
    async with room.answering():
        await hand.gate.reached()
        (reply,) = await room.replies()
        playing = Playing(reply.message_id, 3)
        await room.hears("u1", "in the kitchen", playing=playing)
        assert room.shown == [("SPEECH_BARGE_IN", {"turn_id": "u1", "message_id": reply.message_id, "played_chars": 3})]
        verdict, _ = await room.ends("u1", "in the kitchen please", playing)
        assert verdict.heard == Heard(reply.message_id, 3)
        hand.gate.open()
    assert hand.done == 1
    assert "BARGED_IN" not in await room.world.kinds(room.thread)
    asked = room.provider.requests[-1].messages
    assert said(asked) == ["look", "Let", "", "in the kitchen please"]
    assert [call.name for call in asked[1].calls] == ["look"]


# ---------------------------------------------------------------------------------------------- what had been heard


@pytest.mark.parametrize(
    ("played", "kept"),
    [(9, ["Once upon"]), (0, []), (1_000, [STORY])],
    ids=["some of it", "nothing", "more than there was"],
)
@pytest.mark.parametrize("restart", [False, True], ids=["at once", "after a restart"])
async def test_the_model_is_told_what_was_played_and_no_more(
    store: MemoryStore, played: int, kept: list[str], *, restart: bool
) -> None:
    room, gate = await telling(store)
    async with room.answering():
        await gate.reached()
        playing = Playing(await room.making(), played)
        await room.hears("u1", "not that", playing=playing)
        verdict, _ = await room.ends("u1", "not that one", playing)
    assert verdict.heard == Heard(playing.message_id, played)
    later = Room(store, ScriptedProvider([DONE, DONE]), boot=2) if restart else room
    later.provider.add(*([] if restart else [DONE, DONE]))
    later.thread = room.thread
    await later.world.work()
    await later.world.ask(room.thread, "and now?")
    expected = ["tell me a story", *kept, "not that one"]
    assert said(later.provider.requests[-2]) == expected
    assert said(later.provider.requests[-1]) == [*expected, "All right.", "and now?"]
    loaded = await Room(store, ScriptedProvider(), boot=3).world.threads.load(room.thread)
    assert loaded is not None
    assert said(loaded.context.transcript) == [*expected, "All right.", "and now?", "All right."]


async def test_a_reply_that_was_made_long_ago_and_is_still_played_is_cut_where_it_was_heard(store: MemoryStore) -> None:
    room = Room(store, ScriptedProvider([f"{STORY} <AGENT_DONE>told</AGENT_DONE>", DONE]))
    await room.begin()
    await room.world.ask(room.thread, "tell me a story")
    (reply,) = await room.replies()
    async with room.answering():
        await room.hears("u1", "wait what", playing=Playing(reply.message_id, 4))
        # The client was still playing when it was told to stop.
        verdict, _ = await room.ends("u1", "wait what king", Playing(reply.message_id, 15))
    assert room.types == ["SPEECH_BARGE_IN"]
    assert verdict.heard == Heard(reply.message_id, 15)
    assert "BARGED_IN" not in await room.world.kinds(room.thread)
    await room.world.work()
    assert said(room.provider.requests[-1]) == ["tell me a story", STORY[:15], "wait what king"]


async def test_what_was_played_to_its_end_is_interrupted_by_nobody(store: MemoryStore) -> None:
    room = Room(store, ScriptedProvider([f"{STORY} <AGENT_DONE>told</AGENT_DONE>", DONE, DONE]))
    await room.begin()
    await room.world.ask(room.thread, "tell me a story")
    (reply,) = await room.replies()
    playing = Playing(reply.message_id, len(STORY))
    async with room.answering():
        await room.hears("u1", "and then", playing=playing)
        assert await room.ends("u1", "okay", playing) == (TurnVerdict(deliver=True), room.sent)
    assert room.shown == []
    await room.world.work()
    # Nor by what is said long after it was broken off by something else.
    async with room.answering():
        await room.hears("u2", "and then", playing=Playing(reply.message_id, 3))
        assert (await room.ends("u2", "okay", Playing(reply.message_id, 3)))[0] == TurnVerdict(deliver=True)
    assert room.shown == []


async def test_a_client_that_still_plays_an_earlier_reply_has_heard_nothing_of_the_next_one(store: MemoryStore) -> None:
    room, gate = await telling(store, DONE)
    async with room.answering():
        await gate.reached()
        making = await room.making()
        playing = Playing(MessageId("msg_earlier"), 40)
        await room.hears("u1", "not that", playing=playing)
        verdict, _ = await room.ends("u1", "not that one", playing)
    assert verdict.heard == Heard(making, 0)
    await room.world.work()
    assert said(room.provider.requests[-1]) == ["tell me a story", "not that one"]


async def test_yes_in_the_middle_of_a_question_is_an_answer(store: MemoryStore) -> None:
    question = "I found a table at eight. Shall I book it?"
    room = Room(store, ScriptedProvider([f"{question} <AGENT_DONE>asked</AGENT_DONE>", DONE]))
    await room.begin()
    await room.world.ask(room.thread, "find a table")
    (reply,) = await room.replies()
    playing = Playing(reply.message_id, 36)
    async with room.answering():
        await room.hears("u1", "yes", playing=playing)
        assert room.shown == []
        verdict, _ = await room.ends("u1", "yes", playing)
    assert verdict == TurnVerdict(deliver=True, heard=Heard(reply.message_id, 36))
    assert room.types == ["SPEECH_BARGE_IN"]


async def test_asked_again_about_a_turn_it_says_the_same(store: MemoryStore) -> None:
    room, gate = await telling(store, DONE)
    end = End("u1", "not that one", "complete", 1.0, "sentence", 200)
    async with room.answering():
        await gate.reached()
        playing = Playing(await room.making(), 9)
        await room.hears("u1", "not that", playing=playing)
        first = await room.interruptions.judge(room.thread, end, playing)
        await room.clock.settle()
        await room.world.ask(room.thread, "never mind")
        assert await room.interruptions.judge(room.thread, end, None) == first


# ------------------------------------------------------------------------------------------------- it was nothing


async def cut_off(room: Room, gate: Gate, played: int = 9) -> MessageId:
    """Somebody interrupts, and what they said is dropped."""
    await gate.reached()
    playing = Playing(await room.making(), played)
    await room.hears("u1", "not that", playing=playing)
    room.interruptions.heard(room.thread, Cancelled("u1", "not that"), playing)
    await room.clock.settle()
    return playing.message_id


async def test_an_answer_goes_on_when_nothing_has_followed_for_two_seconds(store: MemoryStore) -> None:
    room, gate = await telling(store, DONE)
    async with room.answering():
        making = await cut_off(room, gate)
        await room.clock.advance(GO_ON_S - 0.001)
        assert room.types == ["SPEECH_BARGE_IN"]
        await room.clock.advance(0.001)
        assert room.shown[1:] == [("SPEECH_GO_ON", {"turn_id": "u1", "message_id": making, "from_chars": 9})]
        assert room.woken == [room.thread]
        await room.world.work()
        await room.clock.advance(10 * GO_ON_S)
    assert room.types == ["SPEECH_BARGE_IN", "SPEECH_GO_ON"]
    assert await room.ended() == [*NEVER, ("done", "")]
    # The client plays the rest of what was cut, so it stays.
    assert said(room.provider.requests[-1]) == ["tell me a story", STORY, GO_ON_TEXT]
    assert len(room.provider.requests) == 2


async def test_what_only_was_played_is_played_on_and_the_agent_is_told_nothing(store: MemoryStore) -> None:
    room = Room(store, ScriptedProvider([f"{STORY} <AGENT_DONE>told</AGENT_DONE>"]))
    await room.begin()
    await room.world.ask(room.thread, "tell me a story")
    (reply,) = await room.replies()
    async with room.answering():
        await room.hears("u1", "not that", playing=Playing(reply.message_id, 4))
        verdict, _ = await room.ends("u1", "okay", Playing(reply.message_id, 6))  # the recognizer has thought better
        assert not verdict.deliver
        await room.clock.advance(GO_ON_S)
    assert room.types == ["SPEECH_BARGE_IN", "SPEECH_GO_ON"]
    assert (await room.world.kinds(room.thread)).count("INPUT") == 1


async def test_nothing_goes_on_where_somebody_speaks_again(store: MemoryStore) -> None:
    room, gate = await telling(store, DONE)
    async with room.answering():
        making = await cut_off(room, gate)
        await room.clock.advance(GO_ON_S / 2)
        await room.hears("u2", "tell", playing=Playing(making, 9))
        await room.clock.advance(2 * GO_ON_S)
        assert room.types == ["SPEECH_BARGE_IN"]
        verdict, _ = await room.ends("u2", "tell another one", Playing(making, 9))
        assert verdict.heard == Heard(making, 9)
        await room.clock.advance(2 * GO_ON_S)
    assert "SPEECH_GO_ON" not in room.types
    await room.world.work()
    assert said(room.provider.requests[-1]) == ["tell me a story", "Once upon", "tell another one"]


async def test_it_goes_on_if_what_was_said_again_came_to_nothing_too(store: MemoryStore) -> None:
    room, gate = await telling(store, DONE)
    async with room.answering():
        making = await cut_off(room, gate)
        await room.hears("u2", "er", playing=Playing(making, 9))
        room.interruptions.heard(room.thread, Cancelled("u2", ""), None)
        await room.clock.settle()
        await room.clock.advance(GO_ON_S)
    assert room.shown[1:] == [("SPEECH_GO_ON", {"turn_id": "u1", "message_id": making, "from_chars": 9})]


@pytest.mark.parametrize("what", ["stop", "message", "late"])
async def test_an_answer_does_not_go_on_where_somebody_wants_something_else(store: MemoryStore, what: str) -> None:
    room, gate = await telling(store, DONE)
    async with room.answering():
        await cut_off(room, gate)
    if what == "stop":
        await room.world.threads.stop(room.thread)
    elif what == "message":
        await room.world.send(room.thread, "something else")
    else:
        room.clock.jump(3_600)
    await room.world.work()
    async with room.answering():
        await room.clock.advance(GO_ON_S)
        room.interruptions.came_to_nothing(room.thread)
        await room.clock.settle()
        await room.clock.advance(GO_ON_S)
    log = await room.world.log(room.thread)
    assert not [entry for entry in log if str(entry.data.get("message_id", "")).startswith("go-on:")]


@pytest.mark.parametrize(("origin", "goes_on"), [("user", True), ("agent", False), ("playbook", False)])
async def test_only_an_answer_to_a_person_goes_on(store: MemoryStore, origin: Any, *, goes_on: bool) -> None:
    gate = Gate()
    room = Room(store, ScriptedProvider([Say((STORY, gate))]))
    await room.begin()
    await room.world.threads.send(room.thread, Input(MessageId("m"), "tell me a story", origin=origin))
    async with room.answering():
        await cut_off(room, gate)
        await room.clock.advance(GO_ON_S)
    assert room.types == ["SPEECH_BARGE_IN", "SPEECH_GO_ON"]
    assert room.woken == ([room.thread] if goes_on else [])


async def test_an_answer_goes_on_after_a_crash_once(store: MemoryStore) -> None:
    room, gate = await telling(store)
    async with room.answering():
        await cut_off(room, gate)
    for boot in (2, 3):  # of whom each takes over what the one before left
        later = Room(store, ScriptedProvider([DONE]), boot=boot)
        later.thread = room.thread
        async with later.answering():
            later.interruptions.came_to_nothing(room.thread)
            await later.clock.settle()
            await later.clock.advance(GO_ON_S)
            if boot == 3:
                await later.world.work()
    assert await room.ended() == [*NEVER, ("done", "")]


# ----------------------------------------------------------------------------------------------------- adversities


class Away:
    """A store that is away now and then."""

    def __init__(self, inner: MemoryStore) -> None:
        self._inner = inner
        self.is_away = False

    def __getattr__(self, name: str) -> Any:
        if self.is_away and name not in ("publish", "subscribe"):
            raise StoreUnavailable("it is away")
        return getattr(self._inner, name)


async def test_a_store_that_is_away_is_asked_again(store: MemoryStore) -> None:
    away = Away(store)
    room, gate = await telling(away)
    async with room.answering():
        await gate.reached()
        away.is_away = True
        await room.hears("u1", "not that")
        assert room.types == []
        away.is_away = False
        await room.clock.advance(LOOK_AGAIN_S)
        room.interruptions.heard(room.thread, Partial("u1", "not that one"), None)
        await room.clock.settle()
        assert room.provider.abandoned == 1
    assert room.types == ["SPEECH_BARGE_IN"]
    assert await room.ended() == NEVER


async def test_a_judge_without_a_store_says_so(store: MemoryStore) -> None:
    away = Away(store)
    room, _ = await telling(away)
    away.is_away = True
    with pytest.raises(StoreUnavailable):
        await room.interruptions.judge(room.thread, End("u1", "okay", "final", 1.0, "", 0), None)
    away.is_away = False
    assert (await room.interruptions.judge(room.thread, End("u1", "okay", "final", 1.0, "", 0), None)).deliver


async def test_an_answer_goes_on_when_the_store_is_back(store: MemoryStore) -> None:
    away = Away(store)
    room, gate = await telling(away, DONE)
    async with room.answering():
        await cut_off(room, gate)
        away.is_away = True
        await room.clock.advance(3 * GO_ON_S)
        assert room.woken == []
        away.is_away = False
        await room.clock.advance(GO_ON_S)
    assert room.types == ["SPEECH_BARGE_IN", "SPEECH_GO_ON"]
    assert room.woken == [room.thread]


async def test_a_thread_that_is_gone_disturbs_nobody(store: MemoryStore) -> None:
    room, gate = await telling(store)
    there, room.thread = room.thread, ThreadId("thr_nowhere")
    async with room.answering():
        await room.hears("u0", "hello there")
        room.interruptions.heard(room.thread, Cancelled("u0", ""), None)
        await room.clock.settle()
        await room.clock.advance(GO_ON_S)
        assert (await room.interruptions.judge(room.thread, End("u0", "hello", "final", 1.0, "", 0), None)).deliver
        room.thread = there
    async with room.answering():
        await gate.reached()
        await room.hears("u1", "not that")
    assert await room.ended() == NEVER
