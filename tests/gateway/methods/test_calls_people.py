"""Who is there follows from what people do, and what they are told reaches them wherever they are, once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import httpx
import pytest

from sulla.core.errors import StoreUnavailable
from sulla.gateway.server.server import Server
from sulla.testing.clock import ManualClock
from tests.doubles.commands import MemoryCommands
from tests.gateway.conftest import Connect, Start
from tests.gateway.peer import PATIENCE_S, Frame, Peer, Raw
from tests.gateway.rest.test_app import browse

PAGE = {"kind": "page", "title": "Trains", "ago_s": 40}


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not holds():
            await asyncio.sleep(0)


async def told(peer: Peer) -> Frame:
    frame = await peer.notice()
    assert frame["method"] == "notice", frame
    params: Frame = frame["params"]
    return params


# ------------------------------------------------------------------------------------------------------------ presence


async def test_a_client_is_there_from_its_hello_to_its_end(server: Server, commands: MemoryCommands) -> None:
    async with Peer.connect(server) as peer:
        assert commands.people.told == []
        await peer.hello()
        await until(lambda: commands.people.told == [("come", "owner", "test")])
    await until(lambda: commands.people.told[-1] == ("leave",))


async def test_who_was_not_let_in_was_never_there(server: Server, commands: MemoryCommands) -> None:
    async with Peer.connect(server) as peer:
        await peer.ask("hello", client={"name": "test", "version": "1"}, protocol=1, token="nobody's")
        await peer.closed()
    assert commands.people.told == []


@pytest.mark.parametrize(
    ("method", "params", "ago_s"),
    [
        ("turn.send", {"thread_id": "thr_1", "message_id": "m", "text": "hi"}, 0),
        ("turn.stop", {"thread_id": "thr_1"}, 0),
        ("turn.continue", {"thread_id": "thr_1"}, 0),
        ("approval.answer", {"thread_id": "thr_1", "id": "approval:a:b", "verdict": "approve"}, 0),
        ("environment.report", {"thread_id": "thr_1", "events": [PAGE, {**PAGE, "ago_s": 7}]}, 7),
        ("presence.report", {"idle_s": 90}, 90),
        ("speech.chunk", {"thread_id": "thr_1", "utterance_id": "u", "seq": 0, "kind": "delta", "text": "hi"}, 0),
    ],
)
async def test_what_people_do_counts(
    connect: Connect, commands: MemoryCommands, method: str, params: Frame, ago_s: float
) -> None:
    commands.make("thr_1")
    peer = await connect()
    await peer.call(method, **params)
    assert commands.people.told[-1] == ("active", "owner", "ws", ago_s)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("system.status", {}),
        ("thread.list", {}),
        ("events.subscribe", {"thread_id": "thr_1"}),
        ("notice.subscribe", {}),
        ("notice.seen", {"ids": ["ntc_1"]}),
        ("presence.list", {}),
        ("presence.report", {"available": False}),
    ],
)
async def test_what_a_client_does_by_itself_does_not(
    connect: Connect, commands: MemoryCommands, method: str, params: Frame
) -> None:
    commands.make("thr_1")
    commands.notices.add("Tea is ready.")
    peer = await connect()
    await peer.call(method, **params)
    assert [one for one in commands.people.told if one[0] == "active"] == []


async def test_what_was_refused_was_not_done(connect: Connect, commands: MemoryCommands) -> None:
    peer = await connect()
    await peer.fail("turn.send", thread_id="thr_no", message_id="m", text="hi")
    assert commands.people.told == [("come", "owner", "test")]


async def test_a_client_says_how_its_person_is(connect: Connect, commands: MemoryCommands) -> None:
    peer = await connect()
    assert await peer.call("presence.report", available=False, activity="in a talk") == {"taken": True}
    assert commands.people.told[-1] == ("report", False, "in a talk")
    (row,) = (await peer.call("presence.list"))["people"]
    assert (row["person"], row["connected"], row["client"], row["available"]) == ("owner", ["desktop"], "desktop", True)
    assert row["active_at"] == "2027-01-15T08:00:00.000Z"


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"idle_s": -1}, "params.idle_s: got -1, expected greater than or equal to 0"),
        ({"idle_s": 10**9}, "params.idle_s: got 1000000000"),
        ({"idle_s": "long"}, "params.idle_s: got 'long'"),
        ({"activity": "x" * 81}, "params.activity: got 81 characters, expected at most 80"),
        ({"activity": "a\nb"}, "params.activity: got 'a\\nb', expected one line"),
        ({"available": 1}, "params.available: got 1"),
        ({"idle": 1}, "params.idle: no such field; did you mean 'idle_s'?"),
    ],
)
async def test_what_is_wrong_in_it_is_named(
    connect: Connect, commands: MemoryCommands, params: Frame, said: str
) -> None:
    peer = await connect()
    error = await peer.fail("presence.report", **params)
    assert said in error["message"]
    assert commands.people.told == [("come", "owner", "test")]


async def test_over_rest_activity_counts_and_there_is_nobody_to_be_connected(
    server: Server, commands: MemoryCommands
) -> None:
    async with browse(server) as http:
        assert (await http.post("/api/presence", json={"idle_s": 5})).json() == {"taken": True}
        assert (await http.post("/api/presence", json={"available": True})).json() == {"taken": False}
        assert (await http.get("/api/presence")).json()["people"][0]["person"] == "owner"
    assert [one for one in commands.people.told if one[0] in ("active", "come")] == [("active", "owner", "rest", 5)]


# ------------------------------------------------------------------------------------------------------------- notices


async def test_what_was_told_before_somebody_came_waits_and_comes_once(
    connect: Connect, commands: MemoryCommands
) -> None:
    commands.notices.add("Tea is ready.")
    commands.notices.add("The cake too.")
    peer = await connect()
    assert await peer.call("notice.subscribe") == {"waiting": 2}
    first, second = await told(peer), await told(peer)
    assert (first["text"], second["text"]) == ("Tea is ready.", "The cake too.")
    assert first == {
        "id": "ntc_1",
        "thread_id": "thr_1",
        "run_id": "run_1",
        "agent": "sulla",
        "text": "Tea is ready.",
        "urgency": "normal",
        "tainted": False,
        "at": "2027-01-15T08:00:00.001Z",
        "seen": [],
    }
    assert await peer.call("notice.seen", ids=["ntc_1", "ntc_2"]) == {"new": 2}
    again = await connect()
    assert await again.call("notice.subscribe") == {"waiting": 0}
    commands.notices.add("More tea.")
    assert (await told(again))["text"] == (await told(peer))["text"] == "More tea."


async def test_a_notice_waits_for_each_person(connect: Connect, commands: MemoryCommands) -> None:
    commands.notices.add("Tea is ready.")
    peer, reader = await connect(), await connect(token="reader")
    await peer.call("notice.seen", ids=["ntc_1"])
    assert await reader.call("notice.subscribe") == {"waiting": 1}
    assert [one["person"] for one in (await told(reader))["seen"]] == ["owner"]


async def test_who_did_not_ask_is_not_told(connect: Connect, commands: MemoryCommands) -> None:
    peer, other = await connect(), await connect()
    await peer.call("notice.subscribe")
    commands.notices.add("Tea is ready.")
    await told(peer)
    await other.call("thread.list")
    assert other.ahead == []


async def test_one_connection_is_told_once_however_often_it_asks(connect: Connect, commands: MemoryCommands) -> None:
    peer = await connect()
    await peer.call("notice.subscribe")
    assert (await peer.fail("notice.subscribe"))["data"]["code"] == "conflict"
    commands.notices.add("Tea is ready.")
    await told(peer)
    await peer.call("thread.list")
    assert peer.ahead == []


async def test_who_could_not_be_told_may_ask_again(
    connect: Connect, commands: MemoryCommands, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(person: str) -> int:
        raise StoreUnavailable("the store does not answer")

    peer = await connect()
    with monkeypatch.context() as patch:
        patch.setattr(commands.notices, "waiting", away)
        assert (await peer.fail("notice.subscribe"))["data"]["code"] == "store_unavailable"
    assert await peer.call("notice.subscribe") == {"waiting": 0}


async def test_a_client_that_leaves_is_followed_by_nobody(server: Server, commands: MemoryCommands) -> None:
    async with Peer.connect(server) as peer:
        await peer.hello()
        await peer.call("notice.subscribe")
        await until(lambda: len(commands.notices.followers) == 1)
    await until(lambda: not commands.notices.followers)


async def test_a_client_that_reads_nothing_holds_up_neither_who_tells_nor_who_reads(
    start: Start,
    connect: Connect,
    commands: MemoryCommands,
    raw: Callable[..., Awaitable[Raw]],
    manual_clock: ManualClock,
) -> None:
    server = await start(clock=manual_clock, queue_bytes=4_096)
    peer, stuck = await connect(server), await raw(server)
    await stuck.upgrade()
    await stuck.hello()
    await stuck.text({"jsonrpc": "2.0", "id": 1, "method": "notice.subscribe", "params": {}})
    await until(lambda: len(commands.notices.followers) == 1)
    await peer.call("notice.subscribe")
    for number in range(4_000):
        commands.notices.add(f"{number} " + "x" * 1_990)
    async with asyncio.timeout(4 * PATIENCE_S):
        for number in range(4_000):
            assert (await told(peer))["text"].startswith(f"{number} ")
    assert len(commands.notices.followers) == 2, "both have had all the time they need"
    await manual_clock.advance(10.0)
    await until(lambda: len(commands.notices.followers) == 1)  # the stuck one is let go


async def test_the_list_comes_in_pages_the_newest_first(connect: Connect, commands: MemoryCommands) -> None:
    for number in range(5):
        commands.notices.add(f"note {number}")
    peer = await connect(token="reader")
    await peer.call("notice.seen", ids=["ntc_5"])
    first = await peer.call("notice.list", limit=2)
    assert [row["id"] for row in first["notices"]] == ["ntc_5", "ntc_4"]
    assert first["notices"][0]["seen"][0]["person"] == "reader"
    rest = await peer.call("notice.list", after=first["next"], limit=200)
    assert ([row["id"] for row in rest["notices"]], rest["next"]) == (["ntc_3", "ntc_2", "ntc_1"], None)
    mine = await peer.call("notice.list", unseen="mine")
    assert [row["id"] for row in mine["notices"]] == ["ntc_4", "ntc_3", "ntc_2", "ntc_1"]
    assert (await peer.fail("notice.list", after="ntc_9"))["data"]["code"] == "not_found"


async def test_over_rest_they_are_listed_and_marked(server: Server, commands: MemoryCommands) -> None:
    commands.notices.add("Tea is ready.")
    async with browse(server) as http:
        assert (await http.post("/api/notices/seen", json={"ids": ["ntc_1"]})).json() == {"new": 1}
        listed = (await http.get("/api/notices", params={"limit": 1})).json()
        assert listed["notices"][0]["seen"][0]["person"] == "owner"
        assert (await http.get("/api/notices", params={"unseen": "mine"})).json()["notices"] == []
        wrong: httpx.Response = await http.post("/api/notices/seen", json={"ids": []})
        assert (wrong.status_code, wrong.json()["error"]["message"]) == (400, "ids: got 0 items, expected at least 1")
