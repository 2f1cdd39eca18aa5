"""What clients can do to find conversations again."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Final, Literal, Protocol

from pydantic import Field, StringConstraints

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.finding.title import KINDS, Kind, TitledBy
from sulla.rpc.caller import Context
from sulla.rpc.form import LINE_PATTERN, Id, Params, Title
from sulla.rpc.method import Example, Method, Methods, Rest
from sulla.rpc.row import Time

MOST_ASKED_CHARS: Final = 400
MOST_FOUND: Final = 50
"""Conversations that one search gives."""
_NEWEST: Final = 50

Question = Annotated[str, StringConstraints(min_length=1, max_length=MOST_ASKED_CHARS, pattern=LINE_PATTERN)]


class ThreadRecent(Params):
    """`thread.recent`: threads by when something happened in them, the newest first."""

    kind: Kind | Literal["all"] = "chat"
    """Only this kind, people's conversations by default; `all` for each."""
    after: Id | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = _NEWEST


class ThreadSearch(Params):
    """`thread.search`: conversations by their titles and by what was said in them."""

    words: Question
    kind: Kind | Literal["all"] = "chat"
    """Only this kind, people's conversations by default; `all` for each."""
    limit: Annotated[int, Field(ge=1, le=MOST_FOUND)] = 20


class ThreadRename(Params):
    """`thread.rename`."""

    thread_id: Id
    title: Title
    """Empty to have it called by its first words again."""
    request_id: Id | None = None


class ThreadResolve(Params):
    """`thread.resolve`: the thread whose id begins so."""

    begins: Id
    """The beginning of an id, with or without `thr_`."""


@dataclass(frozen=True, slots=True)
class RecentRow:
    """One thread in a list by activity."""

    thread_id: str
    title: str
    """What a person has called it, else what it was begun as, else its first words in short; empty for none."""
    titled_by: TitledBy
    """Whose the title is: `person`, `client`, `words` or `nobody`."""
    words: str
    """How its first message begins."""
    kind: Kind
    agent: str
    status: str
    last_seq: int
    created_ms: Annotated[Time, Field(alias="created_at")]
    active_ms: Annotated[Time, Field(alias="active_at")]
    """When something was decided in it last."""
    waiting: int
    """How many messages wait for their turn."""
    tainted: bool
    """Whether it holds text that nobody trusts."""
    held: int = 0
    """How many of those that wait are held by a stop."""
    copy_of: str = ""
    """The conversation that it is a copy of; empty for none."""
    copied_ms: Annotated[Time | None, Field(alias="copied_at")] = None
    """When the copy was made; null for none."""


@dataclass(frozen=True, slots=True)
class Recents:
    """The answer to `thread.recent`."""

    threads: tuple[RecentRow, ...]
    next: str | None
    """What to give as `after` for the next page; null if this was the last."""


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A conversation that fits, and where."""

    thread: RecentRow
    at_ms: Annotated[Time, Field(alias="at")]
    """When that was said."""
    asked: str
    """The message, around the words that fit, with ``…`` for what was left out; the first where the title fits."""
    said: str
    """The answer, as `asked`; empty where the title fits."""
    tainted: bool
    """Whether these words may have been made from text that nobody trusts."""
    seq: int = 0
    """The number of the message in its thread; 0 where the title fits, and that of the turn's end where the message
    stands far above it."""
    message_id: str = ""
    """The message; empty where `seq` is none."""


@dataclass(frozen=True, slots=True)
class ThreadFound:
    """The answer to `thread.search`: those whose title fits come first, then those whose words fit best."""

    found: tuple[FoundRow, ...]
    more: bool
    """Whether others fit too: name more words to see them."""
    searched: str
    """`words`, or `titles` where no memory is kept and so the words of turns are not known."""


@dataclass(frozen=True, slots=True)
class ThreadResolved:
    """The answer to `thread.resolve`."""

    thread_id: str


class FindingService(Protocol):
    """Finds conversations again."""

    async def recent(self, kinds: Collection[Kind], after: str | None, limit: int) -> Recents:
        """Threads of these kinds by activity.

        Raises:
            InvalidInput: `after` is nothing that a page gave.
        """

    async def search(self, words: str, kinds: Collection[Kind], limit: int) -> ThreadFound:
        """Threads of these kinds that fit words.

        Raises:
            InvalidInput: there is no word in it.
        """

    async def rename(self, thread_id: str, title: str, request_id: str | None, by: str) -> RecentRow:
        """Give a thread a name that stays until a person gives it another one.

        Raises:
            NotFound: there is no such thread.
        """

    async def resolve(self, begins: str) -> str:
        """The id of the one thread whose id begins so.

        Raises:
            NotFound: none does.
            InvalidInput: several do; the message says which.
        """


def _kinds(asked: ThreadRecent | ThreadSearch) -> Collection[Kind]:
    return KINDS if asked.kind == "all" else (asked.kind,)


async def _recent(service: FindingService, params: ThreadRecent, context: Context) -> Recents:
    return await service.recent(_kinds(params), params.after, params.limit)


async def _search(service: FindingService, params: ThreadSearch, context: Context) -> ThreadFound:
    return await service.search(params.words, _kinds(params), params.limit)


async def _rename(service: FindingService, params: ThreadRename, context: Context) -> RecentRow:
    return await service.rename(params.thread_id, params.title, params.request_id, context.caller.name)


async def _resolve(service: FindingService, params: ThreadResolve, context: Context) -> ThreadResolved:
    return ThreadResolved(await service.resolve(params.begins))


_ROW: Final[JsonObject] = {
    "thread_id": "thr_9b2d",
    "title": "Trip to Rome",
    "titled_by": "person",
    "words": "Find me a train to Rome on Friday evening",
    "kind": "chat",
    "agent": "sulla",
    "status": "idle",
    "last_seq": 7,
    "created_at": "2027-01-15T08:00:00.000Z",
    "active_at": "2027-01-15T08:00:09.000Z",
    "waiting": 0,
    "held": 0,
    "tainted": False,
    "copy_of": "",
    "copied_at": None,
}
_FOUND: Final[JsonObject] = {
    "thread": _ROW,
    "at": "2027-01-15T08:00:09.000Z",
    "asked": "Find me a train to Rome on Friday evening",
    "said": "The last one leaves at 19:04.",
    "tainted": False,
    "seq": 2,
    "message_id": "m-1",
}

METHODS: Final[Methods[FindingService]] = Methods(
    "finding",
    (
        Method(
            "thread.recent",
            ThreadRecent,
            Recents,
            "read",
            _recent,
            Rest("GET", "/conversations", "Threads by when something happened in them, a page at a time."),
            Example({"threads": [_ROW], "next": None}),
            needs="store",
        ),
        Method(
            "thread.search",
            ThreadSearch,
            ThreadFound,
            "read",
            _search,
            Rest("GET", "/conversations/search", "Conversations by their titles and words."),
            Example({"found": [_FOUND], "more": False, "searched": "words"}),
            needs="store",
        ),
        Method(
            "thread.rename",
            ThreadRename,
            RecentRow,
            "write",
            _rename,
            Rest("POST", "/threads/{thread_id}/title", "Give a thread a name.", key="request_id"),
            Example(_ROW, {"title": "Trip to Rome", "request_id": "name-rome"}),
            needs="store",
        ),
        Method(
            "thread.resolve",
            ThreadResolve,
            ThreadResolved,
            "read",
            _resolve,
            Rest("GET", "/conversations/{begins}", "The thread whose id begins so."),
            Example({"thread_id": "thr_9b2d"}),
            needs="store",
        ),
    ),
)
