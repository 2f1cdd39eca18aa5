"""What no host should say and some do: the bridge answers it, and goes on."""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sulla.core.errors import InvalidInput, Unauthorized
from sulla.mcp.cli import serve as mcp_serve
from sulla.mcp.cli.serve import AT_ONCE, LINE_BYTES, MOST_OPEN, StdioBridge
from sulla.terminal.place import Door
from tests.gateway.peer import until
from tests.mcp.cli.test_serve import CALL, DONE, Answer, Host, gives

_VERSION = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}


def cancel(id_: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id_}}


def streams_as_it_is(value: object) -> Answer:
    text = f"event: message\r\ndata: {json.dumps(value, ensure_ascii=False)}\r\n\r\n"
    return lambda request: httpx2.Response(200, text=text, headers={"content-type": "text/event-stream"})


async def test_requests_that_are_cancelled_at_once_take_no_room() -> None:
    host = Host(gives(DONE))
    said = [message for id_ in range(10, 10 + AT_ONCE) for message in ({**CALL, "id": id_}, cancel(id_))]
    async with asyncio.timeout(50):
        await host.say(*said, CALL)
    assert host.heard == [DONE]


async def test_what_cannot_stand_in_a_header_is_packed_or_refused() -> None:
    host = Host(gives(DONE), gives(DONE))
    odd = [
        {**CALL, "id": "m", "method": "grüß", "params": _VERSION},
        {**CALL, "id": "n", "method": "a\nb", "params": _VERSION},
        {**CALL, "id": "v", "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "ü"}}},
    ]
    lone = json.dumps({**CALL, "id": "s", "params": {"name": "\ud800", **_VERSION}}).encode() + b"\n"
    await host.say(*odd, lone, CALL)
    assert {one["id"] for one in host.heard} == {"m", "n", "v", "s", 1}


async def test_what_is_nested_too_deep_is_refused_and_the_rest_goes_on() -> None:
    host = Host(gives(DONE))
    await host.say(b"[" * 50_000 + b"\n", CALL)
    assert [one.get("error", {}).get("code") for one in host.heard] == [-32700, None]


async def test_a_message_that_is_too_long_is_refused_and_the_rest_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = asyncio.StreamReader(limit=1000)
    reader.feed_data(b'"' + b"x" * 3000 + b'"\n' + json.dumps(CALL).encode() + b"\n")
    reader.feed_eof()
    heard = list[Any]()
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200, json=DONE))
    async with httpx2.AsyncClient(transport=transport) as http:
        await StdioBridge(http, lambda: Door("http://daemon", "secret"), Host().clock, heard.append).serve(reader)
    assert heard[0]["error"]["code"] == -32600
    assert str(LINE_BYTES) in heard[0]["error"]["message"]
    assert heard[-1] == DONE


async def test_lines_of_other_alphabets_end_no_message() -> None:
    said = {**DONE, "result": {"text": "one\u2028two\u2029three\x85four"}}
    host = Host(streams_as_it_is(said))
    await host.say(CALL)
    assert host.heard == [said]


def test_whatever_is_printed_is_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    mcp_serve._print({"id": "\ud800", "text": "grüß\u2028"})
    assert capsys.readouterr().out == '{"id":"\\ud800","text":"gr\\u00fc\\u00df\\u2028"}\n'


async def test_cancelling_is_heard_while_requests_wait_for_room() -> None:
    reader, heard, gate = asyncio.StreamReader(), list[Any](), asyncio.Event()

    async def answer(request: httpx2.Request) -> httpx2.Response:
        if json.loads(request.content)["id"] != "last":
            await gate.wait()
        return httpx2.Response(200, json=DONE)

    for message in [*({**CALL, "id": id_} for id_ in range(AT_ONCE)), {**CALL, "id": "last"}]:
        reader.feed_data(json.dumps(message).encode() + b"\n")
    async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as http, asyncio.timeout(50):
        bridge = StdioBridge(http, lambda: Door("http://daemon", "secret"), Host().clock, heard.append)
        serving = asyncio.create_task(bridge.serve(reader))
        reader.feed_data(json.dumps(cancel(7)).encode() + b"\n")
        await until(lambda: heard)
        gate.set()
        reader.feed_eof()
        await serving
    assert heard[0]["id"] == "last"
    assert sorted(one["id"] for one in heard[1:]) == [id_ for id_ in range(AT_ONCE) if id_ != 7]


async def test_more_requests_than_can_wait_are_refused() -> None:
    host = Host(*[gives(DONE)] * MOST_OPEN)
    await host.say(*({**CALL, "id": id_} for id_ in range(MOST_OPEN + 1)))
    refused = [one for one in host.heard if "error" in one]
    assert [(one["id"], one["error"]["code"]) for one in refused] == [(MOST_OPEN, -32000)]
    assert len(host.heard) == MOST_OPEN + 1


def test_a_host_that_reads_no_more_is_no_defect(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async def serve(find: object, query: str) -> None:
        def tell(message: object) -> None:
            raise BrokenPipeError

        reader = asyncio.StreamReader()
        reader.feed_data(json.dumps(CALL).encode() + b"\n{\n")
        reader.feed_eof()
        async with httpx2.AsyncClient(transport=httpx2.MockTransport(gives(DONE))) as http:
            await StdioBridge(http, lambda: Door("http://daemon", "secret"), Host().clock, tell, query).serve(reader)

    monkeypatch.setattr(mcp_serve, "door", lambda home: Door("http://daemon", "secret"))
    monkeypatch.setattr(mcp_serve, "_serve", serve)
    with pytest.raises(BrokenPipeError):
        mcp_serve.run(argparse.Namespace(home=tmp_path, token=None, approvals_by_host=False))


@pytest.mark.parametrize("name", ["said", "/dev/null", "/dev/zero"])
def test_what_is_said_by_a_file_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    monkeypatch.setattr(mcp_serve, "door", lambda home: Door("http://daemon", "secret"))
    (tmp_path / "said").write_text(json.dumps(CALL))
    with (tmp_path / name).open() as said:
        monkeypatch.setattr("sys.stdin", said)
        with pytest.raises(InvalidInput, match="through a pipe"):
            mcp_serve.run(argparse.Namespace(home=tmp_path, token=None, approvals_by_host=False))


@pytest.mark.parametrize("text", ["", "one\ntwo\n", "grün", b"\xff\xfe"])
def test_a_file_that_holds_no_token_is_refused(tmp_path: Path, text: str | bytes) -> None:
    file = tmp_path / "token"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(Unauthorized, match="holds no token"):
        mcp_serve._token(file)
