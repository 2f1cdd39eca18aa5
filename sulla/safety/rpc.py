"""What clients can ask about why a conversation or a file is mistrusted, and have done about it."""

from __future__ import annotations

from typing import Final, Protocol

from sulla.core.dataclass import dataclass
from sulla.rpc.caller import Context
from sulla.rpc.form import FilePath, Id, Params
from sulla.rpc.method import Example, Method, Methods, Rest


class SafetyExplain(Params):
    """`safety.explain`."""

    thread_id: Id


class SafetyForget(Params):
    """`safety.forget`."""

    thread_id: Id
    request_id: Id | None = None


class SafetyTrust(Params):
    """`safety.trust`."""

    path: FilePath
    seen: Id | None = None
    """What the answer without it said: then the marks are taken away."""


@dataclass(frozen=True, slots=True)
class MarkRow:
    """A record that holds words from outside, or words made from them."""

    seq: int
    at: str
    source: str
    """Where they came from."""
    words: str
    """How they begin."""


@dataclass(frozen=True, slots=True)
class HeldRow:
    """A call that a person was asked about."""

    seq: int
    tool: str
    why: str
    answer: str
    """`approve`, `reject`, `always`; empty as long as nobody has answered."""


@dataclass(frozen=True, slots=True)
class SafetyExplained:
    """The answer to `safety.explain`."""

    thread_id: str
    tainted: bool
    marks: tuple[MarkRow, ...]
    """What makes it so; the first 200."""
    more_marks: int
    """How many there are beside those."""
    held: tuple[HeldRow, ...]
    """What people were asked about; the first 200."""
    clean_before: int
    """The record before which nothing is from outside; 0 if there is no such record."""
    files: tuple[str, ...] = ()
    """Where a command has made it so: the newest of the files that are marked as from outside and that one may have
    read, as far as they still are; at most 20."""
    more_files: int = 0
    """How many there are beside those."""


@dataclass(frozen=True, slots=True)
class SafetyForgotten:
    """The answer to `safety.forget`."""

    thread_id: str
    """The copy."""
    records: int
    """How many of the conversation's records it has."""


@dataclass(frozen=True, slots=True)
class SafetyTrusted:
    """The answer to `safety.trust`."""

    path: str
    """The whole one, links resolved."""
    kind: str
    """`file` or `folder`."""
    files: int
    """How many marked files there are, or were."""
    others: int
    """How many other homes on the workspace have marked something there too, and go on mistrusting it."""
    seen: str
    """Stands for what was found; with it the marks are taken away, unless something there has changed."""
    trusted: bool
    """Whether they were."""
    names: tuple[str, ...] = ()
    """The newest of a folder's marked files, below it; at most 20."""


class SafetyService(Protocol):
    """Knows why conversations and files are mistrusted."""

    async def explain(self, thread_id: str) -> SafetyExplained:
        """Say why a conversation is mistrusted.

        Raises:
            NotFound: there is no such thread.
            CorruptRecord: it cannot be read.
        """

    async def forget(self, thread_id: str, request_id: str | None) -> SafetyForgotten:
        """Copy a conversation as it was before it was mistrusted; the same request makes one copy.

        Raises:
            NotFound: there is no such thread.
            InvalidInput: nothing in it is from outside, or nothing came before that.
            CorruptRecord: it cannot be read.
        """

    async def trust(self, path: str, seen: str) -> SafetyTrusted:
        """Say what is marked at a path, and take those marks away where `seen` says that a person has looked at it.

        Raises:
            PathEscape: it is not in a folder whose files have marks.
            NotFound: there is no such file or folder.
            InvalidInput: it is not marked, or not by itself.
            Conflict: a run is writing there, or it is not as it was looked at.
            CorruptRecord: the marks cannot be read.
            Refused: it cannot be written down.
        """


async def _explain(service: SafetyService, params: SafetyExplain, context: Context) -> SafetyExplained:
    return await service.explain(params.thread_id)


async def _forget(service: SafetyService, params: SafetyForget, context: Context) -> SafetyForgotten:
    return await service.forget(params.thread_id, params.request_id)


async def _trust(service: SafetyService, params: SafetyTrust, context: Context) -> SafetyTrusted:
    return await service.trust(params.path, params.seen or "")


METHODS: Final[Methods[SafetyService]] = Methods(
    "safety",
    (
        Method(
            "safety.explain",
            SafetyExplain,
            SafetyExplained,
            "read",
            _explain,
            Rest("GET", "/threads/{thread_id}/safety", "Why a conversation is mistrusted, and what was held up."),
            Example(
                {
                    "thread_id": "thr_9b2d",
                    "tainted": True,
                    "marks": [
                        {
                            "seq": 9,
                            "at": "2027-01-15T08:00:00.000Z",
                            "source": 'the result of web_fetch {"url": "https://example.org"}',
                            "words": "Opening hours",
                        }
                    ],
                    "more_marks": 0,
                    "held": [{"seq": 14, "tool": "post", "why": "the conversation is mistrusted", "answer": ""}],
                    "clean_before": 5,
                }
            ),
            needs="store",
        ),
        Method(
            "safety.forget",
            SafetyForget,
            SafetyForgotten,
            "write",
            _forget,
            Rest("POST", "/threads/{thread_id}/forget", "Copy it as it was before that.", 201, "request_id"),
            Example({"thread_id": "thr_51c0", "records": 4}, {"request_id": "forget-1"}),
            needs="open",
        ),
        Method(
            "safety.trust",
            SafetyTrust,
            SafetyTrusted,
            "approve",
            _trust,
            Rest("POST", "/files/trust", "Say what is marked of a file or folder; with `seen`, trust it as it is."),
            Example(
                {
                    "path": "/srv/sulla/notes/rome.md",
                    "kind": "file",
                    "files": 1,
                    "others": 0,
                    "seen": "7be1d0c5",
                    "trusted": False,
                },
                {"path": "notes/rome.md"},
            ),
            needs="open",
        ),
    ),
)
