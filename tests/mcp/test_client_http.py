"""Servers over HTTP, on real sockets: whatever one answers is an error that says what to do, and none can hold us."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.kits.in_turn import in_turn
from tests.mcp.benches import WAIT_S, bench
from tests.mcp.rough_http import DONE, Answer, Asked, reply, result, rough_http

pytestmark = in_turn(2)

MIB = 1024 * 1024
SSE = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is lost is tried again soon; how long that takes otherwise is the supervisor's test."""
    monkeypatch.setattr("sulla.mcp.supervisor.FIRST_S", 0.05)
    monkeypatch.setattr("sulla.mcp.supervisor.LONGEST_S", 0.2)
    monkeypatch.setattr("sulla.mcp.supervisor.SETTLE_S", 0.02)


def always(answer: Answer) -> Callable[[Asked], Answer]:
    """The same to every request."""
    return lambda asked: answer


async def test_a_server_on_this_machine_is_used_with_its_key_on_every_request(tmp_path: Path) -> None:
    async with rough_http() as there, bench(tmp_path, there.server) as at:
        await at.up()
        said = await at.use("mcp__rough__act")
        assert (said.text, said.origin, said.tainted) == ("done", "web", True)
        assert {asked.headers["authorization"] for asked in there.seen} == {"Bearer k1"}
        assert "tools/call" in there.methods()
        assert there.seen[-1].headers["mcp-session-id"] == "s1"


@pytest.mark.parametrize(
    ("status", "why"),
    [
        ("401 Unauthorized", "its address answered with HTTP 401: it wants a key, or another one, in `headers`"),
        ("404 Not Found", "its address answered with HTTP 404: there is no server at this address"),
        ("500 Oops", "its address answered with HTTP 500"),
        ("302 Found", "its address answered with HTTP 302: it has moved; name the new address as `url`"),
    ],
)
async def test_why_there_is_no_connection_is_said_by_its_status(tmp_path: Path, status: str, why: str) -> None:
    async with rough_http() as there, rough_http() as other:
        there.how["initialize"] = always(reply(status, b"", f"location: http://127.0.0.1:{other.port}/mcp"))
        async with bench(tmp_path, there.server) as at:
            assert (await at.down())["why"] == why
        assert other.seen == []  # which would have got the key


@pytest.mark.parametrize("status", ["307 Temporary Redirect", "308 Permanent Redirect"])
async def test_a_redirect_to_another_path_of_the_server_is_not_followed_either(tmp_path: Path, status: str) -> None:
    async with rough_http() as there, bench(tmp_path, there.server) as at:
        await at.up()
        there.how["tools/call"] = always(reply(status, b"", "location: /elsewhere"))
        assert f"HTTP {status[:3]}" in (await at.use("mcp__rough__act")).text
        assert there.methods().count("tools/call") == 1


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            reply("403 Forbidden"),
            "its address answered with HTTP 403: it does not allow this with the key in `headers`",
        ),
        (reply("503 Busy", b"<h1>later</h1>", kind="text/html"), "its address answered with HTTP 503"),
        (reply("200 OK", b"<h1>hello</h1>", kind="text/html"), "Unexpected content type: text/html"),
        (reply("200 OK", b"{"), "The MCP server 'rough' answered the call with what is no result of a tool"),
        (reply("202 Accepted"), "server answered a request with 202 Accepted"),
    ],
)
async def test_a_wrong_answer_to_a_call_is_an_error_in_a_strangers_words_and_the_server_is_asked_how_it_is(
    tmp_path: Path, answer: bytes, said: str
) -> None:
    async with rough_http() as there, bench(tmp_path, there.server) as at:
        await at.up()
        there.how["tools/call"] = always(answer)
        found = await at.use("mcp__rough__act")
        assert (found.is_error, found.origin, found.tainted) == (True, "web", True)
        assert said in found.text
        await at.until(lambda: there.methods().count("tools/list") == 2)
        del there.how["tools/call"]
        assert (await at.use("mcp__rough__act")).text == "done"


