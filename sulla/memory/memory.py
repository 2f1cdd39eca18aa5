"""What agents remember: who may recall what, how much is kept, and what is told before a conversation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, NotFound, QueueFull, Refused
from sulla.core.ids import derived_id
from sulla.core.words import Words
from sulla.memory.base import MemoryIndex
from sulla.memory.note import EVERYONE, MAX_TEXT, MemoryCapacity, MemoryHit, MemoryNote
from sulla.memory.recall import Recall
from sulla.memory.recorder import nobody_hears
from sulla.memory.section import MAX_BEST, MAX_CHARS, MAX_FACTS, MemorySection, more, section

MAX_FOUND: Final = 20
"""Notes that one search gives."""

MAX_FORGOTTEN: Final = 50
"""Notes that one deletion removes."""


@dataclass(frozen=True, slots=True)
class NoteAuthor:
    """The agent that a note is made by, and the thread and run in which it is made."""

    agent: str
    thread_id: str
    run_id: str
    key: str
    """The same for every attempt: remembering twice under it keeps one fact."""


@dataclass(frozen=True, slots=True)
class DeletionPreview:
    """What a deletion would remove, to be shown before it is confirmed."""

    notes: tuple[MemoryNote, ...]
    code: str
    """What has to be said to remove exactly these."""


async def _nothing_waits() -> None:
    """Nobody writes behind the turns."""


class Memory:
    """The notes of a home. An agent finds its own and what all may know, never another's.

    Args:
        index: keeps them.
        clock: all time.
        capacity: how much is kept.
        window: episodes that are told before a conversation.
        section_chars: characters of all that is told.
        settled: has written what is about to be; called before an agent's memory is asked.
        recall: searches the notes; None for by words alone.
        added: hears of facts that were written.
    """

    def __init__(
        self,
        index: MemoryIndex,
        clock: Clock,
        capacity: MemoryCapacity | None = None,
        *,
        window: int = 20,
        section_chars: int = MAX_CHARS,
        settled: Callable[[], Awaitable[None]] = _nothing_waits,
        recall: Recall | None = None,
        added: Callable[[], None] = nobody_hears,
    ) -> None:
        self.index = index
        """Keeps the notes."""
        self._clock = clock
        self._capacity = capacity if capacity is not None else MemoryCapacity()
        self._window = window
        self._section_chars = section_chars
        self._settled = settled
        self._recall = recall if recall is not None else Recall(index, clock)
        self._added = added

    async def remember(self, fact: Words, caller: NoteAuthor, *, shared: bool = False) -> MemoryNote:
        """Keep a fact; when this returns, the disk has it.

        Args:
            fact: what is to be known.
            caller: who wants it remembered.
            shared: whether every agent may recall it.

        Returns:
            The fact as it is kept; an earlier one that says the same.

        Raises:
            InvalidInput: it is empty or too long.
            Refused: all are to know it, and it comes from what nobody trusts.
            QueueFull: there are as many facts as may be.
        """
        text = fact.text.strip()
        if not text:
            raise InvalidInput("there is nothing to remember: say the fact in `text`")
        if len(text) > MAX_TEXT:
            raise InvalidInput(f"a fact has at most {MAX_TEXT} characters, and this has {len(text)}: say it shorter")
        if shared and fact.tainted:
            raise Refused("this conversation holds text that nobody trusts: what it says is not told to all agents")
        scope = EVERYONE if shared else caller.agent
        id_ = derived_id("fact", caller.thread_id, caller.key)
        if again := await self.index.get([id_]):
            return again[0]  # the same call, made again after a crash
        for known in await self.index.search([scope], text, MAX_FOUND):
            if known.note.kind == "fact" and known.note.text == text and known.note.tainted <= fact.tainted:
                return known.note
        if await self.index.count(scope, "fact") >= self._capacity.facts:
            raise QueueFull(f"{self._capacity.facts} facts are remembered, and that is the most: forget some first")
        note = MemoryNote(
            id_,
            "fact",
            scope,
            text,
            round(self._clock.now() * 1000),
            caller.agent,
            caller.thread_id,
            caller.run_id,
            tainted=fact.tainted,
        )
        await self.index.add([note])
        self._added()
        return note

    async def recall(self, agent: str, question: str, limit: int = MAX_FOUND) -> list[MemoryHit]:
        """What an agent remembers of something, the best first."""
        await self._settled()
        return await self._recall.find([agent, EVERYONE], question, min(max(1, limit), MAX_FOUND))

    async def doomed(self, agent: str, ids: Sequence[str], about: str = "") -> DeletionPreview:
        """What would be forgotten.

        Args:
            agent: whose memory it is.
            ids: the notes; empty to look for `about`.
            about: what they are about, in any words.

        Raises:
            InvalidInput: neither is given, or too many ids.
            NotFound: the agent remembers no such thing.
        """
        if bool(ids) == bool(about.strip()):
            raise InvalidInput("say either which notes (`ids`) or what they are about (`about`)")
        if len(ids) > MAX_FORGOTTEN:
            raise InvalidInput(f"{len(ids)} notes at once; at most {MAX_FORGOTTEN}")
        if ids:
            there = await self.index.get(list(dict.fromkeys(ids)))
            notes = [note for note in there if note.scope in (agent, EVERYONE)]
            if missing := sorted(set(ids) - {note.id for note in notes}):
                raise NotFound(f"nothing is remembered under {', '.join(one[:60] for one in missing)}")
        else:
            found = [hit.note for hit in await self.recall(agent, about)]
            notes = [note for note in found if note.thread_id]  # what a person corrected is theirs to forget
            if not notes:
                raise NotFound("nothing that is remembered fits these words")
        return DeletionPreview(tuple(notes), _code(notes))

    async def forget(self, agent: str, ids: Sequence[str], code: str) -> int:
        """Remove notes for good.

        Args:
            agent: whose memory it is.
            ids: which.
            code: what `doomed` gave for exactly these.

        Raises:
            Refused: it is another code: the notes are others than were shown.
            NotFound: one of them is not there.
        """
        doomed = await self.doomed(agent, ids)
        if code != doomed.code:
            raise Refused("the code is not the one for these notes: ask once more without a code to see what would go")
        return await self.index.delete([note.id for note in doomed.notes])

    async def section_for(self, agent: str, message: str) -> Words:
        """What an agent is told before a conversation that begins with a message; empty if there is nothing."""
        scopes = [agent, EVERYONE]
        await self._settled()
        return section(
            MemorySection(
                await self.index.recent(scopes, "fact", MAX_FACTS),
                [found.note for found in await self._recall.best(scopes, message, MAX_BEST)],
                await self.index.recent(scopes, "episode", self._window) if self._window else (),
            ),
            self._section_chars,
        )

    async def more_for(self, agent: str, stands: Mapping[str, int], message: str, told: Iterable[str]) -> Words:
        """What an agent is told beside a later message of a thread; empty if there is nothing new.

        Args:
            agent: whose memory it is.
            stands: the threads whose words stand there already, and up to when they were said.
            message: what is said.
            told: the sections that stand in it.
        """
        found = await self._recall.best([agent, EVERYONE], message, MAX_BEST)
        return more((hit.note for hit in found if hit.note.at_ms > stands.get(hit.note.thread_id, -1)), told)


def _code(notes: Sequence[MemoryNote]) -> str:
    digest = blake2b(digest_size=4)
    for note in sorted(notes, key=lambda one: one.id):
        digest.update(f"{note.id}\0{note.text}\0".encode())
    return digest.hexdigest()
