"""What the assistant has just asked, for whoever judges how complete the answer is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sulla.core.ids import ThreadId
from sulla.threads.log.codec import Entry
from sulla.threads.log.records import Input, TextMessageEnd
from sulla.threads.store import ThreadStore

LOOK_BACK: Final = 24
"""Records at the end of a thread in which its last message is looked for: a run's end has three behind it."""
_SAID: Final = (TextMessageEnd.kind, Input.kind)
_CLOSING: Final = " \t\r\n\"'*_`~)]}>\u201d\u2019\u00bb"


async def last_question(threads: ThreadStore, thread_id: ThreadId) -> str | None:
    """The assistant's last message, if it ends in a question that nobody has answered.

    Args:
        threads: where conversations are.
        thread_id: the conversation.

    Raises:
        NotFound: there is no such thread.
        StoreUnavailable: the store does not answer.
        CorruptRecord: its end cannot be read.
    """
    info, _ = await threads.get(thread_id)
    return question_of(await threads.entries(thread_id, after=max(0, info.last_seq - LOOK_BACK), limit=LOOK_BACK))


def question_of(entries: Iterable[Entry]) -> str | None:
    """The question at the end of a conversation.

    Args:
        entries: its last records, in order.
    """
    question = None
    for entry in entries:
        if entry.kind not in _SAID:
            continue  # what is not looked at need not be read
        match entry.fact:
            case TextMessageEnd(text=text, hidden=False) if text.strip():
                question = text if text.rstrip(_CLOSING).endswith(("?", "\uff1f", "\u061f")) else None
            case Input():
                question = None
            case _:
                pass
    return question
