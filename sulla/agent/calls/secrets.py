"""Whether a call would carry a secret of the daemon's out: whole, encoded, or in pieces. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from sulla.agent.input.views import decoded_views
from sulla.core.message import ToolCall
from sulla.core.redact import Redactor
from sulla.threads.log.transcript import Transcript

BEFORE_CHARS: Final = 16_384
"""Of the arguments of earlier calls, the newest, in which pieces are looked for."""
BEFORE_MESSAGES: Final = 400
"""The newest of the conversation that are looked through for such calls."""


def carries_secret(redactor: Redactor, call: ToolCall, transcript: Transcript) -> bool:
    """Whether arguments hold a secret: in any spelling that the redactor knows, encoded once more, or together with the
    arguments of earlier calls of the conversation.

    Args:
        redactor: knows the secrets.
        call: the call.
        transcript: the conversation as the model saw it; may hold the call.
    """
    texts = [*_texts(call.args)]
    if any(redactor.holds(text) or any(map(redactor.holds, decoded_views(text))) for text in texts):
        return True
    return redactor.is_spread_over("\n".join(texts), "\n".join(_before(call, transcript)))


def _before(call: ToolCall, transcript: Transcript) -> list[str]:
    """What earlier calls said, the newest first."""
    found, left = list[str](), BEFORE_CHARS
    for message in islice(reversed(transcript), BEFORE_MESSAGES):
        for earlier in reversed(message.calls):
            if earlier.id == call.id:
                found, left = [], BEFORE_CHARS  # those so far come behind it
                continue
            said = [*_texts(earlier.args)]
            found += said
            left -= sum(map(len, said))
        if left <= 0:
            break
    return found


def _texts(value: object) -> Iterator[str]:
    """Every text in a value, names too, as it is and in plain letters."""
    match value:
        case str():
            yield value
            if not value.isascii():  # wide letters and their like, that stand for plain ones
                yield unicodedata.normalize("NFKC", value)
        case Mapping():
            for name, item in value.items():
                yield from _texts(name)
                yield from _texts(item)
        case list() | tuple():
            for item in value:
                yield from _texts(item)
