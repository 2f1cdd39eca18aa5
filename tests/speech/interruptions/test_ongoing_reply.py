"""What the assistant is doing is read off its thread."""

from __future__ import annotations

from typing import Literal

from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.speech.interruptions.ongoing_reply import OngoingReply, ongoing_reply_of
from sulla.speech.service import Playing
from sulla.threads.log.codec import Entry, Origin
from sulla.threads.log.family import Birth
from sulla.threads.log.inputs import WaitingInput
from sulla.threads.log.open_run import OpenRun, RunCourse, RunMessage
from sulla.threads.log.records import (
    Input,
    InputsJoined,
    ModelStarted,
    Outcome,
    RunFinished,
    RunStarted,
    TextMessageEnd,
    ThreadFact,
)
from sulla.threads.log.spoken import BargedIn, Heard
from sulla.threads.log.state import ModelContext, ThreadIdentity, ThreadState
from sulla.threads.log.transcript import Transcript

A1, A2 = MessageId("a1"), MessageId("a2")
TEXT = "Once upon a time."


def newest(*facts: ThreadFact) -> list[Entry]:
    """Records, the newest first."""
    return [
        Entry(seq, fact.kind, isinstance(fact, Input), Origin(seq), fact.data()) for seq, fact in enumerate(facts, 1)
    ][::-1]


def state_of(making: str = "", *, purpose: Literal["reply", "nudge", "answer"] = "reply") -> ThreadState:
    state = ThreadState(ThreadId("t"), ModelContext(Transcript(lambda message: 1)))
    if making:
        state.run = OpenRun(RunId("r"), RunMessage(2), RunCourse(0))
        state.run.model.open_call = ModelStarted(CallId("c"), MessageId(making), purpose=purpose)
    return state


def said(message_id: MessageId = A1, text: str = TEXT) -> TextMessageEnd:
    return TextMessageEnd(CallId("c"), message_id, text)


def test_a_quiet_thread() -> None:
    reply = ongoing_reply_of(state_of(), (), None)
    assert reply == OngoingReply()
    assert (reply.speaking, reply.asking, reply.interrupted, reply.heard(None)) == (False, False, None, None)


def test_a_reply_in_flight_that_nobody_plays() -> None:
    reply = ongoing_reply_of(state_of("a1"), (), None)
    assert (reply.speaking, reply.interrupted, reply.heard(None)) == (True, A1, None)


def test_a_reply_in_flight_that_is_played() -> None:
    playing = Playing(A1, 4)
    reply = ongoing_reply_of(state_of("a1"), (), playing)
    assert (reply.speaking, reply.interrupted, reply.heard(playing)) == (True, A1, Heard(A1, 4))


def test_a_reply_that_is_whole_and_played() -> None:
    for chars, speaking in ((4, True), (len(TEXT) - 1, True), (len(TEXT), False), (len(TEXT) + 1, False)):
        playing = Playing(A1, chars)
        reply = ongoing_reply_of(state_of(), newest(said(), RunFinished(RunId("r"), Outcome("done"))), playing)
        assert reply.speaking is speaking
        assert reply.heard(playing) == (Heard(A1, chars) if speaking else None)


def test_what_was_played_before_somebody_said_something_is_not_played_any_more() -> None:
    playing = Playing(A1, 4)
    for later in (RunStarted(5, MessageId("i2")), InputsJoined((5,), (RunId("r2"),))):
        reply = ongoing_reply_of(state_of(), newest(said(), later), playing)
        assert (reply.speaking, reply.heard(playing)) == (False, None)
    # Nothing was said where an answer just goes on.
    reply = ongoing_reply_of(state_of("a2"), newest(said(), RunStarted(5, MessageId("go-on:a1"))), playing)
    assert (reply.speaking, reply.heard(playing)) == (True, Heard(A1, 4))


def test_a_client_that_plays_something_older_has_heard_nothing_of_the_reply_in_flight() -> None:
    playing = Playing(MessageId("a0"), 40)
    reply = ongoing_reply_of(state_of("a1"), newest(RunStarted(5, MessageId("i2"))), playing)
    assert reply.heard(playing) == Heard(A1, 0)


def test_who_has_heard_all_that_came_before_the_reply_in_flight_says_how_far_that_was() -> None:
    playing = Playing(A1, len(TEXT))
    reply = ongoing_reply_of(state_of("a2"), newest(RunStarted(1, MessageId("i1")), said()), playing)
    assert reply.heard(playing) == Heard(A1, len(TEXT))  # what comes behind it in the same run was not heard


def test_a_reply_that_was_spoken_over_is_what_the_words_interrupt() -> None:
    state = state_of()
    state.inbox.barged, state.newest.outcome = BargedIn("u1", A1), Outcome("cancelled", reason="barged_in")
    playing = Playing(A1, 4)
    reply = ongoing_reply_of(state, newest(said(text="Once upon")), playing)
    assert (reply.cut, reply.heard(playing), reply.heard(None)) == (A1, Heard(A1, 4), None)
    state.inbox.waiting[9] = WaitingInput(9, RunId("r9"), MessageId("i9"), "typed", "queue")
    assert ongoing_reply_of(state, (), None).cut is None
    state.inbox.waiting.clear()
    state.newest.outcome = Outcome("done")
    assert ongoing_reply_of(state, (), None).cut is None


def test_what_nobody_is_shown_is_nothing_to_interrupt() -> None:
    assert not ongoing_reply_of(state_of("a1", purpose="nudge"), (), None).speaking
    assert not ongoing_reply_of(state_of("a1", purpose="answer"), (), None).speaking


def test_a_run_that_somebody_else_waits_for_is_not_ended() -> None:
    state = state_of("a1")
    state.identity = ThreadIdentity(birth=Birth("c1", "spawn", ThreadId("p"), RunId("r0"), ThreadId("p"), 1))
    assert ongoing_reply_of(state, (), None).making is None
    state = state_of("a1")
    state.identity = ThreadIdentity(graph="heartbeat")
    assert ongoing_reply_of(state, (), None).making is None


def test_a_question_is_one_where_it_was_heard() -> None:
    asked = "It is late. Shall I go?"
    for text, chars, asking in ((asked, 5, True), ("Shall I go? " + "x" * 80, 12, True), (TEXT, 5, False)):
        assert ongoing_reply_of(state_of(), newest(said(text=text)), Playing(A1, chars)).asking is asking
    assert not ongoing_reply_of(state_of("a1"), (), Playing(A1, 5)).asking
