"""What a mail's subject says of it by its form: that it answers, or passes somebody else's words on. Pure."""

from __future__ import annotations

import re
from typing import Final

_RE: Final = re.compile(r"^(?:\s*(?:re|aw|sv|antw|odp|rif)\s*(?:\[\d+\])?\s*[:：]\s*)+", re.IGNORECASE)  # noqa: RUF001 - such signs stand in mails
_LEAD: Final = r"^\s*(?:[\[(*{<][^\])*}>]{0,80}[\])*}>]{1,2}\s*){0,6}\W*"
"""What may stand before such a word; counted, since a star both opens and closes: of many there would be no end."""
_FWD: Final = re.compile(
    _LEAD + r"(?:fwd?|wg|tr|rv|vb|i|pd|enc|doorst|vs|ilt|i̇lt|trs|továbbítás|пересл\w*|转发|轉寄|전달|転送)\s*[:：]",  # noqa: RUF001 - such signs stand in mails
    re.IGNORECASE,
)
_FWD_WITHIN: Final = re.compile(
    r"[\[(]\s*(?:fwd?|wg|tr|rv|vb|enc|pd|vs|ilt|trs|doorst)\s*(?:[:\uff1a][^\])]{0,200})?[\])]", re.IGNORECASE
)
_MARKED: Final = re.compile(_LEAD + r"[^\W\d_]{1,12}\s*(?:[\[(^]?\d{1,3}[\])]?)?\s*[:：]|^\s*\[")  # noqa: RUF001 - such signs stand in mails
"""A subject that begins as one of an answer may, or of what is passed on, in whatever language."""


def without_marks(subject: str) -> str:
    """A subject without the marks of answers before it.

    Args:
        subject: in one line.
    """
    return _RE.sub("", subject)


def passes_on(subject: str) -> bool:
    """Whether a mail passes on what stands in it, as its subject says.

    Args:
        subject: in one line of some hundred characters.
    """
    return _FWD.match(subject) is not None or _FWD_WITHIN.search(subject) is not None


def is_marked(subject: str) -> bool:
    """Whether a subject may be another mail's, with a mark before it.

    Args:
        subject: as of `passes_on`.
    """
    return _MARKED.match(subject) is not None
