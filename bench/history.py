"""Threads with a past, written into a home as a daemon would have written them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sulla.core.ids import CallId, MessageId, ThreadId
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.host.system import SystemClock, random_id
from sulla.store.sqlite.store import SqliteStore
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log.records import (
    Input,
    ModelStarted,
    Outcome,
    RunFinished,
    RunStarted,
    TextMessageEnd,
    ThreadCreated,
)
from sulla.threads.log.usage import Usage
from sulla.threads.store import Sent, ThreadStore

CHARS = 500
"""How long a message is (reference figures were taken with the same)."""
_BATCH = 25
_WORDS = "the of and to in is that it was for on are with as at be this from have or by one had not but".split()


@dataclass(slots=True)
class Thread:
    """A thread, and who writes in it."""

    id: ThreadId
    last_seq: int
    sent: int = 0

    def next_message(self) -> tuple[str, str]:
        """The id and the text of the next message."""
        self.sent += 1
        return f"bench_{self.sent}", text_of(self.sent)


def text_of(seed: int) -> str:
    """Plain words, about `CHARS` characters, the same for the same seed."""
    chance = random.Random(seed)
    return " ".join(chance.choices(_WORDS, k=CHARS // 3))[:CHARS]


async def write_history(database: Path, sizes: Sequence[int]) -> list[Thread]:
    """Make threads.

    Args:
        database: the file that the daemon will use; it must not be open.
        sizes: how many messages each thread has; half of them are the model's.
    """
    clock = SystemClock()
    store = SqliteStore(database, clock, random_id)
    await store.open()
    try:
        threads = ThreadStore(store, clock, random_id, "bench:history", THREAD_SCHEMA, ThreadLimits())
        return [await _write(threads, size) for size in sizes]
    finally:
        await store.close()


async def _write(threads: ThreadStore, size: int) -> Thread:
    thread_id = await threads.create(ThreadCreated("sulla", f"{size} messages"))
    session = await threads.attend(thread_id)
    assert session is not None
    for start in range(0, size // 2, _BATCH):
        turns = range(start, min(start + _BATCH, size // 2))
        sent = [await threads.send(thread_id, Input(MessageId(f"old_{turn}"), text_of(turn))) for turn in turns]
        await session.pull()
        for turn, message in zip(turns, sent, strict=True):
            session.note(*_turn(turn, message))
        await session.commit()
    await session.release()
    return Thread(thread_id, session.seen_seq)


def _turn(turn: int, sent: Sent) -> tuple[RunStarted | ModelStarted | TextMessageEnd | RunFinished, ...]:
    call, reply, usage = CallId(f"call_{turn}"), MessageId(f"reply_{turn}"), Usage(1000, 125)
    done = Outcome("done", response="fine")
    return (
        RunStarted(sent.seq, MessageId(f"old_{turn}"), "sulla", "fake", "It is Monday 2026-01-05, 10:00 UTC."),
        ModelStarted(call, reply, request_hash="0" * 16, reserved_tokens=10_000),
        TextMessageEnd(call, reply, text_of(-turn), usage=usage, outcome=done),
        RunFinished(sent.run_id, done, usage),
    )
