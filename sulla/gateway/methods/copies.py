"""Copies of a conversation: another one that goes on from a place in it, and a text to keep."""

from __future__ import annotations

from typing import Final, Literal, Protocol

from sulla.core.dataclass import dataclass
from sulla.rpc.caller import Context
from sulla.rpc.form import Id, Params, Seq
from sulla.rpc.method import Example, Method, Methods, Rest

Form = Literal["markdown", "lines"]


class ThreadFork(Params):
    """`thread.fork`."""

    thread_id: Id
    at_seq: Seq
    """The number of the message (`INPUT`): the copy has all that was answered before its turn began."""
    request_id: Id | None = None
    """The same one makes the same copy."""


class ThreadExport(Params):
    """`thread.export`."""

    thread_id: Id
    form: Form = "markdown"
    """`markdown` for people; `lines` of JSON as `sulla thread import` takes them."""
    after: Seq = 0
    """What the page before gave as `next`."""


@dataclass(frozen=True, slots=True)
class ThreadForked:
    """The answer to `thread.fork`."""

    thread_id: str
    """The copy."""
    records: int


@dataclass(frozen=True, slots=True)
class ThreadText:
    """The answer to `thread.export`: a piece of the text; all of them in their order are the whole."""

    text: str
    next: int | None
    """The `after` of the next piece; null if this was the last."""


class CopyService(Protocol):
    """Makes them."""

    async def fork(self, thread_id: str, at_seq: int, request_id: str | None) -> ThreadForked:
        """Make a conversation that holds all that was before a message's turn began, without what was queued then.

        Args:
            thread_id: the conversation.
            at_seq: the message's number.
            request_id: the same one makes the same copy; None makes another one each time.

        Raises:
            NotFound: there is no such thread.
            InvalidInput: there is no message of that number, or it is no conversation with a person.
            TooLarge: there is too much of it.
        """

    async def export(self, thread_id: str, form: Form, after: int, page_bytes: int) -> ThreadText:
        """A piece of a thread as a text.

        Args:
            thread_id: the thread.
            form: what the text is.
            after: the number of the last record of the piece before.
            page_bytes: where a piece is cut.

        Raises:
            NotFound: there is no such thread.
            CorruptRecord: it cannot be read.
        """


async def _fork(service: CopyService, params: ThreadFork, context: Context) -> ThreadForked:
    return await service.fork(params.thread_id, params.at_seq, params.request_id)


async def _export(service: CopyService, params: ThreadExport, context: Context) -> ThreadText:
    return await service.export(params.thread_id, params.form, params.after, context.page_bytes)


METHODS: Final[Methods[CopyService]] = Methods(
    "copies",
    (
        Method(
            "thread.fork",
            ThreadFork,
            ThreadForked,
            "write",
            _fork,
            Rest(
                "POST",
                "/threads/{thread_id}/fork",
                "Copy a conversation as it was before a message.",
                201,
                "request_id",
            ),
            Example({"thread_id": "thr_51c0", "records": 7}, {"at_seq": 8, "request_id": "fork-1"}),
            needs="open",
        ),
        Method(
            "thread.export",
            ThreadExport,
            ThreadText,
            "read",
            _export,
            Rest("GET", "/threads/{thread_id}/text", "A thread as a text, a piece at a time.", numbers=("after",)),
            Example({"text": "# Trip to Rome\n", "next": None}),
            needs="store",
        ),
    ),
)
