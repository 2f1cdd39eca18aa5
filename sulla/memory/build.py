"""What agents remember, as the settings want it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from sulla.core.clock import Clock
from sulla.core.errors import CorruptRecord, StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.daemon.settings.config import Settings
from sulla.daemon.stores import make_memory_index
from sulla.memory.base import MemoryIndex
from sulla.memory.memory import Memory
from sulla.memory.note import Capacity
from sulla.memory.recorder import memory_follower
from sulla.memory.settings import MemorySettings
from sulla.memory.tools import memory_tools
from sulla.store import Store
from sulla.threads import LogFollower, ThreadStore
from sulla.tools import Tool

log = logging.getLogger(__name__)

TELL_S = 1.0
"""How long a turn waits for what it is to be told of its memory, in seconds; then it begins without."""


@dataclass(frozen=True, slots=True)
class Memories:
    """The home's memory; nothing of it is there if it is switched off."""

    clock: Clock
    index: MemoryIndex | None = None
    memory: Memory | None = None

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What agents can do with it."""
        return memory_tools(self.memory) if self.memory is not None else ()

    async def open(self) -> None:
        """Open it.

        Raises:
            StoreUnavailable: it cannot be used.
        """
        if self.index is not None:
            await self.index.open()

    async def close(self) -> None:
        """Close it."""
        if self.index is not None:
            await self.index.close()

    async def told(self, agent: str, message: str) -> str:
        """What an agent is told before a conversation. A turn is never lost with it: it begins without, and the log
        says why.
        """
        if self.memory is None:
            return ""
        try:
            async with self.clock.timeout(TELL_S):
                return await self.memory.told(agent, message)
        except (StoreUnavailable, CorruptRecord, TimeoutError) as error:
            said = str(error) or f"no answer within {TELL_S:g} s"
            log.warning("a conversation begins without what its agent remembers: %s", said)
            return ""


@dataclass(frozen=True, slots=True)
class Remembering:
    """What writes episodes behind the turns; nobody if that is switched off."""

    recorder: LogFollower | None = None

    def wake(self, thread_id: ThreadId) -> None:
        """Have a thread looked at soon."""
        if self.recorder is not None:
            self.recorder.wake(thread_id)

    def status(self) -> JsonObject:
        """How it is, for people."""
        return self.recorder.status() if self.recorder is not None else {"memory": "off"}

    async def stop(self, patience_s: float) -> None:
        """Write what the last turns have left, for so many seconds at the most."""
        if self.recorder is not None:
            await self.recorder.stop(patience_s)

    def begin(self, group: asyncio.TaskGroup) -> None:
        """Follow the threads from now on."""
        if self.recorder is not None:
            group.create_task(self.recorder.run(), name="memory")


def make_memories(settings: Settings, clock: Clock) -> Memories:
    """Nothing is opened yet.

    Raises:
        SettingsError: the settings name no store that there is.
    """
    wanted = settings.section(MemorySettings)
    if not wanted.enabled:
        return Memories(clock)
    index = make_memory_index(settings, clock)
    kept = Capacity(wanted.episodes, wanted.facts)
    memory = Memory(index, clock, kept, window=wanted.window, section_chars=wanted.section_chars)
    return Memories(clock, index, memory)


def make_remembering(memories: Memories, threads: ThreadStore, store: Store, clock: Clock) -> Remembering:
    """What follows the threads, not begun yet."""
    if memories.index is None:
        return Remembering()
    return Remembering(memory_follower(memories.index, threads, store, clock))
