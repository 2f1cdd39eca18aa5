"""What the assistant has just asked for, for whoever judges how complete the answer is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from sulla.core.ids import ThreadId
from sulla.core.pattern import late_pattern
from sulla.speech.sentences.sentences import Sentences
from sulla.threads.log.codec import Entry
from sulla.threads.log.records import Input, TextMessageEnd
from sulla.threads.store import ThreadStore

LOOK_BACK: Final = 24
"""Records at the end of a thread in which its last message is looked for: a run's end has three behind it."""
_SAID: Final = (TextMessageEnd.kind, Input.kind)
_ASKING_SENTENCES: Final = 2
"""So many at the end of a message are looked at: "Which one? Tell me."."""
_MARKS: Final = ("?", "\uff1f", "\u061f")
_REQUEST: Final = late_pattern(
    r"(?:(?:so|and|then|now|ok|okay|first|next|just)\b,? )*(?:please\b|(?:could|can|would|will) (?:you|i)\b"
    r"|(?:tell|give|send|read|show) me\b|let me (?:know|have)\b"
    r"|(?:say|spell|name|choose|pick|enter|describe|repeat|confirm|specify|type)\b)|i(?:'ll)? (?:just )?need your\b"
    r"|.*\bplease[.!]?$",
    re.IGNORECASE,
)
"""English that asks for an answer without a question mark."""
_CLOSING: Final = " \t\r\n\"'*_`~)]}>\u201d\u2019\u00bb"


async def last_question(threads: ThreadStore, thread_id: ThreadId) -> str | None:
    """What the assistant's last message asks for at its end, if nobody has answered.

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
    """The question, or the request, at the end of a conversation.

    Args:
        entries: its last records, in order.
    """
    question = None
    for entry in entries:
        if entry.kind not in _SAID:
            continue  # what is not looked at need not be read
        match entry.fact:
            case TextMessageEnd(text=text, hidden=False) if text.strip():
                question = asked_in(text)
            case Input():
                question = None
            case _:
                pass
    return question


def asked_in(text: str) -> str | None:
    """What a message asks for at its end, from the first sentence there that asks.

    Args:
        text: of the assistant.
    """
    sentences = Sentences()
    said = [piece.text for piece in (*sentences.feed(text), *sentences.finish()) if piece.text]
    last = said[-_ASKING_SENTENCES:]
    for at, sentence in enumerate(last):
        bare = sentence.rstrip(_CLOSING)
        if bare.endswith(_MARKS) or _REQUEST.match(bare):
            return " ".join(last[at:])
    return None