async def test_a_session_that_is_gone_is_begun_anew(tmp_path: Path) -> None:
    async with rough_http() as there, bench(tmp_path, there.server) as at:
        await at.up()
        there.how["tools/call"] = always(reply("404 Not Found"))
        said = await at.use("mcp__rough__act")
        assert said.text == (
            "the MCP server 'rough' was lost during the call: its session is over (HTTP 404); "
            "nobody knows whether the call took effect"
        )
        del there.how["tools/call"]
        await at.until(lambda: there.methods().count("initialize") == 2)
        await at.up()
        assert (await at.use("mcp__rough__act")).text == "done"


async def test_an_answer_that_is_none_of_the_protocol_loses_the_call_alone(tmp_path: Path) -> None:
    async with rough_http() as there, bench(tmp_path, there.server) as at:
        await at.up()
        there.how["tools/call"] = lambda asked: result(asked, {"content": 5})
        assert "no result of a tool" in (await at.use("mcp__rough__act")).text
        there.how["tools/call"] = lambda asked: result(asked, DONE)
        assert (await at.use("mcp__rough__act")).text == "done"


@pytest.mark.parametrize("held", [SSE, None])
async def test_an_answer_that_never_ends_ends_with_the_calls_time(tmp_path: Path, held: Answer) -> None:
    async with rough_http() as there, bench(tmp_path, there.server) as at:
        await at.up()
        there.how["tools/call"] = always(held)
        assert (await at.use_in_vain("mcp__rough__act")).text.startswith("mcp__rough__act was stopped after 60 s")
        del there.how["tools/call"]
        assert (await at.use("mcp__rough__act")).text == "done"


async def test_a_farewell_that_nobody_hears_holds_neither_the_next_try_nor_a_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sulla.mcp.client_http.LEAVE_S", 0.1)
    async with rough_http() as there:
        there.how["DELETE"] = always(None)
        there.how["tools/list"] = always(reply("500 Oops"))
        async with asyncio.timeout(WAIT_S), bench(tmp_path, there.server) as at:
            assert (await at.down())["why"] == "its address answered with HTTP 500"
            del there.how["tools/list"]
            await at.up()
        assert there.methods().count("DELETE") >= 1


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
async def test_a_body_without_an_end_is_cut_off_in_bounded_memory(tmp_path: Path, kind: str) -> None:
    async with rough_http() as there, bench(tmp_path, there.server) as at:
        await at.up()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\n\r\ndata: ".encode()
        there.how["tools/call"] = always(head + b"x" * 16 * MIB)
        assert (await at.use("mcp__rough__act")).is_error
        assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 <= 64 * MIB  # 32 are the test's own


async def test_an_answer_that_comes_packed_is_refused(tmp_path: Path) -> None:
    async with rough_http() as there:
        there.how["tools/list"] = always(reply("200 OK", b"\x1f\x8b", "content-encoding: gzip"))
        async with bench(tmp_path, there.server) as at:
            assert "RemoteProtocolError" in str((await at.down())["why"])


async def test_a_server_that_starts_again_in_mid_call_is_found_again(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        there = await stack.enter_async_context(rough_http())
        there.how["tools/call"] = always(None)
        async with bench(tmp_path, there.server) as at:
            await at.up()
            asking = asyncio.create_task(at.use("mcp__rough__act"))
            await at.until(lambda: "tools/call" in there.methods())
            await stack.aclose()
            said = await asking
            assert said.is_error
            assert "nobody knows whether the call took effect" in said.text
            async with rough_http(there.port):
                await at.until(lambda: at.hub.status()[0]["state"] != "up")
                await at.up()
                assert (await at.use("mcp__rough__act")).text == "done"


async def test_who_waits_for_an_answer_hears_of_it_when_the_connection_is_torn_down(tmp_path: Path) -> None:
    async with rough_http() as there:
        there.how["tools/call"] = always(None)
        async with bench(tmp_path, there.server) as at:
            await at.up()
            asking = [asyncio.create_task(at.use("mcp__rough__act")) for _ in range(3)]
            await at.until(lambda: there.methods().count("tools/call") == 3)
        async with asyncio.timeout(WAIT_S):
            assert all("nobody knows whether" in said.text for said in await asyncio.gather(*asking))
