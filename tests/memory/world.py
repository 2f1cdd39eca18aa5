"""An agent with a memory, all of it in memory."""

from __future__ import annotations

from sulla.memory.memory import Memory
from sulla.memory.note import MemoryCapacity, MemoryNote
from sulla.memory.recorder import memory_follower
from sulla.memory.sqlite import SqliteMemory
from sulla.memory.sqlite_file import IN_MEMORY, open_memory
from sulla.store.base import Store
from sulla.store.sqlite.thread import SqliteThread
from sulla.testing.clock import ManualClock
from sulla.testing.world import World
from tests.threads.rounds import round_of


def make_index(capacity: MemoryCapacity | None = None) -> SqliteMemory:
    """Not open yet."""
    return SqliteMemory(SqliteThread(IN_MEMORY, 5.0, open_memory), capacity)


class Home:
    """A world whose turns are remembered when `settle` is called."""

    def __init__(self, world: World, store: Store, index: SqliteMemory, clock: ManualClock) -> None:
        self.world = world
        self.store = store
        self.index = index
        self.clock = clock
        self.memory = Memory(index, clock)
        self.boot()

    def boot(self) -> None:
        """Whoever writes episodes is made anew, as by the next start of the daemon."""
        self.recorder = memory_follower(self.index, self.world.threads, self.store, self.clock)

    async def catch_up(self) -> None:
        """One round of the recorder; its pauses pass at once."""
        await round_of(self.recorder, self.clock)

    async def episodes(self) -> list[MemoryNote]:
        """What is remembered of turns, the newest first."""
        return await self.index.recent(["sulla"], "episode", 100)
