"""Logs become rows and come back, and finding them goes through an index however many lie idle."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, product

import pytest

from sulla.core.errors import CorruptRecord
from sulla.store.requests import FindRequest
from sulla.store.rules import LogState
from sulla.store.sqlite.tables import COLUMNS, LOG, MIGRATIONS, find_of, log_of, row_of, update_of
from sulla.store.values import Head, Status

FULL = LogState(
    life=1, created_ms=2, head=Head("thread", "suspended", "sulla", 3, 4, b"\0body"), last_seq=5, waking=6, woken_seq=7,
    claimed=8, epoch=9, owner="home:boot", released=True, until_ms=10, ttl_ms=11, write_no=12, answer=13,
)  # fmt: skip
BARE = LogState(life=1, created_ms=0, head=Head("beat"))
NOW_MS = 1_000_000
ANYTHING = FindRequest(None, None, None, None, "", 100)


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for statements in MIGRATIONS:
        for statement in statements:
            connection.execute(statement)
    yield connection
    connection.close()


def _insert(db: sqlite3.Connection, *logs: LogState) -> None:
    marks = ", ".join("?" * (len(COLUMNS) + 1))
    rows = ((f"log-{log.life:06}", *row_of(log)) for log in logs)
    db.executemany(f"INSERT INTO logs (key, {LOG}) VALUES ({marks})", rows)  # noqa: S608 - our own columns


def _load(db: sqlite3.Connection) -> LogState:
    return log_of(db.execute(f"SELECT {LOG} FROM logs").fetchone())  # noqa: S608 - our own columns


@pytest.mark.parametrize("log", [FULL, BARE], ids=["full", "bare"])
def test_a_log_comes_back_as_it_was(db: sqlite3.Connection, log: LogState) -> None:
    _insert(db, log)
    assert _load(db) == log


@pytest.mark.parametrize(("before", "after"), [(BARE, FULL), (FULL, BARE), (FULL, replace(FULL, claimed=99))])
def test_an_update_leads_from_one_to_the_other(db: sqlite3.Connection, before: LogState, after: LogState) -> None:
    _insert(db, before)
    db.execute(*update_of(before, after))
    assert _load(db) == after


def test_an_update_names_only_what_differs() -> None:
    statement, values = update_of(FULL, replace(FULL, last_seq=9, head=replace(FULL.head, body=b"new")))
    assert (statement, values) == ("UPDATE logs SET last_seq = ?, body = ? WHERE life = ?", [9, b"new", 1])


def test_an_unknown_status_is_damage(db: sqlite3.Connection) -> None:
    _insert(db, FULL)
    db.execute("UPDATE logs SET status = 'opfn'")
    with pytest.raises(CorruptRecord, match=r"log number 1 .*'opfn'"):
        _load(db)


@pytest.mark.parametrize("status", [None, "idle", "open", "suspended"])
@pytest.mark.parametrize("ready", [None, True, False])
def test_no_question_reads_the_whole_table(db: sqlite3.Connection, ready: bool | None, status: Status | None) -> None:
    for kind, due_ms in product((None, "thread"), (None, NOW_MS)):
        question = replace(ANYTHING, ready=ready, kind=kind, status=status, due_before_ms=due_ms)
        statement, values = find_of(question, NOW_MS)
        plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {statement}", values)]
        touches = [line for line in plan if "logs" in line]
        assert touches, plan
        assert all(line.startswith("SEARCH logs USING INDEX") and "(" in line for line in touches), plan


@pytest.mark.parametrize(
    "question",
    [
        replace(ANYTHING, ready=True),
        replace(ANYTHING, ready=True, kind="thread", limit=10),
        replace(ANYTHING, status="open"),
        replace(ANYTHING, status="suspended"),
        replace(ANYTHING, due_before_ms=NOW_MS),
        replace(ANYTHING, kind="beat"),
        replace(ANYTHING, kind="thread", after_key="log-000050", limit=10),
    ],
    ids=str,
)
def test_finding_a_few_costs_the_same_among_many_idle_logs(db: sqlite3.Connection, question: FindRequest) -> None:
    _insert(db, *_some(), *_idle(10, 200))
    few = _steps(db, question)
    _insert(db, *_idle(200, 10_000))
    many = _steps(db, question)
    assert few == many


def test_a_sweep_in_due_order_is_also_in_key_order(db: sqlite3.Connection) -> None:
    _insert(
        db, *(replace(BARE, life=life, head=Head("beat", due_ms=NOW_MS - life)) for life in range(1, 6)), *_idle(6, 9)
    )
    found = db.execute(*find_of(replace(ANYTHING, ready=True, limit=3), NOW_MS)).fetchall()
    assert [row[0] for row in found] == ["log-000001", "log-000002", "log-000003"]


def _some() -> list[LogState]:
    """Logs of every sort but idle ones."""
    heads = (
        Head("thread", "open"),
        Head("thread", "suspended"),
        Head("beat", due_ms=NOW_MS - 5),
        Head("beat", "suspended", due_ms=NOW_MS + 5),
    )
    return [replace(BARE, life=number, head=head) for number, head in zip(count(1), heads, strict=False)]


def _idle(first: int, end: int) -> list[LogState]:
    return [replace(BARE, life=life, head=Head("thread", body=b"checkpoint")) for life in range(first, end)]


def _steps(db: sqlite3.Connection, question: FindRequest) -> int:
    """How many instructions SQLite's machine carries out for a question."""
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    db.set_progress_handler(step, 1)
    assert db.execute(*find_of(question, NOW_MS)).fetchall()
    db.set_progress_handler(None, 1)
    return steps
