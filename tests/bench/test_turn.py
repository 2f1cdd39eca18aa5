from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

import pytest

from bench.history import text_of, write_history
from bench.stopwatch import Service, Times
from bench.turn import FIGURES, SIZES, Costs, warm_rows
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.host.system import SystemClock
from sulla.store.sqlite.store import SqliteStore
from sulla.threads.bounds import ThreadLimits
from sulla.threads.store import ThreadStore
from tests.servers.script import Script


async def test_a_written_history_reads_as_one_that_was_lived(tmp_path: Path) -> None:
    made = await write_history(tmp_path / "sulla.db", (10, 60))
    store = SqliteStore(tmp_path / "sulla.db", SystemClock(), lambda prefix: f"{prefix}_1")
    await store.open()
    try:
        threads = ThreadStore(
            store, SystemClock(), lambda prefix: f"{prefix}_1", "home:test", THREAD_SCHEMA, ThreadLimits()
        )
        for thread, size in zip(made, (10, 60), strict=True):
            info, state = await store.head(thread.id), await threads.load(thread.id)
            assert info is not None
            assert state is not None
            assert (info.head.status, info.last_seq) == ("idle", thread.last_seq)
            assert [message.role for message in state.context.transcript] == ["user", "assistant"] * (size // 2)
            assert (state.run, state.inbox.waiting, state.newest.outcome.status) == (None, {}, "done")
    finally:
        await store.close()


def test_messages_have_the_length_that_figures_are_told_for() -> None:
    assert {len(text_of(seed)) for seed in range(-50, 50)} == {500}


def test_what_the_service_took_is_no_overhead() -> None:
    service = Service(Script([]))
    service.arrived, service.answered = 10.004, 10.104
    found = service.times(10.0, 10.001, 10.107)
    assert astuple(found) == pytest.approx((1.0, 4.0, 7.0, 0.0))


@pytest.mark.parametrize(
    ("bare", "longest", "missed"),
    [
        (4.1, 11.4, set()),
        (3.9, 11.4, {"overhead, 10 messages"}),
        (4.1, 11.6, {"overhead, 5,000 messages"}),
        (4.1, 13.1, {"overhead, 5,000 messages", "request, 5,000 messages"}),
    ],
)
def test_a_turn_misses_its_bars_beside_the_bare_one_and_where_it_grows_with_the_thread(
    bare: float, longest: float, missed: set[str]
) -> None:
    costs = Costs()
    for size in SIZES:
        value = longest if size == SIZES[-1] else 10.0
        costs.add(f"{size:,} messages", Times(value, value, value, value))
    for size in (SIZES[0], SIZES[-1]):
        costs.add(f"bare, request of {size:,}", Times(bare, bare, bare, bare))
    rows = warm_rows(costs)
    assert {row.name.partition(",")[0] for row in rows} == set(FIGURES)
    assert {row.name for row in rows if not row.ok} == missed
