"""What SQLite costs: a turn as it is kept at its end, beside a bare INSERT with its commit, and beside writing down the
whole conversation as one snapshot.
"""

from __future__ import annotations

import asyncio
import copy
import json
import sqlite3
import tempfile
from functools import partial
from pathlib import Path

from bench.frame import Frame, Row
from bench.saving import BODY, MESSAGES, Step, make_thread, measures, save_turn
from sulla.host.system import SystemClock, random_id
from sulla.store.sqlite.store import SqliteStore

NAME = "sqlite"

LIMIT = "bare INSERT and commit"


def run(frame: Frame) -> list[Row]:
    """The bars: 6 bare round trips, and the same for 5,000 messages as for 10."""
    with tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder, asyncio.Runner() as runner:
        store = SqliteStore(Path(folder) / "ours.db", SystemClock(), random_id)
        runner.run(store.open())
        # On the loop, without a thread in between: what the disk alone takes.
        bare = sqlite3.connect(Path(folder) / "bare.db", isolation_level=None)
        for statement in (
            "PRAGMA journal_mode = WAL",
            "PRAGMA synchronous = FULL",
            "CREATE TABLE raw (id INTEGER PRIMARY KEY, body BLOB)",
            "CREATE TABLE snapshot (id INTEGER PRIMARY KEY, body BLOB)",
        ):
            bare.execute(statement)
        try:
            return _turns(frame, runner, store, bare)
        finally:
            bare.close()
            runner.run(store.close())


def _turns(frame: Frame, runner: asyncio.Runner, store: SqliteStore, bare: sqlite3.Connection) -> list[Row]:
    ours: dict[str, Step] = {LIMIT: partial(_insert, bare)}
    whole: dict[str, Step] = {}
    for messages in MESSAGES:
        thread = runner.run(make_thread(store, messages))
        ours[f"save a turn, {messages:,} messages"] = partial(save_turn, store, thread)
        whole[f"whole conversation, {messages:,} messages"] = partial(_snapshot, bare, messages, _messages(messages))
    alone, both = (frame.compare(measures(runner, steps), "ms") for steps in (ours, ours | whole))
    _, few, *_, many = ours
    return [
        alone.row(LIMIT),
        *(alone.row(name, LIMIT, bar=6.0) for name in ours if name not in (LIMIT, many)),
        alone.row(many, few, bar=1.1),
        *(both.row(name, one) for name, one in zip(whole, list(ours)[1:], strict=True)),
    ]


def _messages(count: int) -> list[dict[str, str]]:
    return [{"role": "user", "id": f"msg_{number:024}", "text": BODY.decode()} for number in range(count)]


async def _insert(bare: sqlite3.Connection) -> None:
    bare.execute("INSERT INTO raw (body) VALUES (?)", (BODY,))


async def _snapshot(bare: sqlite3.Connection, key: int, messages: list[dict[str, str]]) -> None:
    """A turn as it would be kept by writing down the whole conversation, from a copy that nobody changes meanwhile."""
    bare.execute("REPLACE INTO snapshot VALUES (?, ?)", (key, json.dumps(copy.deepcopy(messages)).encode()))
