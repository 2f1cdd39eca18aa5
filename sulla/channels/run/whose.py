"""Finds the message that a turn answers, in its conversation's log."""

from __future__ import annotations

from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import NotFound
from sulla.core.ids import RunId, ThreadId
from sulla.threads.log.inputs import said_of
from sulla.threads.log.records import Input, RunStarted
from sulla.threads.store import ThreadStore

_PAGE: Final = 64
_MOST_PAGES: Final = 64
"""Of a turn with more records it is not said whose it is."""


@dataclass(frozen=True, slots=True)
class Whose:
    """Somebody's message."""

    message_id: str = ""
    """Ours; empty where it is not known."""
    text: str = ""
    """His words; empty where the message is nobody's."""


async def whose(threads: ThreadStore, thread: ThreadId, run_id: RunId, seq: int) -> Whose:
    """The message that a turn answers.

    Args:
        threads: where its conversation is.
        thread: its conversation.
        run_id: the turn.
        seq: a record of it; its beginning is looked for before that.

    Raises:
        StoreUnavailable: the store does not answer.
    """
    before = seq
    try:
        for _ in range(_MOST_PAGES):
            after = max(0, before - _PAGE - 1)
            for entry in reversed(await threads.entries(thread, after=after, before=before, limit=_PAGE)):
                if isinstance(entry.fact, RunStarted) and entry.origin.run_id == run_id:
                    return await _said(threads, thread, entry.fact.input_seq)
            if after == 0:
                break
            before = after + 1
    except NotFound:
        pass  # it was deleted meanwhile; how its turn ended is said all the same
    return Whose()


async def _said(threads: ThreadStore, thread: ThreadId, seq: int) -> Whose:
    for entry in await threads.entries(thread, after=seq - 1, limit=1):
        match entry.fact:
            case Input(message_id=message_id, tainted=True, quoted=quoted):
                return Whose(message_id, quoted)
            case Input(message_id=message_id, origin="user", question=None, text=text, said_chars=said_chars):
                return Whose(message_id, said_of(text, said_chars))
    return Whose()
