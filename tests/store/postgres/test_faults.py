"""The PostgreSQL backend keeps its word when the server dies, stalls, comes back, or does what nobody gets to know."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
from collections.abc import AsyncIterator, Iterator
from itertools import chain

import psycopg
import pytest

from sulla.core.errors import StoreUnavailable
from sulla.host.system import SystemClock, random_id
from sulla.store.base import Store
from sulla.store.postgres import bus as postgres_bus
from sulla.store.postgres import pool as postgres_pool
from sulla.store.postgres.store import PostgresStore
from tests.kits.in_turn import in_turn
from tests.kits.store_world import (
    DIGEST,
    IDLE,
    KEY,
    OPEN,
    draft,
    kinds,
    make,
    numbers,
    send,
    take,
    write,
)
from tests.servers.proxy import CutAfter, FaultProxy, Pass, Stall
from tests.servers.stores.postgres import FAST, PASSWORD, PostgresServer, running_postgres
from tests.soon import PATIENCE_S, PatientClock, a_pause, attempts

pytestmark = in_turn(3)

KNOWN_WITHIN_S = 1.0
"""A failure is to be known so soon."""

BACK_WITHIN_S = 3.0
"""And a server that is back is to be used again so soon."""


@pytest.fixture(scope="module")
def machine() -> Iterator[PostgresServer]:
    """A server that these tests may stop."""
    with running_postgres(**FAST) as server:
        yield server


@pytest.fixture
def url(machine: PostgresServer) -> str:
    """An empty database of its own on a server that runs."""
    return machine.emptied()


@pytest.fixture
def clock() -> PatientClock:
    """The time of `store` and `far`."""
    return PatientClock()


def _store(url: str, clock: PatientClock | None = None) -> PostgresStore:
    return PostgresStore(url, clock or PatientClock(), random_id)


@pytest.fixture
async def store(url: str, clock: PatientClock) -> AsyncIterator[PostgresStore]:
    store = _store(url, clock)
    await store.open()
    yield store
    await store.close()


@pytest.fixture
async def proxy(machine: PostgresServer) -> AsyncIterator[FaultProxy]:
    async with FaultProxy(machine.port, SystemClock()) as proxy:
        yield proxy


@pytest.fixture
async def far(
    url: str, machine: PostgresServer, proxy: FaultProxy, clock: PatientClock
) -> AsyncIterator[PostgresStore]:
    """The same database, by way of the proxy."""
    store = _store(url.replace(f":{machine.port}/", f":{proxy.port}/"), clock)
    await store.open()
    yield store
    await proxy.switch(Pass())
    await store.close()


async def _until_back(store: Store) -> float:
    """Ask until it answers; how long that took, in seconds."""
    began = time.monotonic()
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with contextlib.suppress(StoreUnavailable):
                await store.ping()
                return time.monotonic() - began
            await a_pause()


# ------------------------------------------------------------------------------------------------------- it dies


@pytest.mark.parametrize("how", [signal.SIGQUIT, signal.SIGKILL, signal.SIGINT])
async def test_a_server_that_ends_is_known_at_once_and_used_again_when_it_is_back(
    store: PostgresStore, machine: PostgresServer, how: signal.Signals
) -> None:
    await make(store)
    machine.stop(how)
    for took in chain(attempts(KNOWN_WITHIN_S), attempts(KNOWN_WITHIN_S)):
        began = time.monotonic()
        with pytest.raises(
            StoreUnavailable, match=r"postgresql://sulla@127\.0\.0\.1:\d+/scratch: start the server"
        ) as told:
            await send(store, "m1")
        took.append(time.monotonic() - began)
        assert told.value.retryable
        assert PASSWORD not in str(told.value)
    for took in attempts(BACK_WITHIN_S):
        if took:
            machine.stop(how)
        machine.start()
        took.append(await _until_back(store))
    assert await send(store, "m1") == 2
    assert await kinds(store) == ["CREATED", "INPUT"]


async def test_what_was_answered_is_there_after_an_immediate_stop_in_the_middle_of_writing(
    store: PostgresStore, machine: PostgresServer
) -> None:
    await make(store)
    lease = (await take(store)).lease
    answered: list[int] = []
    known: list[str] = []

    async def decide() -> None:
        with contextlib.suppress(StoreUnavailable):
            for n in range(1, 10**6):
                last = await store.append(lease, n, [draft(f"D{n}"), draft("E")], OPEN, 0)
                answered.append(last)

    async def offer(who: int) -> None:
        with contextlib.suppress(StoreUnavailable):
            for n in range(10**6):
                await send(store, f"m{who}-{n}")
                known.append(f"m{who}-{n}")

    working = asyncio.gather(decide(), *(offer(who) for who in range(3)))
    while len(answered) < 20 or len(known) < 20:
        await asyncio.sleep(0)
    machine.stop()
    await working
    machine.start()
    await _until_back(store)
    records = await store.read(KEY, limit=10**6)
    assert numbers(records) == list(range(1, len(records) + 1))
    kept = {record.seq: record.kind for record in records}
    assert all(kept[seq] == "E" and kept[seq - 1] == f"D{n}" for n, seq in enumerate(answered, 1))
    bodies = {record.body.decode() for record in records if record.offered}
    assert set(known) <= bodies
    # The lease holds, and the write that was under way is kept once or not at all.
    n = len(answered) + 1
    await store.append(lease, n, [draft(f"D{n}"), draft("E")], IDLE, 0)
    assert [record.kind for record in await store.read(KEY, limit=10**6)].count(f"D{n}") == 1


async def test_a_turn_of_connections_is_not_needed_to_notice_that_all_are_dead(
    store: PostgresStore, machine: PostgresServer
) -> None:
    await make(store)
    await asyncio.gather(*(send(store, f"m{n}") for n in range(20)))
    machine.stop()
    machine.start()
    # Eight connections lie idle and dead: no call is lost on them.
    assert await send(store, "m20") == 22


async def test_a_connection_that_an_operator_ended_costs_no_call(store: PostgresStore, url: str) -> None:
    await make(store)
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'sulla' "
            "AND datname = current_database()"
        )
    assert await send(store, "m1") == 2


# --------------------------------------------------------------------------------------------- it does not answer


async def test_a_server_that_accepts_and_says_nothing_is_known_within_a_second(
    far: PostgresStore, proxy: FaultProxy, clock: PatientClock
) -> None:
    await make(far)
    for on_a_new_one in (False, True):
        for took in attempts(KNOWN_WITHIN_S):
            if not on_a_new_one:
                await _until_back(far)
            await proxy.switch(Stall())
            clock.patience_s = 0.0
            began = time.monotonic()
            with pytest.raises(StoreUnavailable, match=r"did not answer within 0\.9 s"):
                await send(far, "m1")
            took.append(time.monotonic() - began)
            clock.patience_s = PATIENCE_S
            if not on_a_new_one:
                await proxy.switch(Pass())
    for took in attempts(BACK_WITHIN_S):
        clock.patience_s = 0.0
        await proxy.switch(Stall())
        with pytest.raises(StoreUnavailable):
            await far.ping()
        await proxy.switch(Pass())
        took.append(await _until_back(far))
    clock.patience_s = PATIENCE_S
    await send(far, "m1")
    assert await kinds(far) == ["CREATED", "INPUT"]


async def test_closing_does_not_wait_for_a_server_that_says_nothing(
    far: PostgresStore, proxy: FaultProxy, clock: PatientClock
) -> None:
    for took in attempts(2 * KNOWN_WITHIN_S):
        clock.patience_s = PATIENCE_S
        await far.open()
        await proxy.switch(Stall())
        clock.patience_s = 0.0
        asked = asyncio.ensure_future(far.ping())
        await asyncio.sleep(0)
        began = time.monotonic()
        await far.close()
        took.append(time.monotonic() - began)
        with pytest.raises(StoreUnavailable):
            await asked
        await proxy.switch(Pass())


async def test_neither_does_an_ear_that_is_just_asking_whether_it_still_hears(
    far: PostgresStore, proxy: FaultProxy, clock: PatientClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_bus, "PULSE_S", 0.3)
    clock.patience_s = 0.0
    for took in attempts(KNOWN_WITHIN_S):
        await far.close()
        await proxy.switch(Pass())
        await far.open()
        await proxy.switch(Stall())
        moved = dict(proxy.moved)
        for _ in range(2):  # The ear asks, and the question goes nowhere: it connects anew, and nobody answers.
            with pytest.raises(StoreUnavailable):
                await far.ping()
        began = time.monotonic()
        await far.close()
        took.append(time.monotonic() - began)
        assert proxy.moved == moved


async def test_a_server_that_stalls_or_breaks_off_while_it_is_opened_is_given_up(
    url: str, machine: PostgresServer, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_pool, "CONNECT_S", 0.5)
    store = _store(url.replace(f":{machine.port}/", f":{proxy.port}/"), clock := PatientClock())
    clock.patience_s = 0.0
    for fault, said in ((CutAfter(1), "server closed the connection"), (Stall(), "nobody answered within")):
        await proxy.switch(fault)
        with pytest.raises(StoreUnavailable, match=f"check that the server runs.*{said}"):
            await store.open()
    clock.patience_s = PATIENCE_S
    await proxy.switch(Pass())
    await store.open()
    await make(store)
    await store.close()


async def test_an_answer_that_got_lost_is_given_again(
    far: PostgresStore, store: PostgresStore, proxy: FaultProxy
) -> None:
    await make(far)
    lease = (await take(far)).lease
    # A connection asks twice when it meets a statement first, and the answer that is to be lost is the second.
    await write(far, lease, 1, "A")
    await proxy.switch(CutAfter(1))
    with pytest.raises(StoreUnavailable):
        await write(far, lease, 2, "B")
    assert await kinds(store) == ["CREATED", "A", "B"], "the server did it"
    assert await write(far, lease, 2, "B") == 3
    await send(far, "m1")
    # The pool has a new connection meanwhile. One that meets the statement first loses the answer to its first question
    # before anything is done: that is asked again, and nobody need know, unless the second try fails as well.
    told = 4
    for number in range(2, 20):
        await proxy.switch(CutAfter(1))
        try:
            await send(far, f"m{number}")
            told += 1
        except StoreUnavailable:
            if len(await kinds(store)) > told:
                break
    else:
        pytest.fail("no answer got lost behind what was done")
    answer = await far.offer(KEY, f"m{number}", draft(body=f"m{number}".encode()), digest=DIGEST)
    assert (answer.seq, answer.first) == (told + 1, False)
    assert await kinds(store) == ["CREATED", "A", "B", *["INPUT"] * (told - 2)]


async def test_a_log_that_somebody_locks_does_not_hold_up_the_others(
    store: PostgresStore, url: str, clock: PatientClock
) -> None:
    await make(store, "locked")
    await make(store)
    with psycopg.connect(url) as other:
        other.execute("SELECT 1 FROM sulla.logs WHERE key = 'locked' FOR UPDATE")
        clock.patience_s = 0.0
        stuck = asyncio.ensure_future(send(store, "m1", "locked"))
        while not store._pool._calls:
            await asyncio.sleep(0)
        await asyncio.sleep(0)  # it has its deadline by now; the others have all the time they need
        clock.patience_s = PATIENCE_S
        assert await send(store, "m1") == 2
        with pytest.raises(StoreUnavailable, match="did not answer"):
            await stuck
        other.rollback()
    assert await send(store, "m1", "locked") == 2, "what was under way then is kept once"
    assert await kinds(store, "locked") == ["CREATED", "INPUT"]


# ------------------------------------------------------------------------------------------------ it takes no writes


async def test_a_server_that_turned_read_only_is_refused_until_it_is_writable(
    store: PostgresStore, machine: PostgresServer, url: str
) -> None:
    await make(store)
    machine.stop(signal.SIGINT)
    machine.start(default_transaction_read_only="on")
    try:
        for call in (store.ping(), send(store, "m1")):
            with pytest.raises(StoreUnavailable, match="it takes no writes: name the primary"):
                await call
        other = _store(url)
        with pytest.raises(StoreUnavailable, match="it takes no writes: name the primary"):
            await other.open()
        with pytest.raises(StoreUnavailable, match="not open"):
            await other.ping()
    finally:
        machine.stop(signal.SIGINT)
        machine.start()
    await _until_back(store)
    assert await send(store, "m1") == 2


async def test_a_connection_that_turned_read_only_is_not_used_again(store: PostgresStore, url: str) -> None:
    await make(store)
    await store._pool.ask(lambda line: line.execute("SET default_transaction_read_only = on"))
    with pytest.raises(StoreUnavailable, match="it takes no writes"):
        await send(store, "m1")
    assert await send(store, "m1") == 2


async def test_tables_that_were_dropped_under_it_are_a_failure_and_no_mistake(store: PostgresStore, url: str) -> None:
    await make(store)
    before = await store.incarnation()
    with psycopg.connect(url, autocommit=True) as server:
        server.execute("DROP SCHEMA sulla CASCADE")
    calls = (
        store.incarnation(),
        store.find(ready=True),
        send(store, "m1"),
        store.put("key", b"value"),
        store.swap("key", None, b"value"),
    )
    for call in calls:
        with pytest.raises(StoreUnavailable, match="its tables are gone"):
            await call
    again = _store(url)
    await again.open()
    assert await again.incarnation() != before
    await again.close()


# -------------------------------------------------------------------------------------------------------- the bus


async def _until(other: Store, heard: asyncio.Task[bytes], payload: bytes) -> bytes:
    """Say it until it is heard; the bus may lose it."""
    while not heard.done():
        other.publish("channel", payload)
        await other.ping()
    return heard.result()


async def test_the_bus_hears_again_when_the_server_is_back_and_says_that_it_missed_something(
    store: PostgresStore, url: str, machine: PostgresServer
) -> None:
    other = _store(url)
    await other.open()
    async with store.subscribe("channel") as signals:
        machine.stop()
        machine.start()
        await _until_back(other)
        heard = asyncio.ensure_future(anext(aiter(signals)))
        assert await _until(other, heard, b"hello") == b"hello"
        assert signals.lagged is True
    await other.close()
