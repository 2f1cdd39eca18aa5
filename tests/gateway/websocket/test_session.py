from __future__ import annotations

import json
from typing import Any

import pytest

from sulla.access.principal import Principal
from sulla.core.errors import Unauthorized
from sulla.core.jsontypes import JsonObject
from sulla.gateway import wire
from sulla.gateway.methods.system import SystemStatus
from sulla.gateway.websocket import session as says
from sulla.gateway.websocket.machine import Authenticate, CallMethod, Close, Effect, SendFrame
from sulla.gateway.websocket.session import JsonRpcSession
from sulla.rpc.limits import SUBSCRIPTIONS, Limits
from tests.gateway.forms import check_form

OWNER = Principal("owner", frozenset({"read", "write", "approve", "admin"}))
READER = Principal("reader", frozenset({"read"}))
HELLO: JsonObject = {"client": {"name": "t", "version": "1"}, "protocol": 1}


def frame(method: str, id_: object = 1, **params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})


def hello(**more: object) -> str:
    return frame("hello", 0, **HELLO, **more)


def fresh(principal: Principal | None = None) -> JsonRpcSession:
    return JsonRpcSession("ses_1", "1.2.3", Limits(), principal)


def greeted(principal: Principal = OWNER) -> JsonRpcSession:
    session = fresh(principal)
    session.hear(hello())
    return session


def body(effect: Effect) -> dict[str, Any]:
    assert isinstance(effect, SendFrame)
    found: dict[str, Any] = json.loads(effect.frame)
    return found


def error_of(effects: list[Effect]) -> dict[str, Any]:
    error: dict[str, Any] = body(effects[0])["error"]
    return error


def test_hello_asks_who_it_is() -> None:
    session = fresh()
    assert session.hear(hello(token="t")) == [Authenticate(0, "t")]
    assert not session.open


def test_hello_without_a_token_asks_too_so_that_it_is_refused_in_one_place() -> None:
    assert fresh().hear(hello()) == [Authenticate(0, None)]


def test_a_token_in_the_upgrade_request_is_enough() -> None:
    session = fresh(OWNER)
    (effect,) = session.hear(hello())
    assert session.open
    assert body(effect)["result"]["scopes"] == ["admin", "approve", "read", "write"]


def test_a_token_in_hello_counts_more_than_the_one_before() -> None:
    assert fresh(OWNER).hear(hello(token="t")) == [Authenticate(0, "t")]


def test_the_welcome_says_what_a_client_has_to_keep_to() -> None:
    session = fresh()
    (effect,) = session.admit(0, READER)
    welcome = check_form(wire.Welcome, body(effect)["result"])
    assert (welcome.server.version, welcome.session, welcome.scopes) == ("1.2.3", "ses_1", ("read",))
    assert (welcome.limits.frame_bytes, welcome.limits.text_chars) == (1024 * 1024, 100_000)


def test_a_refused_token_ends_the_connection() -> None:
    reply, close = fresh().refuse(0, Unauthorized("no"))
    assert body(reply)["error"]["data"]["code"] == "unauthorized"
    assert close == Close(says.UNAUTHORIZED, "no")


@pytest.mark.parametrize(
    "first",
    [
        frame("thread.list"),
        frame("helo"),
        "nonsense",
        f"[{hello()}]",
        frame("hello", client={"name": "t", "version": "1"}, protocol=2),
        frame("hello", **HELLO, scopes=["admin"]),
        json.dumps({"jsonrpc": "2.0", "method": "hello", "params": HELLO}),
    ],
)
def test_whatever_else_comes_first_is_answered_and_ends_the_connection(first: str) -> None:
    session = fresh(OWNER)
    effects = session.hear(first)
    assert error_of(effects)["message"]
    assert isinstance(effects[-1], Close)
    assert effects[-1].code == says.POLICY
    assert not session.open


def test_a_second_hello_is_refused_and_changes_nothing() -> None:
    session = greeted(READER)
    assert error_of(session.hear(hello(token="other")))["data"]["code"] == "conflict"
    assert session.hear(frame("thread.create")) == [CallMethod(1, wire.ThreadCreate(), READER)]


