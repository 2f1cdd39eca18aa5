"""A row is kept of each turn that took a route, once, whatever dies in between, and no word of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, cast

import pytest

from sulla.core.ids import ThreadId
from sulla.core.units import DAY_MS
from sulla.routes.audit.record import AuditReader, AuditRow, day_key, decode, encode, ends_ms
from sulla.routes.audit.recorder import RouteAudit
from sulla.routes.cli.audit import lines
from sulla.store.memory import MemoryStore
from sulla.store.values import Record
from sulla.terminal.table import Paper
from sulla.testing.clock import ManualClock
from sulla.testing.mortal import Killed, Mortal
from sulla.testing.provider import ScriptedProvider
from sulla.threads.follower import LogFollower
from tests.routes.test_node import FIXED, calls, table, world
from tests.routes.world import RouteWorld
from tests.threads.rounds import round_of

ROW = AuditRow("audit_1", 5 * DAY_MS + 7, "incident", "incident", "fire", mode="fixed", thread_id="thr_1")


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    store = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await store.open()
    yield store
    await store.close()


def audit_of(home: RouteWorld, store: Any) -> RouteAudit:
    return RouteAudit(home.threads, store, "home:1", lambda: home.table is not None)


async def caught_up(home: RouteWorld, store: Any) -> RouteAudit:
    """With all rows written."""
    kept = audit_of(home, store)
    follower = LogFollower("route_audit", kept, home.threads, store, home.clock)
    await round_of(follower, cast("ManualClock", home.clock))
    return kept


def test_a_row_comes_back_as_it_was() -> None:
    draft = encode(ROW)
    assert decode(Record(1, draft.kind, True, draft.body), "key") == ROW


def test_a_day_has_a_log_of_its_own() -> None:
    assert day_key(5 * DAY_MS) == day_key(6 * DAY_MS - 1) != day_key(6 * DAY_MS)
    assert ends_ms(day_key(5 * DAY_MS)) == 6 * DAY_MS
    assert sorted([day_key(20_000 * DAY_MS), day_key(999 * DAY_MS)]) == [
        day_key(999 * DAY_MS),
        day_key(20_000 * DAY_MS),
    ]


async def test_each_turn_that_took_a_route_has_a_row_without_a_word_of_it(store: MemoryStore) -> None:
    home = world(store, calls("helplines"), "Call 112.", "No.", calls("recall"), "Tea.")
    thread = await home.thread()
    for said in ("The kitchen is on fire!", "How many people live in Paris?", "What do I like?"):
        await home.say(thread, said)
    rows = await (await caught_up(home, store)).rows(0, 10)
    assert {(row.route, row.gate, row.mode, row.made, row.first_route, row.outcome) for row in rows} == {
        ("incident", "fire", "model", False, "", "done"),
        ("grounded", "cities", "tool", True, "", "done"),
        ("memory", "", "model", False, "default", "done"),
    }
    assert {row.thread_id for row in rows} == {thread}
    assert all(row.run_id for row in rows)
    text = str(rows)
    assert not any(word in text for word in ("kitchen", "Paris", "112", "Tea"))


async def test_a_turn_without_a_route_has_none(store: MemoryStore) -> None:
    home = RouteWorld(store, table(), ScriptedProvider(["Hi."]))
    home.table = None
    thread = await home.thread()
    await home.say(thread, "Hello")
    home.table = table()
    assert await (await caught_up(home, store)).rows(0, 10) == []


async def test_a_route_can_leave_out_whose_it_was_or_all_of_it(store: MemoryStore) -> None:
    home = world(
        store,
        *(calls("helplines"), "Call 112.", "Smoke?"),
        routes=table(incident={"audit": "anonymous"}, clarify={"audit": "none"}),
    )
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    await home.say(thread, "It smells odd.")
    (row,) = await (await caught_up(home, store)).rows(0, 10)
    assert (row.route, row.thread_id, row.run_id) == ("incident", "", "")


async def test_why_a_fixed_text_was_said_is_kept(store: MemoryStore) -> None:
    home = RouteWorld(store, table(), ScriptedProvider())
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    assert await home.shown(thread) == [FIXED]
    (row,) = await (await caught_up(home, store)).rows(0, 10)
    assert (row.mode, row.outcome) == ("fixed", "done")
    assert "requires the tool 'helplines', which the agent 'sulla' does not have" in row.fixed_why


@pytest.mark.parametrize("change", ["offer", "put"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
async def test_a_death_between_two_rows_loses_none_and_writes_none_twice(
    store: MemoryStore, change: Any, after: bool
) -> None:
    home = world(store, calls("helplines"), "Call 112.", calls("helplines"), "Call 112 again.")
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    await home.say(thread, "The hall is on fire!")
    mortal: Any = Mortal(store, 1, after=after, changes=(change,))
    try:
        await caught_up(home, mortal)
    except* Killed:
        assert mortal.dead
    assert mortal.dead
    kept = await caught_up(home, store)
    await caught_up(home, store)
    assert len(await kept.rows(0, 10)) == 2


async def test_rows_of_old_days_can_go_and_stay_gone(store: MemoryStore) -> None:
    home = world(store, calls("helplines"), "Call 112.", calls("helplines"), "Call 112 again.")
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    first_ms = round(home.clock.now() * 1000)
    await home.clock.advance(DAY_MS / 1000)
    await home.say(thread, "The hall is on fire!")
    kept = await caught_up(home, store)
    assert await kept.purge(first_ms) == 0
    assert await kept.purge(ends_ms(day_key(first_ms))) == 1
    assert await kept.purge(ends_ms(day_key(first_ms))) == 0
    kept = await caught_up(home, store)
    (row,) = await kept.rows(0, 10)
    assert row.at > first_ms
    assert await kept.rows(row.at + 1, 10) == []


async def test_a_turn_that_is_under_way_is_read_again_from_its_beginning(store: MemoryStore) -> None:
    home = world(store, calls("helplines"), "Call 112.")
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    entries = await home.log(thread)
    reader = AuditReader(ThreadId(thread), 0)
    assert reader.read(entries[:-1]) == []
    again = AuditReader(ThreadId(thread), reader.after)
    (row,) = again.read([entry for entry in entries if entry.seq > reader.after])
    assert (row.route, row.gate) == ("incident", "fire")


def test_what_people_read_of_a_row() -> None:
    given = {**ROW.data(), "at": "2027-01-15T08:00:00.000Z", "first_route": "", "made": True, "fixed_why": "x"}
    given |= {"style": "calm", "gate": "fire", "outcome": "done", "took_ms": 7, "thread_id": "thr_1"}
    (line,) = lines([given], Paper(80, colour=False))
    assert (
        "incident (incident) by fire: fixed, called in the model's place, style calm, fixed text: x; done after 7 ms"
        in line
    )
    assert list(lines([], Paper(80, colour=False))) == ["no turn has taken a route"]
