"""A turn as a stream, from its message to its end, and what becomes of it when its client leaves."""

from __future__ import annotations

import asyncio

import pytest

from sulla.access.principal import ALL_SCOPES, Principal
from sulla.gateway.server.server import Server
from tests.doubles.commands import MemoryCommands
from tests.doubles.tokens import MemoryTokens
from tests.gateway.conftest import Start
from tests.gateway.peer import Raw, until
from tests.gateway.reading import STREAM, stream, types
from tests.gateway.rest.test_app import browse, head, wrong

OWNER = Principal("owner", ALL_SCOPES)


def play(commands: MemoryCommands, thread_id: str, run_id: str, text: str = "Hello") -> None:
    """A turn's events, from its beginning to its end."""
    commands.add(thread_id, "RUN_STARTED", run_id)
    commands.add(thread_id, "MODEL_STARTED", run_id, message_id=f"msg_{run_id}")
    commands.show(thread_id, "TEXT_MESSAGE_CONTENT", run_id, message_id=f"msg_{run_id}", offset=0, delta=text)
    commands.add(thread_id, "TEXT_MESSAGE_END", run_id, message_id=f"msg_{run_id}", text=text)
    commands.add(thread_id, "RUN_FINISHED", run_id)


# -------------------------------------------------------------------------------------------------------------- a turn


async def test_a_turn_is_shown_to_its_end(server: Server, commands: MemoryCommands) -> None:
    commands.make("thr_1")
    async with stream(server, "/api/threads/thr_1/turns", {"text": "hello", "message_id": "m1"}) as reader:
        kept = await reader.next()
        assert (kept.id, kept.event, kept.data["data"]["message_id"]) == ("1", "INPUT", "m1")
        play(commands, "thr_1", kept.data["run_id"])
        found = await reader.to_the_end()
    assert [item for item in types(found) if item != "TEXT_MESSAGE_CONTENT"] == [
        *("RUN_STARTED", "MODEL_STARTED", "TEXT_MESSAGE_END", "RUN_FINISHED", "end")
    ]
    assert found[-1].data == {"reason": "finished"}


async def test_other_turns_are_not_shown(server: Server, commands: MemoryCommands) -> None:
    commands.make("thr_1")
    commands.add("thr_1", "INPUT", "run_before", text="before")
    async with stream(server, "/api/threads/thr_1/turns", {"text": "hello"}) as reader:
        kept = await reader.next()
        play(commands, "thr_1", "run_before")
        commands.add("thr_1", "INPUT", "run_behind", text="behind")
        play(commands, "thr_1", kept.data["run_id"])
        play(commands, "thr_1", "run_behind")
        found = await reader.to_the_end()
    assert {block.data["run_id"] for block in found[:-1]} == {kept.data["run_id"]}


async def test_a_turn_that_fails_ends_too(server: Server, commands: MemoryCommands) -> None:
    commands.make("thr_1")
    async with stream(server, "/api/threads/thr_1/turns", {"text": "hello"}) as reader:
        kept = await reader.next()
        commands.add("thr_1", "RUN_ERROR", kept.data["run_id"], code="provider_error")
        assert types(await reader.to_the_end()) == ["RUN_ERROR", "end"]


@pytest.mark.parametrize(("last", "shown"), [("1", 5), ("3", 3), ("5", 1)])
async def test_the_same_message_again_shows_what_is_missing_of_its_turn(
    server: Server, commands: MemoryCommands, last: str, shown: int
) -> None:
    commands.make("thr_1")
    body = {"text": "hello", "message_id": "m1"}
    async with stream(server, "/api/threads/thr_1/turns", body) as reader:
        run_id = (await reader.next()).data["run_id"]
    play(commands, "thr_1", run_id)
    async with stream(server, "/api/threads/thr_1/turns", body, Last_Event_ID=last) as reader:
        found = await reader.to_the_end()
    assert len(found) == shown
    assert await commands.last_seq("thr_1") == 5


async def test_nothing_is_kept_if_it_cannot_be_shown(server: Server, commands: MemoryCommands) -> None:
    commands.make("thr_1")
    async with browse(server) as http:
        answer = await http.post(
            "/api/threads/thr_1/turns", json={"text": "hi"}, headers=STREAM | {"Last-Event-ID": "9"}
        )
        wrong(answer, 400, "invalid_input")
    assert await commands.last_seq("thr_1") == 0


