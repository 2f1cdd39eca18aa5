"""The fake of Anthropic's service: what it counts, holds and writes down."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import orjson

from sulla.core.jsontypes import JsonObject
from sulla.testing.clock import ManualClock
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.script import Failure, Reply, Rule, Script

BODY = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hello"}]}


async def post(url: str, path: str = "/v1/messages", body: object = BODY, key: str = "") -> tuple[int, bytes]:
    """Send a body; the status and everything that comes back."""
    raw = orjson.dumps(body)
    reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
    head = f"POST {path} HTTP/1.1\r\nX-Api-Key: {key}\r\nContent-Length: {len(raw)}\r\n\r\n"
    writer.write(head.encode() + raw)
    answer = await reader.readuntil(b"\r\n\r\n")
    status = int(answer.split()[1])
    if b"transfer-encoding" in answer:
        rest = await reader.readuntil(b"0\r\n\r\n")
    else:
        length = next(line for line in answer.split(b"\r\n") if line.startswith(b"content-length"))
        rest = await reader.readexactly(int(length.split(b":")[1]))
    writer.close()
    return status, rest


def _ledger(path: Path) -> list[JsonObject]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


async def test_each_request_is_counted_and_written_down(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    script = Script([Rule(Failure(529), times=1), Rule(Reply("Hi"))])
    async with FakeAnthropic(script, ManualClock(now=50.0), ledger=path) as fake:
        assert (await post(fake.url))[0] == 529
        assert (await post(fake.url))[0] == 200
        await fake.until(lambda fake: len(fake.ended) == 2)
        assert [seen.text for seen in fake.requests] == ["hello", "hello"]
        assert fake.ended == [(1, "failed"), (2, "done")]
    lines = _ledger(path)
    assert [(line["event"], line["request"]) for line in lines] == [
        ("start", 1),
        ("failed", 1),
        ("start", 2),
        ("done", 2),
    ]
    assert len({line["body_hash"] for line in lines}) == 1
    assert (lines[0]["text"], lines[0]["messages"], lines[0]["results"], lines[0]["at"]) == ("hello", 1, 0, 50.0)


async def test_a_ledger_is_only_ever_added_to(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    for _ in range(2):
        async with FakeAnthropic(Script([Rule(Reply("Hi"))]), ManualClock(), ledger=path) as fake:
            await post(fake.url)
            await fake.until(lambda fake: len(fake.ended) == 1)
    assert [line["event"] for line in _ledger(path)] == ["start", "done"] * 2


async def test_a_held_reply_goes_on_when_it_is_released() -> None:
    async with FakeAnthropic(Script([Rule(Reply("Hi there", hold="gate", hold_after=1))]), ManualClock()) as fake:
        asking = asyncio.create_task(post(fake.url))
        await fake.until(lambda fake: "gate" in fake.held)
        assert not asking.done()
        assert (await post(fake.url, "/_fake/release/gate"))[0] == 200
        status, stream = await asking
    assert status == 200
    assert b"message_stop" in stream


async def test_pieces_come_at_their_pace() -> None:
    clock = ManualClock()
    async with FakeAnthropic(Script([Rule(Reply("Hi", pieces=1, delay_s=1.0))]), clock) as fake:
        asking = asyncio.create_task(post(fake.url))
        await fake.until(lambda fake: len(fake.requests) == 1)
        for _ in range(7):
            while not clock.sleepers:
                await asyncio.sleep(0)
            assert not asking.done()
            await clock.advance(1.0)
        assert (await asking)[0] == 200


async def test_what_the_service_would_refuse_the_fake_refuses() -> None:
    async with FakeAnthropic(Script([Rule(Reply("Hi"))]), ManualClock(), key="right") as fake:
        assert (await post(fake.url, key="wrong"))[0] == 401
        assert (await post(fake.url, body={}, key="right"))[0] == 400
        assert (await post(fake.url, "/v1/complete", key="right"))[0] == 404
        status, answer = await post(fake.url, "/v1/messages/count_tokens", key="right")
        assert (status, orjson.loads(answer).keys()) == (200, {"input_tokens"})
        assert (await post(fake.url, key="right"))[0] == 200


async def test_a_question_that_the_script_does_not_know_is_refused() -> None:
    async with FakeAnthropic(Script([Rule(Reply("Hi"), text="other")]), ManualClock()) as fake:
        status, answer = await post(fake.url)
    assert status == 400
    assert b"no rule for 'hello'" in answer


async def test_it_runs_as_a_process_of_its_own(tmp_path: Path) -> None:
    script, ledger = tmp_path / "script.json", tmp_path / "ledger"
    script.write_text('{"rules": [{"reply": {"text": "Hi"}}]}')
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.servers.anthropic_server", "--script", script, "--ledger", ledger,
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        word, url = (await process.stdout.readline()).decode().split()
        assert word == "ready"
        assert (await post(url))[0] == 200
    finally:
        process.kill()
        await process.wait()
    assert [line["event"] for line in _ledger(ledger)][:1] == ["start"]
