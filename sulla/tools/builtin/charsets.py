"""What comes over the web as text. Pure."""

from __future__ import annotations

import codecs
import re
from typing import Final

from sulla.core.pattern import late_pattern

_CHARSET: Final = late_pattern(r"""charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE)
_KNOWN: Final = late_pattern(
    r"utf-8|utf-16(-[bl]e)?|ascii|iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|shift_jis\w*|euc_\w+|iso2022_\w+|gb\w+|big5\w*|tis-620"
)
"""Python's names of what pages are written in. It knows others, some of which take for ever or are no text at all."""
_MARKS: Final = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_UNSEEN: Final = late_pattern(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e007f]"
)
"""Control characters, and what is not seen but read: a page can tell a model what it does not show to a person."""
_LOOKED_AT: Final = 2048
"""Bytes of a page in which it may say what it is written in."""


def media_type(content_type: str) -> str:
    """``text/html`` of ``Text/HTML; charset=…``."""
    return content_type.partition(";")[0].strip().lower()


def as_text(body: bytes, content_type: str) -> str:
    """The text of a body, without what is not seen.

    Args:
        body: as it came.
        content_type: as the server says. A mark at the beginning knows better, and the page knows if this says nothing.
    """
    return seen(decoded(body, content_type).replace("\r\n", "\n"))


def decoded(body: bytes, content_type: str) -> str:
    """The text of a body as it is, with what is not seen; what cannot be read in it is replaced.

    Args:
        body: as it came.
        content_type: see `as_text`.
    """
    return body.decode(charset_of(body, content_type), "replace")


def charset_of(body: bytes, content_type: str) -> str:
    """What a text is written in, by Python's name.

    Args:
        body: as it came.
        content_type: see `as_text`.
    """
    name = next((name for mark, name in _MARKS if body.startswith(mark)), "")
    said = _CHARSET.search(content_type) or _CHARSET.search(body[:_LOOKED_AT].decode("latin-1"))
    return name or _known(said[1] if said is not None else "")


def seen(text: str) -> str:
    """A text without control characters and what else a reader does not see."""
    return _UNSEEN.sub("", text)


def _known(charset: str) -> str:
    try:
        name = codecs.lookup(charset).name
    except LookupError:
        return "utf-8"
    if name in ("iso8859-1", "ascii"):
        return "cp1252"  # what is called so on the web (WHATWG Encoding §4.2)
    return name if _KNOWN.fullmatch(name) else "utf-8"
