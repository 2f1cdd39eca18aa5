"""What agents remember, for people: looked through, searched and forgotten."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Protocol

from pydantic import Field, JsonValue

from sulla.core.dataclass import dataclass
from sulla.memory.memory import MAX_FORGOTTEN, MAX_FOUND
from sulla.rpc.caller import Context
from sulla.rpc.form import Id, Label, Params, Seq
from sulla.rpc.method import Example, Method, Methods, Rest
from sulla.rpc.row import Time

NoteKind = Literal["episode", "fact", "errand"]


class MemorySearch(Params):
    """`memory.search`."""

    agent: Id
    words: Label
    limit: Annotated[int, Field(ge=1, le=MAX_FOUND)] = MAX_FOUND


class MemoryNotes(Params):
    """`memory.notes`."""

    agent: Id
    kind: NoteKind | None = None
    """Null for each."""
    before_ms: Seq | None = None
    """Only older ones, UTC milliseconds: the `next` of the page before."""
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class MemoryNoteForget(Params):
    """`memory.note.forget`."""

    agent: Id
    ids: Annotated[list[Id], Field(min_length=1, max_length=MAX_FORGOTTEN)]
    code: Label | None = None
    """What was given for exactly these; null to see what would go."""


@dataclass(frozen=True, slots=True)
class NoteRow:
    """One note."""

    id: str
    kind: NoteKind
    """`episode`: a turn of a conversation; `errand`: one that no person spoke in; `fact`: what somebody had
    remembered."""
    scope: str
    """Whose it is: an agent's id; empty for what all agents know."""
    text: str
    """The fact, or what came out of the turn."""
    asked: str
    """What the turn was about; empty for a fact."""
    at_ms: Annotated[Time, Field(alias="at")]
    agent: str
    """Who was at work."""
    thread_id: str
    """Where it was said; empty where that is not known."""
    tainted: bool
    """Whether it was made from text that nobody trusts."""


@dataclass(frozen=True, slots=True)
class NotesFound:
    """The answer to `memory.search`: the best first."""

    notes: tuple[NoteRow, ...]


@dataclass(frozen=True, slots=True)
class NotePage:
    """The answer to `memory.notes`: the newest first."""

    notes: tuple[NoteRow, ...]
    next_ms: int | None
    """What to give as `before_ms` for the next page; null if this was the last."""


@dataclass(frozen=True, slots=True)
class NotesForgotten:
    """The answer to `memory.note.forget`."""

    forgotten: int
    would_go: tuple[NoteRow, ...]
    """What would go; empty if it has gone."""
    code: str
    """What has to be said to have exactly that forgotten; empty if it was."""


class NoteService(Protocol):
    """Keeps them."""

    async def search(self, agent: str, words: str, limit: int) -> NotesFound:
        """What an agent remembers of something, as its tool `recall` finds it.

        Raises:
            NotAvailable: no memory is kept.
        """

    async def newest(self, agent: str, kind: NoteKind | None, before_ms: int | None, limit: int) -> NotePage:
        """What it remembers, and what all agents know.

        Raises:
            NotAvailable: no memory is kept.
        """

    async def forget(self, agent: str, ids: list[str], code: str | None) -> NotesForgotten:
        """Show what would go, or forget it for good.

        Raises:
            NotAvailable: no memory is kept.
            NotFound: there is no such note.
            Refused: it is another code: the notes are others than were shown.
        """


async def _search(service: NoteService, params: MemorySearch, context: Context) -> NotesFound:
    return await service.search(params.agent, params.words, params.limit)


async def _newest(service: NoteService, params: MemoryNotes, context: Context) -> NotePage:
    return await service.newest(params.agent, params.kind, params.before_ms, params.limit)


async def _forget(service: NoteService, params: MemoryNoteForget, context: Context) -> NotesForgotten:
    return await service.forget(params.agent, params.ids, params.code)


_NOTE: Final[dict[str, JsonValue]] = {
    "id": "fact_77f1",
    "kind": "fact",
    "scope": "sulla",
    "text": "Ana lives in Malmö.",
    "asked": "",
    "at": "2027-01-15T08:00:00.000Z",
    "agent": "sulla",
    "thread_id": "thr_9b2d",
    "tainted": False,
}

METHODS: Final[Methods[NoteService]] = Methods(
    "notes",
    (
        Method(
            "memory.search",
            MemorySearch,
            NotesFound,
            "read",
            _search,
            Rest("POST", "/memory/{agent}/search", "Look for what an agent remembers."),
            Example({"notes": [_NOTE]}, {"words": "where Ana lives"}),
            needs="open",
        ),
        Method(
            "memory.notes",
            MemoryNotes,
            NotePage,
            "read",
            _newest,
            Rest(
                "GET",
                "/memory/{agent}/notes",
                "What an agent remembers, the newest first.",
                numbers=("limit", "before_ms"),
            ),
            Example({"notes": [_NOTE], "next_ms": None}),
            needs="open",
        ),
        Method(
            "memory.note.forget",
            MemoryNoteForget,
            NotesForgotten,
            "write",
            _forget,
            Rest("POST", "/memory/{agent}/notes/forget", "Show what would go of notes; with its code, have it go."),
            Example({"forgotten": 1, "would_go": [], "code": ""}, {"ids": ["fact_77f1"], "code": "5f0a11c2"}),
            needs="open",
        ),
    ),
)
