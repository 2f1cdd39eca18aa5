"""What a request says, and what it may not say."""

from __future__ import annotations

import json

import pytest

from sulla.core.errors import InvalidInput, TooLarge
from sulla.gateway import wire
from sulla.gateway.problems import Malformed
from sulla.gateway.rest.read import STREAM, RequestParts, read, read_place
from sulla.gateway.rest.routes import ROUTES, RestRoute

ROUTE = {route.name: route for route in ROUTES}
THREAD = {"thread_id": "thr_1"}
JSON = {"content-type": "application/json"}


def made() -> str:
    return "msg_made"


def said(body: object = None, query: tuple[tuple[str, str], ...] = (), **headers: str) -> RequestParts:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return RequestParts(THREAD, query, JSON | named, b"" if body is None else json.dumps(body).encode())


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        ("text/event-stream", True),
        ("Text/Event-Stream; q=0.9", True),
        ("application/json, text/event-stream", True),
        ("*/*", False),
        ("text/*", False),
        ("application/json", False),
        ("", False),
    ],
)
def test_a_stream_is_given_to_who_names_it(accept: str, wanted: bool) -> None:
    assert said(accept=accept).wants_stream is wanted


def test_the_name_of_a_message_comes_from_its_body_its_header_or_is_made() -> None:
    send = ROUTE["turn.send"]
    assert read(send, said({"text": "x", "message_id": "a"}, idempotency_key="b"), made) == wire.TurnSend(
        thread_id="thr_1", message_id="a", text="x"
    )
    assert read(send, said({"text": "x"}, idempotency_key="b"), made) == wire.TurnSend(
        thread_id="thr_1", message_id="b", text="x"
    )
    assert read(send, said({"text": "x"}), made) == wire.TurnSend(thread_id="thr_1", message_id="msg_made", text="x")


def test_a_request_without_a_name_stays_without_one_where_it_may() -> None:
    assert read(ROUTE["turn.stop"], said(), made) == wire.TurnStop(thread_id="thr_1")
    assert read(ROUTE["turn.stop"], said(idempotency_key="s"), made) == wire.TurnStop(thread_id="thr_1", request_id="s")


@pytest.mark.parametrize("key", ["", "a b", "-x", "é", "x" * 129, "a\n"])
def test_a_key_that_is_no_name_is_refused_even_where_it_is_not_needed(key: str) -> None:
    with pytest.raises(InvalidInput, match="Idempotency-Key: got"):
        read(ROUTE["turn.send"], said({"text": "x", "message_id": "a"}, idempotency_key=key), made)


@pytest.mark.parametrize("last", ["x", "-1", "1.5", "9007199254740993", "1" * 30, "٣"])
def test_a_last_event_that_is_no_number_is_refused(last: str) -> None:
    with pytest.raises(InvalidInput, match="Last-Event-ID: got"):
        read_place(ROUTE["thread.history"], said(last_event_id=last))
    with pytest.raises(InvalidInput, match="Last-Event-ID: got"):
        read(ROUTE["turn.send"], said({"text": "x"}, last_event_id=last), made)


def test_a_stream_with_sub_agents_goes_on_behind_what_its_client_has_of_each() -> None:
    query = (("children", "true"),)
    place = read_place(ROUTE["thread.history"], said(query=query, accept=STREAM, last_event_id="7,thr_2=3,thr_3=0"))
    assert place == wire.EventsSubscribe(
        thread_id="thr_1", after=7, children=True, after_children={"thr_2": 3, "thr_3": 0}
    )
    assert read_place(ROUTE["thread.history"], said(query=query, accept=STREAM)).children
    without = read_place(ROUTE["thread.history"], said(accept=STREAM, last_event_id="7,thr_2=3"))
    assert without == wire.EventsSubscribe(thread_id="thr_1", after=7)


def test_a_message_that_is_streamed_takes_the_same_word_in_its_query() -> None:
    asked = said({"text": "x"}, query=(("children", "true"),), accept=STREAM)
    assert asked.wants_children
    assert isinstance(read(ROUTE["turn.send"], asked, made), wire.TurnSend)


def test_where_nothing_is_streamed_that_word_changes_nothing_and_has_to_be_one() -> None:
    plain = read(ROUTE["turn.send"], said({"text": "x"}), made)
    assert read(ROUTE["turn.send"], said({"text": "x"}, query=(("children", "true"),)), made) == plain
    with pytest.raises(InvalidInput, match="expected 'true' or 'false'"):
        read(ROUTE["turn.send"], said({"text": "x"}, query=(("children", "maybe"),)), made)


@pytest.mark.parametrize(
    ("query", "last", "says"),
    [
        ((("children", "yes"),), "", "children in the query: got 'yes', expected 'true' or 'false'"),
        ((("children", "true"), ("children", "true")), "", "'children' stands in the query twice"),
        ((("after_children", "x"),), "", "'after_children' in the query: a stream goes on behind"),
    ],
)
def test_what_a_stream_cannot_be_asked_for_is_said(query: tuple[tuple[str, str], ...], last: str, says: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_place(ROUTE["thread.history"], said(query=query, accept=STREAM, last_event_id=last))
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("query", "last", "after"), [((), "", 0), ((), "7", 7), ((("after", "3"),), "", 3), ((("after", "9"),), "7", 7)]
)
def test_the_header_is_newer_than_the_address(query: tuple[tuple[str, str], ...], last: str, after: int) -> None:
    place = read_place(ROUTE["thread.history"], said(query=query, last_event_id=last))
    assert place == wire.EventsSubscribe(thread_id="thr_1", after=after)


@pytest.mark.parametrize(
    ("name", "request_", "error", "says"),
    [
        ("thread.list", said({}), InvalidInput, "a GET takes no body"),
        ("thread.delete", said({}), InvalidInput, "a DELETE takes no body"),
        ("thread.delete", said(query=(("force", "1"),)), InvalidInput, "'force' in the query: a DELETE takes"),
        ("turn.stop", said(query=(("request_id", "1"),)), InvalidInput, "'request_id' in the query: a POST takes"),
        ("turn.stop", said({"thread_id": "thr_2"}), InvalidInput, "thread_id: it stands in the path already"),
        ("thread.history", said(query=(("thread_id", "x"),)), InvalidInput, "thread_id: it stands in the path already"),
        ("turn.send", said({"text": "x" * 100_001}), TooLarge, "text: got 100001 characters"),
        ("turn.send", said([1]), InvalidInput, "got a list, expected an object"),
        ("turn.send", RequestParts(THREAD, (), {}, b"{}"), Malformed, "got a body of type ''"),
        ("turn.send", RequestParts(THREAD, (), {"content-type": "application/json-seq"}, b"{}"), Malformed, "json-seq"),
        ("turn.send", RequestParts(THREAD, (), JSON, b'{"text": NaN}'), Malformed, "not JSON"),
    ],
)
def test_what_is_wrong_is_said(name: str, request_: RequestParts, error: type[Exception], says: str) -> None:
    route: RestRoute = ROUTE[name]
    with pytest.raises(error) as caught:
        read(route, request_, made)
    assert says in str(caught.value)


def test_a_type_may_name_its_characters() -> None:
    request = RequestParts(THREAD, (), {"content-type": "Application/JSON; charset=utf-8"}, b'{"text":"x"}')
    assert isinstance(read(ROUTE["turn.send"], request, made), wire.TurnSend)


def test_a_stream_has_nothing_to_speak_and_says_where_there_is() -> None:
    with pytest.raises(InvalidInput, match=r"'speak' in the query: .* /ws alone"):
        read_place(ROUTE["thread.history"], said(query=(("speak", "true"),)))
