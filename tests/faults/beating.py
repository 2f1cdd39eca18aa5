"""Heartbeats and sub-agents of real daemons: how their runs are begun, and what their logs must come to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from sulla.core.ids import MessageId, ThreadId
from sulla.core.message import Message
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log.codec import Entry
from sulla.threads.log.records import Input, RunError, RunFinished, ThreadCreated
from sulla.threads.log.state import ThreadState
from sulla.threads.log.usage import ThreadSpending
from sulla.threads.store import ThreadStore
from tests.faults.backend import CLOCK, Backend
from tests.simulation.history import History, Kept, ThreadHistory, breaches

AGENT = "sulla"
PATIENCE_S = 40.0
_PAGE = 500
TOUR = "---\ntitle: Tour\nstatus: active\n---\n## Tasks\n\n- [ ] first\n- [ ] second\n"


def _weight(message: Message) -> int:
    return 1


class Onlooker:
    """Looks at a store beside the daemons, and offers what they are to do.

    Args:
        threads: a way to it of its own.
    """

    def __init__(self, threads: ThreadStore) -> None:
        self._threads = threads

    async def beats(self, *names: str) -> ThreadId:
        """Have an agent wake up so many times; the thread that it beats in."""
        fact = ThreadCreated(AGENT, "Heartbeat", graph="heartbeat")
        thread_id = await self._threads.create(fact, f"heartbeat:{AGENT}")
        for name in names:
            await self._threads.send(thread_id, Input(MessageId(name), "", origin="beat"))
        return thread_id

    async def log(self, thread_id: str) -> list[Entry]:
        """All of a thread."""
        found: list[Entry] = []
        while page := await self._threads.entries(ThreadId(thread_id), after=found[-1].seq if found else 0):
            found += page
        return found

    async def account(self, thread_id: ThreadId) -> tuple[ThreadSpending, list[Entry]]:
        """What a thread was charged, and the log that says so, of one moment. A summary that was made behind the last
        turn stands in the log alone until the next one: no head says what it took.
        """
        while True:
            before, log = await self._threads.load(thread_id, messages=False), await self.log(thread_id)
            after = await self._threads.load(thread_id, messages=False)
            if before is not None and after is not None and before.spending == after.spending:
                return after.spending, log

    async def ended(self, thread_id: str, runs: int = 1) -> list[Entry]:
        """All of a thread, once so many of its runs have an end."""
        return await self.until(
            thread_id, lambda log: sum(isinstance(entry.fact, RunFinished | RunError) for entry in log) >= runs
        )

    async def until(self, thread_id: str, true: Callable[[Sequence[Entry]], bool]) -> list[Entry]:
        """All of a thread, once something holds of it."""
        async with CLOCK.timeout(PATIENCE_S):
            while not true(log := await self.log(thread_id)):
                await CLOCK.sleep(0.05)
        return log

    async def states(self) -> list[ThreadState]:
        """Every thread, without its messages."""
        found: list[ThreadState] = []
        after = ""
        while page := await self._threads.list(after=after, limit=_PAGE):
            found += [state for _, state in page if state is not None]
            after = page[-1][0].key
        return found

    async def children(self) -> list[ThreadState]:
        """The threads that runs asked for, once all of them rest."""
        async with CLOCK.timeout(PATIENCE_S):
            while any(state.run is not None or not state.links.reported for state in await self._born()):
                await CLOCK.sleep(0.05)
        return await self._born()

    async def _born(self) -> list[ThreadState]:
        return [state for state in await self.states() if state.identity.birth is not None]

    async def broken(self) -> list[str]:
        """What of the promises does not hold, over all threads."""
        threads = []
        for state in await self.states():
            spent, log = await self.account(state.thread_id)
            kept = Kept(spent.usage, spent.day, spent.day_tokens)
            threads.append(ThreadHistory(state.thread_id, tuple(log), kept=kept))
        return [str(breach) for breach in breaches(History(tuple(threads)))]


@asynccontextmanager
async def beside(backend: Backend) -> AsyncIterator[Onlooker]:
    """An onlooker, while the block lasts."""
    store = backend.make()
    await store.open()
    try:
        yield Onlooker(ThreadStore(store, CLOCK, lambda prefix: prefix, "onlooker:1", THREAD_SCHEMA, ThreadLimits()))
    finally:
        await store.close()


def plan_tour(home: Path) -> None:
    """Give a home a project with something to do."""
    folder = home / "projects" / "tour"
    folder.mkdir(parents=True)
    (folder / "PROJECT.md").write_text(TOUR, encoding="utf-8")