async def test_who_may_not_read_is_not_shown_what_he_asked(
    server: Server, commands: MemoryCommands, tokens: MemoryTokens
) -> None:
    made = await tokens.create("writer", frozenset({"write"}), None, OWNER)
    commands.make("thr_1")
    async with browse(server, {"Authorization": f"Bearer {made.secret}"}) as http:
        answer = await http.post("/api/threads/thr_1/turns", json={"text": "hi"}, headers=STREAM)
        assert "'read'" in wrong(answer, 403, "forbidden")
        assert (await http.post("/api/threads/thr_1/turns", json={"text": "hi"})).status_code == 202
    assert await commands.last_seq("thr_1") == 1


# ------------------------------------------------------------------------------------------------------------- leaving


def stops(commands: MemoryCommands) -> int:
    return sum(call[0] == "stop" for call in commands.calls)


async def test_a_turn_goes_on_when_its_client_leaves(server: Server, commands: MemoryCommands) -> None:
    commands.make("thr_1")
    async with stream(server, "/api/threads/thr_1/turns", {"text": "hello"}) as reader:
        commands.add("thr_1", "RUN_STARTED", (await reader.next()).data["run_id"])
    await until(lambda: commands.listeners("thr_1") == 0)
    await until(lambda: server.connections == 0)
    assert stops(commands) == 0


async def test_a_turn_is_stopped_when_its_client_leaves_if_that_is_set(start: Start, commands: MemoryCommands) -> None:
    server = await start(on_leave="stop")
    commands.make("thr_1")
    async with stream(server, "/api/threads/thr_1/turns", {"text": "hello"}) as reader:
        commands.add("thr_1", "RUN_STARTED", (await reader.next()).data["run_id"])
        await reader.next()
    await until(lambda: stops(commands) == 1)


async def test_a_client_that_leaves_before_the_first_event_has_its_turn_stopped_too(
    start: Start, commands: MemoryCommands
) -> None:
    server = await start(on_leave="stop")
    commands.make("thr_1")
    commands.gates["send"] = asyncio.Event()
    async with Raw.connect(server) as peer:
        body = b'{"text":"hello"}'
        lines = ("Accept: text/event-stream", f"Content-Length: {len(body)}")
        await peer.send(head("POST /api/threads/thr_1/turns", *lines) + body)
        await until(lambda: any(call[0] == "send" for call in commands.calls))
    await until(lambda: server.connections == 0)
    commands.gates["send"].set()
    await until(lambda: commands.listeners("thr_1"))
    assert stops(commands) == 0
    (kept,) = await commands.history("thr_1", 0, None, 9)
    commands.add("thr_1", "RUN_STARTED", kept.run_id)
    await until(lambda: stops(commands) == 1)


async def test_the_stop_waits_for_the_turn_that_it_is_for(start: Start, commands: MemoryCommands) -> None:
    server = await start(on_leave="stop")
    commands.make("thr_1")
    commands.add("thr_1", "RUN_STARTED", "run_other")
    async with stream(server, "/api/threads/thr_1/turns", {"text": "hello"}) as reader:
        run_id = (await reader.next()).data["run_id"]
    await until(lambda: server.connections == 0)
    await until(lambda: commands.listeners("thr_1"))
    commands.add("thr_1", "RUN_FINISHED", "run_other")
    await until(lambda: len(commands.calls) > 4)
    assert stops(commands) == 0
    commands.add("thr_1", "RUN_STARTED", run_id)
    await until(lambda: stops(commands) == 1)


async def test_a_turn_that_is_over_is_not_stopped(start: Start, commands: MemoryCommands) -> None:
    server = await start(on_leave="stop")
    commands.make("thr_1")
    commands.deaf = True  # the client leaves before the stream has heard of the end
    async with stream(server, "/api/threads/thr_1/turns", {"text": "hello"}) as reader:
        play(commands, "thr_1", (await reader.next()).data["run_id"])
    before = len(commands.calls)
    await until(lambda: server.connections == 0)
    await until(lambda: len(commands.calls) > before and commands.listeners("thr_1") == 0)
    assert stops(commands) == 0


async def test_a_turn_without_a_stream_goes_on_whatever_is_set(start: Start, commands: MemoryCommands) -> None:
    server = await start(on_leave="stop")
    commands.make("thr_1")
    async with browse(server) as http:
        await http.post("/api/threads/thr_1/turns", json={"text": "hi"})
    await until(lambda: server.connections == 0)
    assert (stops(commands), commands.listeners("thr_1")) == (0, 0)
