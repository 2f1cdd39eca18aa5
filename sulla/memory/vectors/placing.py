"""Gives each note its place in the embedding model's space, behind the turns. Nobody waits for it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import ContextTooLong, InvalidInput, SettingsError
from sulla.memory.metrics import PLACED
from sulla.memory.note import MemoryNote
from sulla.memory.vectors.base import NoteVector, VectorStore
from sulla.memory.vectors.signature import normalised, pack, signature_of
from sulla.telemetry.tally import Tally
from sulla.threads.pending import Intervals
from sulla.threads.wake_loop import WakeLoop, Wording

log = logging.getLogger(__name__)

BATCH: Final = 16
"""Notes of one call: some 6,000 tokens, which an Ollama without a graphics card places in a few seconds."""

LINGER_S: Final = 2.0
"""After a note was written: the turn that follows at once may ask the same service."""

BREATH_S: Final = 0.05
"""The pause after each call while much is to be done: turns come first."""

SHORTEST_CHARS: Final = 100
"""A text that a model does not take is halved until it is so short."""

MOST_REFUSED: Final = 1_000
"""Notes that are known to be refused; they are tried again after the next start."""

WORDING: Final = Wording(
    "notes get no vectors: %s; turns go on, the memory is searched by words, and it catches up later",
    "notes get vectors again",
)

Embed = Callable[[Sequence[str]], Awaitable[list[list[float]]]]
"""Gives the places of notes' texts."""


class Placing(WakeLoop):
    """Embeds the notes that have no vector of the model, the newest first, and keeps each batch in one step: a kill
    costs one call, and nothing is kept twice.

    Args:
        vectors: keeps them.
        model: the embedding model, as the settings name it.
        embed: asks it, within the day's limits.
        clock: all time.
        tally: takes figures.
    """

    def __init__(self, vectors: VectorStore, model: str, embed: Embed, clock: Clock, tally: Tally) -> None:
        super().__init__(self._round, clock, WORDING, Intervals(linger_s=LINGER_S))
        self._vectors = vectors
        self._model = model
        self._embed = embed
        self._tally = tally
        self._used = False
        self._refused: set[str] = set()

    def added(self) -> None:
        """Notes were written. Never waits, never fails."""
        self.wake("notes")

    async def _round(self) -> None:
        while self.pending.next() is not None:
            pass  # all that is missing is done in any case
        self.pending.begin_sweep()
        if not self._used:
            await self._vectors.use(self._model)
            self._used = True
        while notes := await self._lacking():
            placed = await self._placed(notes)
            kept = await self._vectors.put(self._model, placed)
            self._tally.count(PLACED, by=kept)
            if not placed and len(self._refused) >= MOST_REFUSED:
                return
            if placed and not kept and {note.id for note in await self._lacking()} >= {one.note.id for one in placed}:
                raise SettingsError(
                    "the vectors are another model's by now: all daemons on a store have to name the same memory.embed"
                )
            await self._clock.sleep(BREATH_S)

    async def _lacking(self) -> list[MemoryNote]:
        missing = await self._vectors.missing(BATCH + len(self._refused))
        return [note for note in missing if note.id not in self._refused][:BATCH]

    async def _placed(self, notes: Sequence[MemoryNote]) -> list[NoteVector]:
        try:
            places = await self._embed([text_of(note) for note in notes])
            return [_vector(note, place) for note, place in zip(notes, places, strict=True)]
        except (ContextTooLong, InvalidInput) as error:
            if len(notes) > 1:  # one of them is at fault: each for itself, then
                return [vector for note in notes for vector in await self._placed([note])]
            return await self._shortened(notes[0], error)

    async def _shortened(self, note: MemoryNote, error: Exception) -> list[NoteVector]:
        text = text_of(note)
        while isinstance(error, ContextTooLong) and len(text) > SHORTEST_CHARS:
            text = text[: len(text) // 2]
            try:
                (place,) = await self._embed([text])
                return [_vector(note, place)]
            except (ContextTooLong, InvalidInput) as again:
                error = again
        if len(self._refused) < MOST_REFUSED:
            self._refused.add(note.id)
        log.warning("a note gets no vector, it is found by words alone: %s", error, extra={"note": note.id})
        return []


def text_of(note: MemoryNote) -> str:
    """What of a note is embedded: what was asked and what came of it, without the names of tools."""
    return f"{note.asked}\n{note.text}".strip() or " ".join(note.tools) or note.outcome or note.kind


def _vector(note: MemoryNote, place: Sequence[float]) -> NoteVector:
    vector = normalised(place)
    return NoteVector(note, signature_of(vector), pack(vector))
