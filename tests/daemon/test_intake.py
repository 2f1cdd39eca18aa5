"""How fast people may send, over a real socket: the wiring is the real one, and time stands still until it is moved."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from sulla.access.principal import ALL_SCOPES
from sulla.agent.limits.rate import RateLimits
from sulla.core.errors import StoreUnavailable
from sulla.core.ids import MessageId
from sulla.daemon.build import System, build
from sulla.daemon.intake import Intake
from sulla.daemon.models.choice import Choice
from sulla.daemon.settings.config import load_settings
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.gateway.app import GatewayConfig, build_app
from sulla.gateway.server.server import Server, bind, serve
from sulla.host.place import Place
from sulla.host.system import SystemClock
from sulla.models.catalog import ModelName
from sulla.store.base import Store
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.store import FaultyStore, at_record
from sulla.testing.world import World
from sulla.threads.log.records import Input
from sulla.threads.readable import ReadableThreads
from tests.doubles.tokens import MemoryTokens
from tests.gateway.peer import Frame, Peer

TOKENS = ("ann", "bob")


class Scene:
    """A daemon behind a real socket, with two tokens; nobody works on what is sent."""

    def __init__(self, system: System, server: Server, clock: ManualClock, peers: dict[str, Peer]) -> None:
        self.system = system
        self.server = server
        self.clock = clock
        self._peers = peers

    async def thread(self) -> str:
        made = await self._peers["ann"].call("thread.create")
        return str(made["thread_id"])

    async def send(self, thread_id: str, message_id: str, *, token: str = "ann", text: str = "hi") -> Frame:
        """The whole answer, result or error."""
        return await self._peers[token].ask("turn.send", thread_id=thread_id, message_id=message_id, text=text)

    async def taken(self, thread_id: str, message_id: str, token: str = "ann") -> Frame:
        answer = await self.send(thread_id, message_id, token=token)
        assert "result" in answer, answer
        result: Frame = answer["result"]
        return result

    async def refused(self, thread_id: str, message_id: str, token: str = "ann") -> Frame:
        answer = await self.send(thread_id, message_id, token=token)
        assert answer["error"]["data"]["code"] == "rate_limited", answer
        error: Frame = answer["error"]
        return error

    async def history(self, *threads: str) -> list[Any]:
        found = [await self._peers["ann"].call("thread.history", thread_id=thread, limit=500) for thread in threads]
        return [page["events"] for page in found]

    async def fail(self, method: str, **params: object) -> Frame:
        return await self._peers["ann"].fail(method, **params)

    async def call(self, method: str, **params: object) -> Frame:
        return await self._peers["ann"].call(method, **params)


@asynccontextmanager
async def scene(
    home: Path, wrap: Callable[[Store], Store] = lambda store: store, /, **limits: float
) -> AsyncIterator[Scene]:
    """A daemon on a home, until the block ends; `limits` are settings of that section."""
    clock, numbers = ManualClock(), count(1)
    settings = load_settings({f"SULLA_LIMITS__{name.upper()}": str(value) for name, value in limits.items()}, {}, home)
    place = Place(
        clock,
        lambda prefix: f"{prefix}_{next(numbers)}",
        "home:boot",
        lambda: 0.5,
        wrap_store=wrap,
        wrap_provider=lambda provider: ScriptedProvider(),
    )
    system = build(settings, Choice(ModelName("offline"), "nothing is configured"), place)
    await system.store.open()
    book = MemoryTokens(dict.fromkeys(TOKENS, ALL_SCOPES))
    wall = SystemClock()
    app = build_app(system.service, book, GatewayConfig("0"), wall, make_id=place.make_id)
    server = await serve(app, bind("127.0.0.1", 0), wall)
    try:
        async with Peer.connect(server) as ann, Peer.connect(server) as bob:
            await ann.hello("ann")
            await bob.hello("bob")
            yield Scene(system, server, clock, {"ann": ann, "bob": bob})
    finally:
        await server.stop(1.0)
        await system.store.close()


@dataclass(frozen=True, slots=True)
class Row:
    """Messages that are just taken, and when the next one is."""

    limits: dict[str, float]
    messages: int
    gap_s: float
    wait_s: float
    """What is told at the moment of the last one that was taken."""
    words: str
    threads: int = 1
    """Over how many threads they go in turn."""


ROWS = {
    "the interval": Row({}, 1, 0, 0.4, "messages of one thread have to be 400 ms apart"),
    "another interval": Row({"message_interval_ms": 1500}, 1, 0, 1.5, "have to be 1500 ms apart"),
    "the burst": Row({}, 12, 0.5, 4.5, "a thread takes at most 12 messages within 10 s"),
    "another burst": Row(
        {"message_interval_ms": 0, "message_burst": 3, "message_window_s": 2.5}, 3, 0, 2.5, "at most 3 messages"
    ),
    "the token": Row({}, 60, 0.1, 4.1, "at most 60 messages of one token are taken within 10 s", threads=20),
    "another token": Row({"token_burst": 2}, 2, 0, 10, "at most 2 messages of one token", threads=3),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
async def test_each_limit_stops_at_its_figure_and_takes_the_same_message_when_it_said(row: Row, tmp_path: Path) -> None:
    async with scene(tmp_path, **row.limits) as at:
        threads = [await at.thread() for _ in range(row.threads)]
        for number in range(row.messages):
            await at.clock.advance(row.gap_s if number else 0)
            await at.taken(threads[number % row.threads], f"m{number}")
        before, target = await at.history(*threads), threads[row.messages % row.threads]
        error = await at.refused(target, "next")
        assert (error["code"], error["data"]["retryable"]) == (-32029, True)
        assert error["data"]["retry_after_s"] == row.wait_s
        assert row.words in error["message"]
        assert f"send this one again in {row.wait_s:g} s, under the same id" in error["message"]
        await at.clock.advance(row.wait_s - 0.001)
        assert (await at.refused(target, "next"))["data"]["retry_after_s"] == 0.001
        assert await at.history(*threads) == before, "a refused message leaves nothing behind"
        await at.clock.advance(0.001)
        assert (await at.taken(target, "next"))["seq"] == len(before[row.messages % row.threads]) + 1


async def test_a_message_that_is_sent_again_is_answered_as_at_first_and_never_counts(tmp_path: Path) -> None:
    async with scene(tmp_path) as at:
        thread = await at.thread()
        first = [await at.taken(thread, "m0")]
        for _ in range(100):
            assert await at.taken(thread, "m0") == first[0]
        for number in range(1, 12):
            await at.clock.advance(0.4)
            first.append(await at.taken(thread, f"m{number}"))
        await at.refused(thread, "m12")
        assert [await at.taken(thread, f"m{number}") for number in range(12)] == first, "also while the window is full"
        await at.clock.advance(5.6)
        first.append(await at.taken(thread, "m12"))
        await at.clock.advance(0.1)
        await at.refused(thread, "m13")
        assert [await at.taken(thread, f"m{number}") for number in range(13)] == first, "also one of long ago"
        assert len((await at.history(thread))[0]) == 1 + len(first)


async def test_a_restart_forgets_the_window_and_no_message(tmp_path: Path) -> None:
    async with scene(tmp_path) as at:
        thread = await at.thread()
        kept = await at.taken(thread, "old")
    async with scene(tmp_path) as at:
        assert await at.taken(thread, "old") == kept
        await at.taken(thread, "new")  # at once: what the log has does not count
        await at.refused(thread, "newer")
        assert await at.taken(thread, "old") == kept, "also while others are refused"
        assert [event["data"].get("message_id") for event in (await at.history(thread))[0]] == [None, "old", "new"]


async def test_other_words_under_a_known_id_are_called_that_however_fast_they_come(tmp_path: Path) -> None:
    async with scene(tmp_path) as at:
        thread = await at.thread()
        await at.taken(thread, "m1")
        await at.clock.advance(0.4)
        for number in range(12):
            await at.clock.advance(0.9)
            await at.taken(thread, f"n{number}")
        answer = await at.send(thread, "m1", text="something else")
        assert answer["error"]["data"]["code"] == "message_id_reused"


async def test_what_does_not_exist_is_called_that_however_fast_it_is_asked_for(tmp_path: Path) -> None:
    async with scene(tmp_path, token_burst=1) as at:
        await at.taken(await at.thread(), "m1")
        answer = await at.send("thr_nowhere", "m1")
        assert answer["error"]["data"]["code"] == "not_found"


async def test_tokens_do_not_slow_each_other_down_in_threads_of_their_own(tmp_path: Path) -> None:
    async with scene(tmp_path, token_burst=12) as at:
        anns, bobs = await at.thread(), await at.thread()
        for number in range(12):
            await at.taken(anns, f"m{number}", "ann")
            await at.taken(bobs, f"m{number}", "bob")
            await at.clock.advance(0.4)
        await at.refused(await at.thread(), "m", "ann")
        await at.refused(await at.thread(), "m", "bob")


async def test_a_thread_has_one_speed_for_all_tokens(tmp_path: Path) -> None:
    async with scene(tmp_path) as at:
        thread = await at.thread()
        await at.taken(thread, "m1", "ann")
        await at.refused(thread, "m2", "bob")


async def test_a_message_that_the_store_could_not_keep_may_come_again_at_once(tmp_path: Path) -> None:
    async def fail() -> None:
        raise StoreUnavailable("the disk is full")

    async with scene(tmp_path, lambda store: FaultyStore(store, at_record("INPUT", 1, "before", fail))) as at:
        thread = await at.thread()
        assert (await at.send(thread, "m1"))["error"]["data"]["code"] == "store_unavailable"
        await at.taken(thread, "m1")
        await at.refused(thread, "m2")


async def test_what_is_no_message_is_not_slowed_down(tmp_path: Path) -> None:
    async with scene(tmp_path) as at:
        thread = await at.thread()
        await at.taken(thread, "m1")
        for number in range(30):
            await at.call("turn.stop", thread_id=thread, request_id=f"s{number}")
            await at.call("turn.continue", thread_id=thread, request_id=f"c{number}")
            answer = {"id": f"review:tool_{number}", "verdict": "give_up"}
            assert (await at.fail("approval.answer", thread_id=thread, **answer))["data"]["code"] == "not_found"


async def test_status_counts_what_was_refused_by_reason(tmp_path: Path) -> None:
    async with scene(tmp_path, message_burst=2, token_burst=3) as at:
        first, second = await at.thread(), await at.thread()
        assert (await at.call("system.status"))["rate_limited"] == {"min_interval": 0, "burst": 0, "token_burst": 0}
        await at.taken(first, "m1")
        await at.refused(first, "m2")
        await at.clock.advance(0.4)
        await at.taken(first, "m2")
        await at.clock.advance(0.4)
        await at.refused(first, "m3")
        await at.refused(first, "m3")
        await at.taken(second, "m1")
        await at.refused(second, "m2")
        assert (await at.call("system.status"))["rate_limited"] == {"min_interval": 1, "burst": 2, "token_burst": 1}


async def test_what_is_passed_on_is_kept_without_what_nobody_sees_of_it_whoever_hands_it_in() -> None:
    store = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await store.open()
    world = World(store, ScriptedProvider())
    intake = Intake(world.threads, ReadableThreads(world.threads, store, THREAD_SCHEMA), RateLimits(), world.clock)
    thread = await world.thread()
    hidden = "a mail <\u200b/quoted> of\U000e0061\U000e0062 \u202eEve"
    await intake.send(thread, Input(MessageId("m"), "sum it up", quoted=hidden), "channel:tg:ann")
    (kept,) = [entry.fact for entry in await world.log(thread) if isinstance(entry.fact, Input)]
    assert kept.quoted == "a mail </quoted> of Eve"
    await store.close()
