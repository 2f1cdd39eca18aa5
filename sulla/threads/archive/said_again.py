"""A message that somebody says again, edited or not, as when a copy of a conversation goes on from it: where its words
came from rides on."""

from __future__ import annotations

from dataclasses import replace

from sulla.core.errors import InvalidInput
from sulla.core.ids import ThreadId
from sulla.threads.log.records import Input
from sulla.threads.store import ThreadStore


async def as_it_was(threads: ThreadStore, thread_id: ThreadId, seq: int, message: Input) -> Input:
    """A message with what the earlier one has that it says again.

    Args:
        threads: have the earlier one.
        thread_id: where that is.
        seq: its number there.
        message: what is said now.

    Raises:
        NotFound: there is no such thread.
        InvalidInput: the record is no message, or both pass something on.
        CorruptRecord: it cannot be read.
        StoreUnavailable: the store gave up.
    """
    found = await threads.entries(thread_id, after=seq - 1, before=seq + 1, limit=1)
    fact = found[0].fact if found else None
    if not isinstance(fact, Input):
        raise InvalidInput(f"again.seq: record {seq} of {thread_id!r} is no message: expected the number of an INPUT")
    return said_again(message, fact)


def said_again(message: Input, earlier: Input) -> Input:
    """The same without I/O. What was changed is taken for the person's only where all of the earlier one was; in
    doubt it is from outside. Pure.

    Args:
        message: what is said now.
        earlier: what it says again.

    Raises:
        InvalidInput: both pass something on.
    """
    if message.quoted and earlier.quoted:
        raise InvalidInput("quoted: the message that is said again passes something on itself, and this keeps it")
    loudspeaker = earlier.spoken is not None and earlier.spoken.heard is not None  # its words may be the reply's own
    foreign = earlier.origin != "user" or message.origin != "user"
    said_chars, clear = _said(message, earlier)
    return replace(
        message,
        origin="web" if foreign else "user",
        tainted=message.tainted or earlier.tainted or loudspeaker or not clear,
        quoted=message.quoted or earlier.quoted,
        said_chars=said_chars,
    )


def _said(message: Input, earlier: Input) -> tuple[int, bool]:
    """How much of the text's end the person said, and whether that is certain: an application's words come first."""
    if not earlier.said_chars:
        return message.said_chars, True
    applications = earlier.text[: -earlier.said_chars]
    said_chars = len(message.text) - len(applications)
    if said_chars > 0 and message.text.startswith(applications):
        return said_chars, True
    return 0, False
