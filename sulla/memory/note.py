"""What is remembered, as values, and how large it may be. Pure."""

from __future__ import annotations

import json
from dataclasses import asdict, field
from typing import Final, Literal, get_args

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.core.words import Author, agent

Kind = Literal["episode", "fact", "errand"]
"""A finished turn of a person's conversation, written from its log; what somebody said to remember; or a finished turn
that no person spoke in: a sub-agent's task, a beat, a step of a playbook."""

KINDS: tuple[Kind, ...] = get_args(Kind)

TURNS: Final[tuple[Kind, ...]] = ("episode", "errand")
"""Kinds that are written from a thread's log and go with it."""

EVERYONE: Final = ""
"""The scope of what all agents of a home may recall; any other scope is one agent's id."""

MAX_ASKED: Final = 600
"""Characters of a message that an episode keeps."""

MAX_TEXT: Final = 1_200
"""Characters of an answer that an episode keeps, and the most that a fact may have."""

MAX_TOOLS: Final = 20
"""Names of tools that an episode keeps."""

MAX_REMOVED: Final = 1_000
"""Notes that one write removes: of more, e.g. where the bound was lowered, the rest goes with the next ones, so that no
write takes long.
"""


@dataclass(frozen=True, slots=True)
class MemoryNote:
    """One thing that is remembered; never changed after it was made."""

    id: str
    kind: Kind
    scope: str
    """Whose it is: an agent's id, or `EVERYONE`."""
    text: str
    """The fact, or what came out of the turn."""
    at_ms: int
    """When it was said, UTC milliseconds."""
    agent: str
    """Who was at work."""
    thread_id: str
    run_id: str
    asked: str = ""
    """What the turn was about, in the person's words; empty for a fact."""
    outcome: str = ""
    tools: tuple[str, ...] = ()
    tainted: bool = field(kw_only=True)
    """Whether it was made from what nobody trusts: web, mail, MCP, other agents (design §9)."""

    @property
    def by(self) -> Author:
        """Whose words it holds."""
        return agent(tainted=self.tainted)

    @property
    def words(self) -> str:
        """All that it can be found by."""
        return f"{self.asked}\n{self.text}\n{' '.join(self.tools)}"


@dataclass(frozen=True, slots=True)
class MemoryHit:
    """A note, and how well it fits what was asked; higher is better, and only good for ordering one answer."""

    note: MemoryNote
    score: float


@dataclass(frozen=True, slots=True)
class ReadPosition:
    """How far a thread's log has been read."""

    created_ms: int
    """When the log was made: another thread under a known id is read from its beginning."""
    from_seq: int = 0
    """What comes after this has to be read again: a run is open there, or a message waits."""
    done_seq: int = 0
    """Runs that ended up to here have been written; a note that was forgotten since does not come back."""
    tainted: bool = field(kw_only=True)
    """Whether anything up to `from_seq` came from what nobody trusts; what follows derives from it."""
    silent: bool = field(default=False, kw_only=True)
    """Whether nothing of this thread is remembered: it knows its task alone, and nobody else is to know it."""
    errand: bool = field(default=False, kw_only=True)
    """Whether another run asked for this thread, and no person."""


@dataclass(frozen=True, slots=True)
class MemoryCapacity:
    """How much is kept of each scope."""

    episodes: int = 50_000
    """The oldest one goes when there is one more."""
    errands: int = 10_000
    """Likewise; never more than `episodes`."""
    facts: int = 2_000
    """One more is refused: what somebody said to remember is not dropped in silence."""

    def most(self, kind: Kind) -> int:
        """How many notes of a kind are kept; the oldest turns go beyond that."""
        return {"episode": self.episodes, "errand": min(self.errands, self.episodes), "fact": self.facts}[kind]


def note_to_json(note: MemoryNote) -> str:
    """A note as a line of JSON."""
    return json.dumps(asdict(note), separators=(",", ":"))


def note_from_json(text: str | bytes) -> MemoryNote:
    """The inverse of `note_to_json`.

    Raises:
        CorruptRecord: it is no note.
    """
    try:
        value = json.loads(text)
        note = MemoryNote(**{"tainted": True, **value, "tools": tuple(value["tools"])})
    except (ValueError, TypeError, KeyError) as error:
        raise CorruptRecord(f"not a note of the memory: {text[:200]!r}") from error
    if note.kind not in KINDS:
        raise CorruptRecord(f"not a kind of note: {note.kind!r}; expected one of {', '.join(KINDS)}")
    return note


def progress_to_json(progress: ReadPosition) -> str:
    """How far a thread was read, as JSON."""
    said = {name: value for name, value in asdict(progress).items() if name not in ("silent", "errand") or value}
    return json.dumps(said, separators=(",", ":"))


def progress_from_json(text: str | bytes) -> ReadPosition:
    """The inverse of `progress_to_json`.

    Raises:
        CorruptRecord: it is something else.
    """
    try:
        return ReadPosition(**{"tainted": True, **json.loads(text)})
    except (ValueError, TypeError) as error:
        raise CorruptRecord(f"not a place in a thread: {text[:200]!r}") from error
