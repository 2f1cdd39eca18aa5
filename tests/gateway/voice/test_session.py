"""The machine of one `/voice` connection: frames in, effects out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sulla.access.principal import ALL_SCOPES, Principal
from sulla.core.errors import Busy, NotFound, Unauthorized
from sulla.core.jsontypes import JsonObject
from sulla.gateway import wire
from sulla.gateway.voice.session import PATIENCE_S, VoiceRequest, VoiceSession
from sulla.gateway.websocket.machine import Authenticate, CallMethod, Close, Effect, SendFrame, Then
from sulla.rpc.limits import Limits
from sulla.speech.rpc import SpeechCancel, SpeechChunk, SpeechFlush, SpeechPlaying, SpeechSegment
from tests.gateway.recognizers import partial

OWNER = Principal("owner", ALL_SCOPES, "00")
READY = {"type": "ready", "thread_id": "thr_1", "session": "ses_1"}


def shown(effects: Any) -> list[JsonObject]:
    """The frames among some effects."""
    return [json.loads(effect.frame) for effect in effects if isinstance(effect, SendFrame)]


def entered(wish: VoiceRequest | None = None) -> VoiceSession:
    """A session that is ready."""
    session = VoiceSession("ses_1", Limits(), wish or VoiceRequest("thr_1"), OWNER)
    (call,) = session.begin()
    assert isinstance(call, CallMethod)
    (follow,) = session.answered(call.id, {"thread_id": "thr_1", "last_seq": 7})
    assert isinstance(follow, CallMethod)
    assert shown(session.answered(follow.id, {"seq": 7})) == [READY]
    return session


def say(session: VoiceSession, frame: object) -> list[Effect]:
    return [*session.hear(frame if isinstance(frame, str) else json.dumps(frame))]


def test_a_thread_is_followed_from_its_end_with_what_is_to_be_spoken() -> None:
    session = VoiceSession("ses_1", Limits(), VoiceRequest("thr_1"), OWNER)
    assert session.begin() == (CallMethod(1, wire.ThreadGet(thread_id="thr_1"), OWNER),)
    follow = wire.EventsSubscribe(thread_id="thr_1", after=7, speak=True)
    assert session.answered(1, {"thread_id": "thr_1", "last_seq": 7}) == (CallMethod(2, follow, OWNER),)


def test_a_new_thread_is_followed_from_its_beginning() -> None:
    session = VoiceSession("ses_1", Limits(), VoiceRequest(agent="cook"))
    assert (session.begin(), session.open) == ((), False)
    assert say(session, {"type": "hello", "token": "t"}) == [Authenticate(0, "t")]
    assert session.admit(0, OWNER) == (CallMethod(1, wire.ThreadCreate(agent="cook"), OWNER),)
    follow = wire.EventsSubscribe(thread_id="thr_2", after=0, speak=True)
    assert session.answered(1, {"thread_id": "thr_2"}) == (CallMethod(2, follow, OWNER),)


def test_what_is_said_is_offered_with_patience_and_with_what_is_played() -> None:
    session = entered()
    assert say(session, {"type": "played", "message_id": "msg_1", "played_chars": 3}) == []
    (call,) = say(session, partial("so"))
    playing = SpeechPlaying(message_id="msg_1", played_chars=3)
    chunk = SpeechChunk(
        thread_id="thr_1",
        utterance_id="ses_1.1",
        seq=0,
        kind="cumulative",
        text="so",
        segment=SpeechSegment(speaker="vosk"),
        playing=playing,
    )
    assert call == CallMethod(3, chunk, OWNER, PATIENCE_S)
    assert session.answered(3, {"turn_id": "ses_1.1", "state": "speaking"}) == ()


def test_orders_become_requests() -> None:
    session = entered()
    assert say(session, {"type": "Finalize"}) == [CallMethod(3, SpeechFlush(thread_id="thr_1"), OWNER, PATIENCE_S)]
    assert say(session, {"type": "cancel"}) == [CallMethod(4, SpeechCancel(thread_id="thr_1"), OWNER, PATIENCE_S)]


def test_a_second_hello_changes_nothing() -> None:
    assert say(entered(), {"type": "hello", "token": "other"}) == []


def test_types_that_are_not_known_are_told_once_each_and_not_without_end() -> None:
    session = entered()
    found = [frame for number in range(40) for frame in shown(say(session, {"type": f"New{number % 20}"}))]
    assert found == [{"type": "passed_over", "frame": f"New{number}"} for number in range(16)]


@pytest.mark.parametrize(
    ("error", "code"), [(Unauthorized("no"), 4401), (Busy("too many are here", retry_after_s=5.0), 1013)]
)
def test_who_may_not_come_in_is_told_why(error: Any, code: int) -> None:
    session = VoiceSession("ses_1", Limits(), VoiceRequest())
    say(session, {"type": "hello", "token": "t"})
    effects = session.refuse(0, error)
    assert [frame["code"] for frame in shown(effects)] == [error.code]
    assert effects[-1] == Close(code, error.message)


def test_without_a_thread_there_is_nothing_to_stay_for() -> None:
    session = VoiceSession("ses_1", Limits(), VoiceRequest("thr_1"), OWNER)
    session.begin()
    error = NotFound("no thread 'thr_1'")
    for effects in (session.failed(1, error), session.ended("thr_1", error)):
        assert ([frame["code"] for frame in shown(effects)], effects[-1]) == (
            ["not_found"],
            Close(1008, "no thread 'thr_1'"),
        )


def test_a_refused_request_costs_only_an_answer() -> None:
    session = entered()
    (call,) = say(session, partial("so"))
    assert isinstance(call, CallMethod)
    effects = session.failed(call.id, Busy("too many speak", retry_after_s=1.5))
    expected = {"type": "error", "code": "busy", "message": "too many speak", "retryable": True, "retry_after_s": 1.5}
    assert (shown(effects), len(effects)) == ([expected], 1)


def test_a_frame_that_is_too_large_closes() -> None:
    limits = Limits(hello_bytes=64, frame_bytes=128)
    session = VoiceSession("ses_1", limits, VoiceRequest())
    (close,) = say(session, partial("x" * 60))
    assert isinstance(close, Close)
    assert (close.code, close.reason) == (1009, "frame of 75 bytes, at most 64 before hello")


def test_a_hole_in_the_log_is_shown() -> None:
    assert json.loads(entered().gap("thr_1", 3, 9)) == {"type": "gap", "after": 3, "next": 9}


# --------------------------------------------------------------------------------------------------------- how it ends


def left(session: VoiceSession) -> tuple[CallMethod, Then]:
    """The flush and the question of somebody who says nothing more."""
    flush, *_, then = say(session, {"type": "CloseStream"})
    assert isinstance(flush, CallMethod)
    assert isinstance(then, Then)
    return flush, then


def test_who_leaves_where_nothing_is_to_come_is_closed() -> None:
    session = entered()
    flush, then = left(session)
    session.answered(flush.id, {"turn_id": "", "text": "", "run_id": None})
    assert then.ask() == (Close(1000, ""),)


def test_who_leaves_waits_for_what_was_flushed() -> None:
    session = entered()
    flush, then = left(session)
    session.answered(flush.id, {"turn_id": "ses_1.1", "text": "so", "run_id": "run_1"})
    assert (then.ask(), session.done) == ((), False)


def test_who_leaves_waits_for_a_turn_that_has_ended_by_itself() -> None:
    session = entered()
    (call,) = say(session, partial("so"))
    assert isinstance(call, CallMethod)
    session.answered(call.id, {"turn_id": "ses_1.1", "state": "speaking"})
    flush, then = left(session)
    session.answered(flush.id, {"turn_id": "", "text": "", "run_id": None})
    assert (then.ask(), session.done) == ((), False)


def test_who_leaves_is_heard_no_more() -> None:
    session = entered()
    left(session)
    assert say(session, partial("one more thing")) == say(session, "nonsense") == []
