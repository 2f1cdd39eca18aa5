"""The settings of memory, `[memory]`. Pure."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sulla.host.section import Section


class MemorySettings(Section):
    """What agents remember of earlier conversations (docs/memory.md)."""

    enabled: bool = True
    """Whether finished turns are remembered, and agents can remember, recall and forget."""
    embed: str = ""
    """The embedding model by which notes are also found that say it in other words, `ollama:<model>` or
    `openai:<model>`, e.g. `ollama:nomic-embed-text`; empty for none. Another model means that all notes are embedded
    anew."""
    embed_telling: Annotated[float, Field(ge=0.0, le=1.0)] | None = None
    """How near a note has to be to a message to be told without being looked for, as a cosine; none for what is known
    of the model, else 0.65. A higher one tells less."""
    entities: bool = False
    """Whether people, places, projects and things are drawn from what is remembered, with what is said of them and how
    they stand to each other. Off, because it asks the agent's model once more about what was said, some 400 tokens for
    each turn, within the limits of its day; a daemon without a model does nothing of it."""
    entities_every: Annotated[int, Field(ge=1, le=20)] = 8
    """Turns from which they are drawn at once; what is left over is drawn from within an hour or two."""
    window: Annotated[int, Field(ge=0, le=1_000)] = 20
    """The newest turns of an agent that it is told of at the beginning of a conversation (seed 001)."""
    every_turn: bool = True
    """Whether an agent is also told, with a later message, what fits that and was not told yet: 4 notes at most."""
    section_chars: Annotated[int, Field(ge=500, le=100_000)] = 8_000
    """Characters of all that it is told of its memory there; four make about one token."""
    episodes: Annotated[int, Field(ge=1, le=1_000_000)] = 50_000
    """Turns that are remembered of each agent; the oldest one goes first."""
    facts: Annotated[int, Field(ge=1, le=100_000)] = 2_000
    """Facts that each agent may remember; one more is refused."""
