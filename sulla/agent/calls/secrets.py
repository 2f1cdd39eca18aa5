"""Whether a call would carry a secret of the daemon's out: whole, encoded, or in pieces. Pure."""

from __future__ import annotations

import base64
import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Final

from sulla.agent.input.views import decoded_views
from sulla.core.message import ToolCall
from sulla.core.pattern import late_pattern
from sulla.core.redact import Redactor
from sulla.threads.log.transcript import Transcript

BEFORE_CHARS: Final = 16_384
"""Of the arguments of earlier calls, the newest, in which pieces are looked for."""
BEFORE_MESSAGES: Final = 400
"""The newest of the conversation that are looked through for such calls."""


MOST_PIECES: Final = 64
"""Pieces of one text that are looked into for letters of several bytes."""
_HEX_STEP: Final = 2
_HEX: Final = late_pattern(r"[0-9A-Fa-f]{32,16384}")
_BASE64: Final = late_pattern(r"[A-Za-z0-9+/_-]{24,16384}")
_ESCAPED: Final = late_pattern(
    r"\\u\{(?P<braced>[0-9A-Fa-f]{1,6})\}|\\u(?P<four>[0-9A-Fa-f]{4})|\\U(?P<eight>[0-9A-Fa-f]{8})"
    r"|(?:%|=|\\x)(?P<two>[0-9A-Fa-f]{2})|0[xX](?P<number>[0-9A-Fa-f]{2})(?![0-9A-Fa-f])[\s,;]{0,3}"
    r"|&#[xX](?P<entity>[0-9A-Fa-f]{1,6});?|&#(?P<decimal>[0-9]{1,7});?|\\(?P<octal>[0-7]{3})"
)
"""A letter as some notation spells it; one text may mix them."""


def carries_secret(redactor: Redactor, call: ToolCall, transcript: Transcript) -> bool:
    """Whether arguments hold a secret: in any spelling that the redactor knows, encoded once more, or together with the
    arguments of earlier calls of the conversation.

    Args:
        redactor: knows the secrets.
        call: the call.
        transcript: the conversation as the model saw it; may hold the call.
    """
    texts = [*_texts(call.args)]
    if any(map(redactor.holds, chain.from_iterable(map(_readings, texts)))):
        return True
    return redactor.is_spread_over("\n".join(texts), "\n".join(_before(call, transcript)))


def _readings(text: str) -> Iterator[str]:
    """A text, and what it says to whoever undoes one encoding of it, or one of letters and one of bytes."""
    plain = _ESCAPED.sub(_letter, text)
    for one in (text, plain) if plain != text else (text,):
        yield one
        yield from decoded_views(one)
        yield from _wide(one)


def _letter(match: re.Match[str]) -> str:
    digits = next(filter(None, match.groups()))
    code = int(digits, 10 if match.lastgroup == "decimal" else 8 if match.lastgroup == "octal" else 16)
    return chr(code) if code < sys.maxunicode else ""


def _wide(text: str) -> Iterator[str]:
    """What stands there as bytes of which each letter takes two or four, wherever they begin."""
    for pattern, step in ((_HEX, 2), (_BASE64, 4)):
        for match in islice(pattern.finditer(text), MOST_PIECES):
            for begin in range(step):
                piece = match[0][begin:]
                data = _bytes(piece[: len(piece) - len(piece) % step], step)
                if data.count(0) * 3 >= len(data) > 0:
                    yield data.replace(b"\0", b"").decode("latin-1")


def _bytes(piece: str, step: int) -> bytes:
    if step == _HEX_STEP:
        return bytes.fromhex(piece)
    return base64.b64decode(piece.replace("-", "+").replace("_", "/"))


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
