"""What agents remember, in a daemon: told before a conversation, written behind the turns."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord, StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.late import late
from sulla.core.words import NO_WORDS, Words
from sulla.host.host import Built, Host, Task
from sulla.memory.adapters import make_memory_index
from sulla.memory.base import MemoryIndex
from sulla.memory.entities.rpc import METHODS
from sulla.memory.memory import Memory
from sulla.memory.note import MemoryCapacity
from sulla.memory.recall import Recall
from sulla.memory.recorder import memory_follower
from sulla.memory.settings import MemorySettings
from sulla.memory.tools import memory_tools
from sulla.threads.follower import LogFollower

if TYPE_CHECKING:
    from sulla.memory.entities.drawing import Drawing
    from sulla.memory.entities.graphs import Graphs
    from sulla.memory.entities.service import HomeEntities
    from sulla.memory.meaning import Meaning

log = logging.getLogger(__name__)

TELL_S: Final = 1.0
"""How long a turn waits for what it is to be told of its memory, in seconds; then it begins without."""
SETTLE_S: Final = 0.25
"""How long whoever asks waits for what was about to be written; it is written all the same."""


async def remembered(memory: Memory, clock: Clock, agent: str, message: str) -> Words:
    """What an agent is told before a conversation. A turn is never lost with it: it begins without, and the log says
    why.

    Args:
        memory: the home's.
        clock: for the deadline.
        agent: the agent's id.
        message: what the conversation begins with.
    """
    try:
        async with clock.timeout(TELL_S):
            return await memory.section_for(agent, message)
    except (StoreUnavailable, CorruptRecord, TimeoutError) as error:
        said = str(error) or f"no answer within {TELL_S:g} s"
        log.warning("a conversation begins without what its agent remembers: %s", said)
        return NO_WORDS


async def recalled(
    memory: Memory, clock: Clock, agent: str, stands: Mapping[str, int], message: str, told: Iterable[str]
) -> Words:
    """What an agent is told beside a later message; nothing if the memory does not answer, and the log says why.

    Args:
        memory: the home's.
        clock: for the deadline.
        agent: the agent's id.
        stands: the threads whose words stand in the conversation already, and up to when they were said, in UTC ms.
        message: what is said.
        told: the sections that stand in it already.
    """
    try:
        async with clock.timeout(TELL_S):
            return await memory.more_for(agent, stands, message, told)
    except (StoreUnavailable, CorruptRecord, TimeoutError) as error:
        said = str(error) or f"no answer within {TELL_S:g} s"
        log.warning("a turn goes on without what its agent remembers: %s", said)
        return NO_WORDS


def build(host: Host) -> Built:
    """Make what a daemon remembers with; see `host.Built`."""
    wanted, clock = host.settings.section(MemorySettings), host.place.clock
    index = make_memory_index(host.settings, clock)
    kept = MemoryCapacity(wanted.episodes, facts=wanted.facts)

    def forgetful(agent: str) -> bool:
        return any(spec.id == agent and not spec.memory for spec in host.agents.team.specs)

    meaning, drawing = _meaning(host, index, wanted), _drawing(host, index, wanted)
    graphs = drawing.graphs if drawing is not None else None
    recall = Recall(index, clock, host.tally, graphs=graphs)
    if meaning is not None:
        recall = Recall(index, clock, host.tally, meaning.meanings, meaning.telling, graphs)

    added = _hearing(meaning, drawing)
    recorder = memory_follower(index, host.threads, host.store, clock, added, forgetful)
    memory = Memory(
        index,
        clock,
        kept,
        window=wanted.window,
        section_chars=wanted.section_chars,
        settled=partial(recorder.settle, SETTLE_S),
        recall=recall,
        added=added,
    )
    if not wanted.enabled:
        # Playbooks that name the tools are told why these do nothing, and not that there are none.
        tools = tuple(replace(tool, missing=_OFF) for tool in memory_tools(memory))
        return Built(tools=tools, status=_off, methods=(METHODS.done_by(late(_no_entities)),))

    telling = _Telling(memory, clock, forgetful)

    async def forget(thread_id: ThreadId) -> None:
        recorder.wake(thread_id)  # which finds it gone, and forgets its episodes

    return Built(
        provides=(memory,),
        methods=(METHODS.done_by(late(partial(_entities, index, clock, graphs))),),
        tools=memory_tools(memory),
        remembered=telling.first,
        recalled=telling.later if wanted.every_turn else None,
        open=index.open,
        close=index.close,
        followers={"memory": recorder},
        tasks=_tasks(meaning, drawing),
        forget=forget,
        status=lambda: _status(recorder, meaning, drawing),
    )


@dataclass(frozen=True, slots=True)
class _Telling:
    """Tells agents of their memory, but for those that have none."""

    memory: Memory
    clock: Clock
    forgetful: Callable[[str], bool]

    async def first(self, agent: str, message: str) -> Words:
        """Before a conversation."""
        return NO_WORDS if self.forgetful(agent) else await remembered(self.memory, self.clock, agent, message)

    async def later(self, agent: str, stands: Mapping[str, int], message: str, told: Iterable[str]) -> Words:
        """Beside a later message."""
        if self.forgetful(agent):
            return NO_WORDS
        return await recalled(self.memory, self.clock, agent, stands, message, told)


def _hearing(meaning: Meaning | None, drawing: Drawing | None) -> Callable[[], None]:
    """What hears of notes that were written: whatever works on them behind the turns."""
    jobs = [job for job in (meaning.placing if meaning is not None else None, drawing) if job is not None]

    def added() -> None:
        for job in jobs:
            job.added()

    return added


_OFF: Final = "the memory is off; `memory.enabled` in the settings turns it on"


async def _off() -> JsonObject:
    return {"memory": "off"}


def _no_entities() -> HomeEntities:
    from sulla.memory.entities.service import HomeEntities

    return HomeEntities(None)


def _entities(index: MemoryIndex, clock: Clock, graphs: Graphs | None) -> HomeEntities:
    from sulla.memory.entities.desk import EntityDesk
    from sulla.memory.entities.service import HomeEntities

    return HomeEntities(EntityDesk(index.statements, clock, graphs))


def _meaning(host: Host, index: MemoryIndex, wanted: MemorySettings) -> Meaning | None:
    if not (wanted.embed and wanted.enabled):
        return None
    from sulla.memory.meaning import make_meaning

    return make_meaning(host, index, wanted.embed, wanted.embed_telling)


def _drawing(host: Host, index: MemoryIndex, wanted: MemorySettings) -> Drawing | None:
    if not (wanted.entities and wanted.enabled):
        return None
    from sulla.memory.entities.build import make_drawing

    return make_drawing(host, index.statements, index.scopes, wanted.entities_every)


def _tasks(meaning: Meaning | None, drawing: Drawing | None) -> dict[str, Task]:
    tasks: dict[str, Task] = {}
    if meaning is not None:
        tasks["memory_vectors"] = meaning.placing.run
    if drawing is not None:
        tasks["memory_entities"] = drawing.run
    return tasks


async def _status(recorder: LogFollower, meaning: Meaning | None, drawing: Drawing | None) -> JsonObject:
    found: JsonObject = {**recorder.status()}
    jobs = {"memory_vectors": meaning.placing if meaning is not None else None, "memory_entities": drawing}
    for name, job in jobs.items():
        found[name] = job.state if job is not None else "off"
        found[f"{name}_error"] = job.pending.error if job is not None else ""
    return found
