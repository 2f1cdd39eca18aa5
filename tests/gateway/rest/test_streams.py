"""Streams of events over HTTP: everything once, in order, with a last event on every path."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from sulla.access.principal import ALL_SCOPES, Principal
from sulla.core.errors import CorruptRecord, StoreUnavailable
from sulla.gateway.app import GatewayConfig, build_app
from sulla.gateway.server.server import Server, bind, serve
from sulla.gateway.server.sockets import Http
from sulla.host.system import SystemClock, random_id
from sulla.testing.clock import ManualClock
from sulla.threads.log.family import child_thread
from tests.doubles.commands import MemoryCommands
from tests.doubles.tokens import MemoryTokens
from tests.gateway.conftest import Start
from tests.gateway.peer import PATIENCE_S, Raw, until
from tests.gateway.reading import STREAM, Block, stream, types
from tests.gateway.rest.test_app import browse, head, wrong

OWNER = Principal("owner", ALL_SCOPES)


# ----------------------------------------------------------------------------------------------------- a whole thread


async def test_kept_events_come_first_and_then_what_happens(server: Server, commands: MemoryCommands) -> None:
    commands.make("thr_1")
    commands.add("thr_1", "INPUT", text="one")
    async with stream(server, "/api/threads/thr_1/events") as reader:
        assert (await reader.next()).id == "1"
        commands.add("thr_1", "MODEL_STARTED", "run_1", message_id="m")
        assert (await reader.next()).id == "2"
        commands.show("thr_1", "TEXT_MESSAGE_CONTENT", "run_1", message_id="m", offset=0, delta="Hel")
        live = await reader.next()
        assert (live.id, live.data["data"]["delta"]) == (None, "Hel")
        assert reader.retry == ["2000"]


@pytest.mark.parametrize(
    ("query", "headers", "first"),
    [("", {}, 1), ("?after=3", {}, 4), ("", {"Last_Event_ID": "4"}, 5), ("?after=1", {"Last_Event_ID": "5"}, 6)],
)
async def test_a_stream_goes_on_where_the_client_says(
    server: Server, commands: MemoryCommands, query: str, headers: dict[str, str], first: int
) -> None:
    commands.make("thr_1")
    for number in range(6):
        commands.add("thr_1", "INPUT", text=str(number))
    async with stream(server, f"/api/threads/thr_1/events{query}", **headers) as reader:
        assert [block.id for block in await reader.take(7 - first)] == [str(seq) for seq in range(first, 7)]


async def test_a_client_that_drops_and_comes_back_misses_nothing_and_gets_nothing_twice(
    server: Server, commands: MemoryCommands
) -> None:
    commands.make("thr_1")
    last, seen = "", list[str | None]()
    for round_ in range(5):
        for number in range(40):
            commands.add("thr_1", "INPUT", text=f"{round_}-{number}")
        async with stream(server, "/api/threads/thr_1/events", Last_Event_ID=last) as reader:
            for block in await reader.take(25 if round_ < 4 else 200 - len(seen)):
                seen.append(block.id)
        last = seen[-1] or ""
    assert seen == [str(seq) for seq in range(1, 201)]


async def test_a_hole_in_the_log_is_told(server: Server, commands: MemoryCommands) -> None:
    commands.make("thr_1")
    for number in range(4):
        commands.add("thr_1", "INPUT", text=str(number))
    commands.lose("thr_1", 1, 2)
    async with stream(server, "/api/threads/thr_1/events") as reader:
        found = await reader.take(2)
    assert types(found) == ["gap", "INPUT"]
    assert (found[0].data, found[0].id) == ({"thread_id": "thr_1", "after": 0, "next": 3}, None)


async def test_silence_is_broken(start: Start, commands: MemoryCommands) -> None:
    server = await start(keep_alive_s=0.02)
    commands.make("thr_1")
    async with stream(server, "/api/threads/thr_1/events") as reader:
        waiting = asyncio.ensure_future(reader.next())
        await until(lambda: reader.comments >= 3)
        commands.add("thr_1", "INPUT", text="at last")
        assert (await waiting).id == "1"


async def test_the_end_of_a_thread_is_the_end_of_its_stream(server: Server, commands: MemoryCommands) -> None:
    commands.make("thr_1")
    commands.add("thr_1", "INPUT", text="one")
    async with stream(server, "/api/threads/thr_1/events") as reader:
        await reader.next()
        commands.forget("thr_1")
        (end,) = await reader.to_the_end()
    assert (end.data["reason"], end.data["error"]["code"]) == ("ended", "not_found")


async def test_a_log_that_cannot_be_read_any_more_ends_it(start: Start, commands: MemoryCommands) -> None:
    server = await start(heal_s=0.01)
    commands.make("thr_1")
    commands.add("thr_1", "INPUT", text="one")
    async with stream(server, "/api/threads/thr_1/events") as reader:
        await reader.next()
        commands.failures["history"] = CorruptRecord("damaged")
        (end,) = await reader.to_the_end()
    assert (end.data["reason"], end.data["error"]["code"]) == ("failed", "corrupt_record")


async def test_a_store_that_is_away_for_a_while_ends_nothing(start: Start, commands: MemoryCommands) -> None:
    server = await start(heal_s=0.01)
    commands.make("thr_1")
    commands.add("thr_1", "INPUT", text="one")
    async with stream(server, "/api/threads/thr_1/events") as reader:
        await reader.next()
        commands.failures["history"] = StoreUnavailable("away")
        commands.add("thr_1", "INPUT", text="two")
        before = len(commands.calls)
        await until(lambda: len(commands.calls) > before + 2)
        del commands.failures["history"]
        assert (await reader.next()).id == "2"


async def test_a_defect_ends_it_visibly(
    start: Start, commands: MemoryCommands, caplog: pytest.LogCaptureFixture
) -> None:
    server = await start(heal_s=0.01)
    commands.make("thr_1")
    commands.add("thr_1", "INPUT", text="one")
    async with stream(server, "/api/threads/thr_1/events") as reader:
        await reader.next()
        commands.failures["history"] = RuntimeError("secret detail")
        (end,) = await reader.to_the_end()
    assert (end.data["reason"], end.data["error"]["code"]) == ("failed", "internal")
    assert "secret" not in end.data["error"]["message"]
    assert "secret detail" in caplog.text


async def test_a_revoked_token_ends_its_streams_and_no_others(
    server: Server, commands: MemoryCommands, tokens: MemoryTokens
) -> None:
    commands.make("thr_1")
    commands.add("thr_1", "INPUT", text="one")
    async with (
        stream(server, "/api/threads/thr_1/events", token="reader") as theirs,
        stream(server, "/api/threads/thr_1/events") as ours,
    ):
        await theirs.next()
        await ours.next()
        await tokens.revoke("reader", OWNER)
        (end,) = await theirs.to_the_end()
        assert (end.data["reason"], end.data["error"]["code"]) == ("revoked", "unauthorized")
        commands.add("thr_1", "INPUT", text="two")
        assert (await ours.next()).id == "2"


@pytest.mark.parametrize(
    ("query", "headers", "says"),
    [
        ("?after=9", {}, "after: got 9, but 'thr_1' ends at 0"),
        ("", {"Last-Event-ID": "9"}, "after: got 9, but"),
        ("", {"Last-Event-ID": "x"}, "Last-Event-ID: got 'x', expected the number"),
        ("?limit=3", {}, "limit: no such field"),
    ],
)
async def test_a_place_that_is_not_there_is_refused(
    server: Server, commands: MemoryCommands, query: str, headers: dict[str, str], says: str
) -> None:
    commands.make("thr_1")
    async with browse(server) as http:
        answer = await http.get(f"/api/threads/thr_1/events{query}", headers=STREAM | headers)
        assert says in wrong(answer, 400, "invalid_input")
        wrong(await http.get("/api/threads/thr_2/events", headers=STREAM), 404, "not_found")


async def test_there_is_an_end_to_how_many_there_can_be(start: Start, commands: MemoryCommands) -> None:
    server = await start(streams=2)
    commands.make("thr_1")
    commands.add("thr_1", "INPUT", text="one")
    async with stream(server, "/api/threads/thr_1/events") as one, stream(server, "/api/threads/thr_1/events") as two:
        await one.next()
        await two.next()
        async with browse(server) as http:
            wrong(await http.get("/api/threads/thr_1/events", headers=STREAM), 429, "busy")
            turn = await http.post("/api/threads/thr_1/turns", json={"text": "hi"}, headers=STREAM)
            wrong(turn, 429, "busy")
    assert not [call for call in commands.calls if call[0] == "send"]


# -------------------------------------------------------------------------------------------------------- a slow reader


async def test_a_reader_that_is_stuck_is_cut_off(start: Start, commands: MemoryCommands) -> None:
    server = await start(queue_bytes=10_000, stall_s=0.05, close_s=0.05)
    commands.make("thr_1")
    async with Raw.connect(server) as peer:
        await peer.send(head("GET /api/threads/thr_1/events", "Accept: text/event-stream"))
        await until(lambda: commands.listeners("thr_1"))
        cast(asyncio.Transport, peer.writer.transport).pause_reading()
        for _ in range(200):
            commands.add("thr_1", "INPUT", text="x" * 100_000)
        await until(lambda: commands.listeners("thr_1") == 0)
        await until(lambda: server.connections == 0)


async def test_a_reader_that_is_stuck_is_gone_within_a_second_when_its_token_is_revoked(
    start: Start, commands: MemoryCommands, tokens: MemoryTokens, manual_clock: ManualClock
) -> None:
    server = await start(clock=manual_clock)
    commands.make("thr_1")
    async with Raw.connect(server) as peer:
        await peer.send(head("GET /api/threads/thr_1/events", "Accept: text/event-stream"))
        await until(lambda: commands.listeners("thr_1"))
        cast(asyncio.Transport, peer.writer.transport).pause_reading()
        for _ in range(200):
            commands.add("thr_1", "INPUT", text="x" * 100_000)
        (connection,) = server._uvicorn.server_state.connections
        await until(lambda: cast(Http, connection).flow.write_paused)
        await tokens.revoke("owner", OWNER)
        await manual_clock.advance(1.0)
        await until(lambda: server.connections == 0)


async def test_a_reader_that_reads_again_in_time_is_told(start: Start, commands: MemoryCommands) -> None:
    server = await start(queue_bytes=10_000, stall_s=0.05, close_s=PATIENCE_S)
    commands.make("thr_1")
    async with Raw.connect(server) as peer:
        await peer.send(head("GET /api/threads/thr_1/events", "Accept: text/event-stream", "Connection: close"))
        await until(lambda: commands.listeners("thr_1"))
        cast(asyncio.Transport, peer.writer.transport).pause_reading()
        for _ in range(200):
            commands.add("thr_1", "INPUT", text="x" * 100_000)
        await until(lambda: commands.listeners("thr_1") == 0)
        cast(asyncio.Transport, peer.writer.transport).resume_reading()
        rest = await peer.rest()
    assert b'event: end\ndata: {"reason":"too_slow"' in rest
    assert rest.endswith(b"\r\n0\r\n\r\n")


# ------------------------------------------------------------------------------------------------------------ stopping


async def test_a_daemon_that_stops_says_so_and_shows_what_has_happened(
    commands: MemoryCommands, tokens: MemoryTokens
) -> None:
    clock = SystemClock()
    app = build_app(commands, tokens, GatewayConfig("1"), clock, make_id=random_id)
    server = await serve(app, bind("127.0.0.1", 0), clock)
    commands.make("thr_1")
    commands.add("thr_1", "INPUT", text="one")
    async with stream(server, "/api/threads/thr_1/events") as reader:
        await reader.next()
        commands.deaf = True
        commands.add("thr_1", "INPUT", text="two")
        await app.settle(PATIENCE_S)
        found = await reader.to_the_end()
        assert [(block.id, block.data.get("reason")) for block in found] == [("2", None), (None, "stopping")]
        async with browse(server) as http:
            wrong(await http.get("/api/threads/thr_1/events", headers=STREAM), 503, "shutting_down")
    await server.stop(1.0)


@pytest.mark.parametrize("hangs", [False, True])
async def test_a_daemon_that_stops_says_so_also_when_its_store_is_away(
    commands: MemoryCommands, tokens: MemoryTokens, manual_clock: ManualClock, hangs: bool
) -> None:
    app = build_app(commands, tokens, GatewayConfig("1"), manual_clock, make_id=random_id)
    server = await serve(app, bind("127.0.0.1", 0), SystemClock())
    commands.make("thr_1")
    commands.add("thr_1", "INPUT", text="one")
    async with stream(server, "/api/threads/thr_1/events") as reader:
        await reader.next()
        if hangs:
            commands.gates["history"] = asyncio.Event()
        else:
            commands.failures["history"] = StoreUnavailable("away")
        settling = asyncio.ensure_future(app.settle(0.4))
        await manual_clock.advance(0.2)
        found = await reader.to_the_end()
        await settling
        assert [block.data.get("reason") for block in found] == ["stopping"]
    await server.stop(1.0)


async def test_a_stream_that_was_asked_for_while_the_daemon_stops_is_told_so(
    commands: MemoryCommands, tokens: MemoryTokens
) -> None:
    clock = SystemClock()
    app = build_app(commands, tokens, GatewayConfig("1"), clock, make_id=random_id)
    server = await serve(app, bind("127.0.0.1", 0), clock)
    commands.make("thr_1")
    commands.gates["last_seq"] = gate = asyncio.Event()

    async def follow() -> list[object]:
        async with stream(server, "/api/threads/thr_1/events") as reader:
            return [block.data.get("reason") for block in await reader.to_the_end()]

    following = asyncio.ensure_future(follow())
    await until(lambda: any(call[0] == "last_seq" for call in commands.calls))
    await app.settle(PATIENCE_S)
    gate.set()
    async with asyncio.timeout(PATIENCE_S):
        assert await following == ["stopping"]
    await server.stop(1.0)


# --------------------------------------------------------------------------------------------------------- sub-agents


def starts(commands: MemoryCommands, child: str, parent: str = "thr_1", run_id: str = "run_1") -> str:
    """A thread sets a sub-agent to work; its thread."""
    thread_id = commands.make(child_thread(child))
    commands.add(parent, "CHILD_STARTED", run_id, id=child, thread_id=thread_id)
    commands.add(thread_id, "INPUT", f"run_{child}", text=f"for {child}")
    return thread_id


def reports(commands: MemoryCommands, child: str, parent: str = "thr_1", run_id: str = "run_1") -> None:
    commands.add(child_thread(child), "RUN_FINISHED", f"run_{child}")
    commands.add(parent, "ANSWER", run_id, wait_id=f"child:{child}")
    commands.add(child_thread(child), "CHILD_REPORTED", f"run_{child}", id=child)


def kept(blocks: list[Block]) -> list[tuple[str, int]]:
    return [(block.data["thread_id"], block.data["seq"]) for block in blocks]


async def test_what_sub_agents_do_is_shown_to_whoever_asks(server: Server, commands: MemoryCommands) -> None:
    commands.make("thr_1")
    async with stream(server, "/api/threads/thr_1/events?children=true") as reader:
        child = starts(commands, "a")
        first = await reader.take(2)
        assert kept(first) == [("thr_1", 1), (child, 1)]
        assert [block.id for block in first] == [f"1,{child}=0", f"1,{child}=1"]
        commands.add(child, "MODEL_STARTED", "run_a", message_id="m")
        commands.show(child, "TEXT_MESSAGE_CONTENT", "run_a", message_id="m", offset=0, delta="Hel")
        assert (await reader.take(2))[-1].data["data"]["delta"] == "Hel"
        reports(commands, "a")
        commands.forget(child)
        assert [block.id for block in await reader.take(3)][-1] == "2"


async def test_who_does_not_ask_is_shown_none(server: Server, commands: MemoryCommands) -> None:
    commands.make("thr_1")
    async with stream(server, "/api/threads/thr_1/events?children=false") as reader:
        starts(commands, "a")
        commands.add("thr_1", "INPUT", text="x")
        assert [block.id for block in await reader.take(2)] == ["1", "2"]


async def test_a_client_that_drops_at_any_event_gets_each_of_a_family_once(
    server: Server, commands: MemoryCommands
) -> None:
    commands.make("thr_1")
    one, _ = starts(commands, "one"), starts(commands, "two")
    starts(commands, "deep", parent=one, run_id="run_one")
    reports(commands, "two")
    reports(commands, "deep", parent=one, run_id="run_one")
    reports(commands, "one")
    three = starts(commands, "three")
    commands.add(three, "INPUT", "run_three", text="x")
    path, count = "/api/threads/thr_1/events?children=true", sum(len(one.log) for one in commands._threads.values())
    async with stream(server, path) as reader:
        whole = await reader.take(count)
    assert len(set(kept(whole))) == count
    for cut in range(1, count):
        async with stream(server, path, Last_Event_ID=whole[cut - 1].id or "") as reader:
            rest = await reader.take(count - cut)
        assert sorted(kept(whole[:cut] + rest)) == sorted(kept(whole)), cut


async def test_a_sub_agent_that_is_gone_is_told(start: Start, commands: MemoryCommands) -> None:
    server = await start(heal_s=0.01)
    commands.make("thr_1")
    async with stream(server, "/api/threads/thr_1/events?children=true") as reader:
        child = starts(commands, "a")
        await reader.take(2)
        commands.forget(child)
        ended = await reader.next()
        assert (ended.event, ended.data["thread_id"], ended.data["error"]["code"]) == (
            "child_ended",
            child,
            "not_found",
        )
        commands.add("thr_1", "INPUT", text="x")
        assert (await reader.next()).id == "2"


async def test_a_turn_is_shown_with_its_sub_agents_and_with_no_others(server: Server, commands: MemoryCommands) -> None:
    commands.make("thr_1")
    starts(commands, "before", run_id="run_0")
    path, body = "/api/threads/thr_1/turns?children=true", {"text": "hello", "message_id": "m1"}

    async with stream(server, path, body) as reader:
        run_id = (await reader.next()).data["run_id"]
        commands.add("thr_1", "RUN_STARTED", run_id)
        child = starts(commands, "a", run_id=run_id)
        deep = starts(commands, "deep", parent=child, run_id="run_a")
        other = starts(commands, "other", run_id="run_9")
        reports(commands, "deep", parent=child, run_id="run_a")
        reports(commands, "a", run_id=run_id)
        commands.add("thr_1", "RUN_FINISHED", run_id)
        found = await reader.to_the_end()
    assert found[-1].data == {"reason": "finished"}
    of_children = {one for one, _ in kept(found[:-1])} - {"thr_1"}
    assert of_children == {child, deep}
    assert {seq for one, seq in kept(found[:-1]) if one == "thr_1"} == {3, 4, 6, 7}
    assert other not in of_children
    # Whoever comes back with the last thing that they have gets the rest, once.
    for cut in range(1, len(found) - 1):
        last = found[cut - 1].id or ""
        async with stream(server, path, body, Last_Event_ID=last) as reader:
            rest = await reader.to_the_end()
        assert sorted(kept(found[:cut] + rest[:-1])) >= sorted(kept(found[:-1])), cut
        assert len(set(kept(rest[:-1]))) == len(rest) - 1
        both = set(kept(found[:cut])) & set(kept(rest[:-1]))
        assert not both, (cut, both)
