"""Requests are sent as they were asked for, to addresses that may be asked alone, and answers come back as values."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path

import pytest

from sulla.core.ids import CallId
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.message import ToolCall
from sulla.host.system import SystemClock
from sulla.tools.base import Done, Effect
from sulla.tools.builtin.http import http_tool
from sulla.tools.call import MAX_STEP_BYTES, run_call
from sulla.tools.policy import CallContext, effect_of, judge
from sulla.tools.registry import Toolbox
from sulla.tools.web.fetch import MAX_BODY_BYTES, Fetcher
from tests.servers.wire import WireRequest, WireResponse
from tests.tools.contexts import context_in
from tests.tools.sites import Answer, says, world

URL = "http://example.org/api"


async def call(fetcher: Fetcher, args: JsonObject, key: str = "run_1:call_1") -> Done:
    context = replace(context_in(Path("/nonexistent"), SystemClock(), key), whole_bytes=MAX_STEP_BYTES)
    asked = ToolCall(CallId("call_1"), "http", {"url": URL, **args})
    result = await run_call(Toolbox((http_tool(fetcher),)), asked, context)
    assert isinstance(result, Done)
    return result


async def answered(answer: Answer, **args: Json) -> Done:
    async with world(answer) as (fetcher, _):
        return await call(fetcher, args)


async def sent(**args: Json) -> WireRequest:
    """What a server is asked."""
    seen: list[WireRequest] = []

    async def answer(request: WireRequest, response: WireResponse) -> None:
        seen.append(request)
        await response.whole(200, b"{}")

    result = await answered(answer, **args)
    assert not result.is_error, result.text
    return seen[0]


# --------------------------------------------------------------------------------------------------------- what is sent


async def test_json_is_sent_with_its_type_and_a_key_that_is_the_same_for_each_attempt_at_a_call() -> None:
    seen: list[WireRequest] = []

    async def answer(request: WireRequest, response: WireResponse) -> None:
        seen.append(request)
        await response.whole(200, b"{}")

    async with world(answer) as (fetcher, _):
        for key in ("one", "one", "two"):
            body: JsonObject = {"name": "Grün", "n": [1, None]}
            await call(fetcher, {"method": "POST", "json": body, "headers": {"X-Api-Key": "k"}}, key)
    first, again, other = seen
    assert (first.method, first.path, first.headers["content-type"]) == ("POST", "/api", "application/json")
    assert first.body == '{"name": "Grün", "n": [1, null]}'.encode()
    assert first.headers["x-api-key"] == "k"
    keys = [request.headers["idempotency-key"] for request in (first, again, other)]
    assert keys[0] == keys[1] != keys[2]


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "PUT"])
async def test_what_may_be_repeated_anyway_has_no_key(method: str) -> None:
    request = await sent(method=method)
    assert request.method == method
    assert "idempotency-key" not in request.headers


async def test_a_text_is_sent_as_it_is_and_an_own_type_and_key_are_kept() -> None:
    fields: JsonObject = {"Content-Type": "text/csv", "Idempotency-Key": "mine"}
    request = await sent(method="POST", body="a,b\r\n1,ü\n", headers=fields)
    assert request.body == "a,b\r\n1,ü\n".encode()
    assert (request.headers["content-type"], request.headers["idempotency-key"]) == ("text/csv", "mine")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"headers": {"Host": "inner"}}, "'Host' cannot be set"),
        ({"headers": {"Content-Length": "1"}}, "cannot be set"),
        ({"headers": {"a b": "x"}}, "'a b' cannot be set"),
        ({"headers": {"X": "a\r\nY: b"}}, "printable characters of ASCII"),
        ({"method": "POST", "json": 1, "body": "x"}, "not both"),
        ({"json": {}}, "a GET request has no body"),
        ({"url": "http://127.0.0.1/"}, "not fetched"),
        ({"url": "ftp://example.org/"}, "only http"),
        ({"url": "http://me:pass@example.org/"}, "never sent"),
    ],
)
async def test_what_cannot_be_sent_is_refused_before_anything_is(args: JsonObject, said: str) -> None:
    async with world(says(b"{}"), {"127.0.0.1": ["127.0.0.1"]}) as (fetcher, net):
        result = await call(fetcher, args)
        assert (result.is_error, result.refused, said in result.text) == (True, True, True), result.text
        assert not net.connected


# ------------------------------------------------------------------------------------------------------ what comes back


async def test_an_answer_is_there_as_values() -> None:
    body = b'{"id": 7, "rows": [{"a": null}]}'
    result = await answered(says(body, content_type="application/problem+json", x_rate="9"))
    assert result.data is not None
    headers = result.data["headers"]
    assert isinstance(headers, dict)
    assert headers["x-rate"] == "9"
    assert {name: value for name, value in result.data.items() if name != "headers"} == {
        "text": body.decode(),
        "status": 200,
        "value": {"id": 7, "rows": [{"a": None}]},
        "base64": "",
        "url": URL,
    }
    assert result.text.startswith("[200 OK, application/problem+json, 32 bytes]\n{")
    assert (result.origin, result.cut) == ("web", "")


async def test_what_is_no_text_is_given_as_base64() -> None:
    body = bytes(range(256)) * 3
    result = await answered(says(body, content_type="image/png"))
    assert result.data is not None
    assert base64.b64decode(str(result.data["base64"])) == body
    assert (result.data["text"], result.data["value"]) == ("", None)


async def test_an_answer_that_is_too_long_says_that_it_is_cut() -> None:
    assert "more than" in (await answered(says(b"x" * (MAX_BODY_BYTES + 1), content_type="text/plain"))).cut


@pytest.mark.parametrize(
    ("status", "accept", "is_error", "refused", "passing"),
    [
        (204, [], False, False, False),
        (302, [], True, True, False),
        (404, [], True, True, False),
        (404, [404], False, False, False),
        (429, [], True, False, True),
        (503, [], True, False, True),
        (503, [503], False, False, False),
    ],
)
async def test_what_a_status_means(
    status: int, accept: list[Json], is_error: bool, refused: bool, passing: bool
) -> None:
    result = await answered(says(b"why", status, retry_after="7"), accept=accept)
    assert (result.is_error, result.refused, result.passing) == (is_error, refused, passing)
    assert result.retry_after_s == 7.0
    assert result.text.startswith(f"[{status} ")


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("7", 7.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("soon", None),
        ("9999999", None),
    ],
)
async def test_how_long_a_server_wants_to_be_left_alone(said: str, seconds: float | None) -> None:
    result = await answered(says(b"why", 429, retry_after=said))
    assert result.retry_after_s == seconds


async def test_a_server_may_say_by_a_date_when_it_may_be_asked_again() -> None:
    result = await answered(says(b"why", 503, retry_after="Fri, 31 Dec 9999 23:59:59 GMT"))
    assert result.retry_after_s is not None
    assert result.retry_after_s > 86_400.0


# --------------------------------------------------------------------------------------------------------------- policy


@pytest.mark.parametrize(
    ("args", "effect"),
    [
        ({}, "pure"),
        ({"method": "HEAD"}, "pure"),
        ({"method": "PUT"}, "idempotent"),
        ({"method": "DELETE"}, "idempotent"),
        ({"method": "POST"}, "once"),
        ({"method": "PATCH", "headers": None}, "once"),
        ({"method": "POST", "headers": {"idempotency-KEY": "k"}}, "idempotent"),
        ({"method": 3}, "once"),
    ],
)
def test_what_a_repeat_does_follows_from_the_method(args: JsonObject, effect: Effect) -> None:
    assert effect_of(http_tool(Fetcher()), {"url": URL, **args}) == effect


@pytest.mark.parametrize(("method", "rule"), [("GET", "Allow"), ("POST", "AskFirst"), ("PUT", "AskFirst")])
def test_where_nobody_is_there_a_person_is_asked_before_anything_is_changed(method: str, rule: str) -> None:
    args: JsonObject = {"url": URL, "method": method}
    verdict = judge(http_tool(Fetcher()), args, context_in(Path()), CallContext("unattended", tainted=False))
    assert type(verdict).__name__ == rule


def test_a_run_that_has_read_a_page_asks_before_each_request() -> None:
    verdict = judge(http_tool(Fetcher()), {"url": URL}, context_in(Path()), CallContext(tainted=True))
    assert type(verdict).__name__ == "AskFirst"
