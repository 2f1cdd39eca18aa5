"""A world whose conversations are written down, for the tests of the journal."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson

from sulla.core.clock import Clock
from sulla.core.ids import ThreadId
from sulla.core.redact import Redactor
from sulla.core.words import ours
from sulla.host.system import SystemClock
from sulla.journal.folder import JournalFolder
from sulla.journal.rotating import Write
from sulla.journal.runs import TrainingFilter
from sulla.journal.writer import JournalWriter, journal_follower
from sulla.store.base import Store
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.threads.follower import BREATH_S, LogFollower
from sulla.tools.base import Done, Result, ToolContext
from sulla.tools.define import define

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"
PATIENCE_S = 60.0


async def until(holds: Callable[[], bool], clock: ManualClock | None = None) -> None:
    """Let others run until something holds; a clock that stands still is moved on a little meanwhile."""
    begun = time.monotonic()
    while not holds():
        assert time.monotonic() - begun < PATIENCE_S, "it did not come to pass"
        await (clock.advance(BREATH_S) if clock is not None else asyncio.sleep(0))


def older_first(path: Path) -> list[Path]:
    """A log's files, the current one last."""
    numbered = [(int(name.suffix[1:]), name) for name in path.parent.glob(f"{path.name}.[0-9]*")]
    return [name for _, name in sorted(numbered, reverse=True)] + ([path] if path.exists() else [])


def lines_of(path: Path) -> list[dict[str, Any]]:
    """What a log's files hold, in order."""
    return [orjson.loads(line) for file in older_first(path) for line in file.read_bytes().splitlines()]


async def look(context: ToolContext, *, what: str) -> Result:
    """Look.

    Args:
        what: where.
    """
    if what == "nowhere":
        return Done(ours("nothing there"), is_error=True)
    return Done(ours(f"saw {what}"))


LOOK = define(look, effect="pure")


class Desk:
    """Threads in a store, and a folder with their journal.

    Args:
        folder: the journal's.
        store: where the threads are; open.
        clock: the threads' time.
    """

    def __init__(self, folder: Path, store: Store, clock: ManualClock) -> None:
        self.folder = folder
        self.store = store
        self.clock = clock
        self.provider = ScriptedProvider()
        self.world = World(store, self.provider, tools=(LOOK,), clock=clock)
        self.file_bytes = 1 << 20
        self.keep_files = 1000
        self.redactor = Redactor()
        self.training: TrainingFilter | None = None
        self.write: Write = os.write

    def journal(self, clock: Clock | None = None) -> LogFollower:
        """A journal as the next start would make it."""
        shelf = JournalFolder(
            self.folder, self.file_bytes, self.keep_files, training=self.training is not None, write=self.write
        )
        journal = JournalWriter(self.world.threads, shelf, self.redactor, self.training)
        return journal_follower(journal, self.world.threads, self.store, clock or SystemClock())

    @asynccontextmanager
    async def open(self, clock: Clock | None = None) -> AsyncIterator[LogFollower]:
        """A journal that follows."""
        journal = self.journal(clock)
        running = asyncio.ensure_future(journal.run())
        yield journal
        stopping = asyncio.ensure_future(journal.stop(1e6))
        await until(stopping.done, clock if isinstance(clock, ManualClock) else None)
        await running

    async def catch_up(self) -> None:
        """One whole life of a journal: start, write what is missing, stop."""
        async with self.open() as journal:
            await until(lambda: journal.status()["journal"] == "up to date")

    async def say(self, text: str = "hello", thread_id: ThreadId | None = None) -> ThreadId:
        """A turn, worked on to its end; nobody is woken."""
        thread_id = thread_id or await self.world.thread()
        self.provider.add(DONE)
        await self.world.ask(thread_id, text)
        return thread_id

    @property
    def written(self) -> list[tuple[str, int]]:
        """Every line as its thread and number, in order."""
        return [(line["thread_id"], line["seq"]) for line in lines_of(self.folder / "conversations.jsonl")]

    async def kept(self) -> list[tuple[str, int]]:
        """Every event that there is."""
        threads = [info.key for info in await self.store.find(kind="thread", limit=10_000)]
        return [(key, entry.seq) for key in threads for entry in await self.world.log(ThreadId(key))]

    async def check(self) -> None:
        """Every event has one line, in the order of its log."""
        written = self.written
        assert sorted(written) == sorted(await self.kept())
        last: dict[str, int] = {}
        for thread_id, seq in written:
            assert seq == last.get(thread_id, 0) + 1
            last[thread_id] = seq