@pytest.mark.parametrize(
    "wrong", ["nonsense", "[]", frame("turn.snd"), frame("turn.send", text=1), frame("speech.status")]
)
def test_a_mistake_after_hello_costs_only_an_answer(wrong: str) -> None:
    session = greeted()
    effects = session.hear(wrong)
    assert len(effects) == 1
    assert error_of(effects)["code"] < -32000
    assert session.hear(frame("system.status", 2)) == [CallMethod(2, SystemStatus(), OWNER)]


def test_who_may_not_do_it_is_told_so_and_not_what_it_takes() -> None:
    error = error_of(greeted(READER).hear(frame("token.create", scope=1)))
    assert error["message"] == "'token.create' needs a token with the scope 'admin'"
    assert error["data"]["code"] == "forbidden"
    assert error_of(greeted().hear(frame("token.create", scope=1)))["data"]["code"] == "invalid_input"


def test_a_call_comes_with_checked_parameters() -> None:
    text = frame("turn.send", "a", thread_id="thr_1", message_id="m1", text="hi", mode="steer")
    params = wire.TurnSend(thread_id="thr_1", message_id="m1", text="hi", mode="steer")
    assert greeted().hear(text) == [CallMethod("a", params, OWNER)]


def test_a_request_goes_on_under_the_name_of_whoever_said_hello() -> None:
    session = fresh(OWNER)
    session.hear(hello(token="t"))
    session.admit(0, READER)
    assert session.hear(frame("thread.create")) == [CallMethod(1, wire.ThreadCreate(), READER)]
    assert session.principal == READER


def test_binary_frames_end_the_connection() -> None:
    (effect,) = greeted().hear_binary()
    assert isinstance(effect, Close)
    assert effect.code == says.NOT_TEXT


def test_before_hello_frames_have_to_be_small() -> None:
    padding = "x" * (64 * 1024)
    (effect,) = fresh(OWNER).hear(hello(token=padding))
    assert isinstance(effect, Close)
    assert effect.code == says.TOO_BIG


def test_the_size_of_a_frame_is_counted_in_bytes() -> None:
    session = greeted()
    assert error_of(session.hear(json.dumps("é" * 300_000, ensure_ascii=False)))["code"] == -32600
    (effect,) = session.hear(json.dumps("é" * 600_000, ensure_ascii=False))
    assert isinstance(effect, Close)
    assert "1200002 bytes" in effect.reason


def test_a_thread_is_followed_once_at_a_time() -> None:
    session = greeted()
    subscribe = frame("events.subscribe", thread_id="thr_1", after=3)
    assert session.hear(subscribe) == [CallMethod(1, wire.EventsSubscribe(thread_id="thr_1", after=3), OWNER)]
    assert error_of(session.hear(subscribe))["data"]["code"] == "conflict"
    assert session.hear(frame("events.unsubscribe", 2, thread_id="thr_1")) == [
        CallMethod(2, wire.EventsUnsubscribe(thread_id="thr_1"), OWNER)
    ]
    assert session.hear(subscribe) == [CallMethod(1, wire.EventsSubscribe(thread_id="thr_1", after=3), OWNER)]
    session.forget("thr_1")
    assert session.hear(subscribe) == [CallMethod(1, wire.EventsSubscribe(thread_id="thr_1", after=3), OWNER)]


def test_leaving_a_thread_that_is_not_followed_is_no_mistake() -> None:
    left = wire.EventsUnsubscribe(thread_id="thr_1")
    assert greeted().hear(frame("events.unsubscribe", thread_id="thr_1")) == [CallMethod(1, left, OWNER)]


def test_the_number_of_subscriptions_is_bounded() -> None:
    session = greeted()
    for number in range(SUBSCRIPTIONS):
        session.hear(frame("events.subscribe", thread_id=f"thr_{number}"))
    assert error_of(session.hear(frame("events.subscribe", thread_id="one_more")))["data"]["code"] == "busy"


@pytest.mark.parametrize("reason", ["short", "x" * 500, "é" * 500, "🦉" * 100])
def test_a_close_reason_fits_its_frame(reason: str) -> None:
    cut = says.short_reason(reason)
    assert len(cut.encode()) <= 123
    assert reason.startswith(cut)
