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
_PASSED_ON: Final = (
    r"(?:forwarded|(?:weiter(?:geleitet|leitung)|doorgestuurd|inoltr(?:at[oa]|a|o)|re(?:enviad[oa]|envío|encaminhad[oa])"
    r"|encaminhad[oa]|transf[ée]r(?:[ée]e?|t)|vidarebefordra[nt]|videresend\w{0,3}|välitetty|edelleenlähetetty|przekazan[eayo]"
    r"|(?:př|pr)eposl\w{1,5}|továbbított|iletil\w{1,4}|προωθ\w{1,8}|переслан\w{1,5}|переадрес\w{1,8}|redirecționat))(?!\w)"
    r"|(?:转发|轉寄|轉發|転送|전달|ส่งต่อ|הועבר)(?=[\s:\uff1a\])\u3011\uff09]|$)"
)
"""Words that say so whole; they stand for nothing else at a subject's beginning, or in brackets."""
_PASSED: Final = re.compile(rf"{_LEAD}(?:{_PASSED_ON})", re.IGNORECASE)
_PASSED_WITHIN: Final = re.compile(rf"[\[(\u3010\uff08]\s{{0,3}}(?:{_PASSED_ON})", re.IGNORECASE)
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
    return any(
        found is not None
        for found in (
            _FWD.match(subject),
            _FWD_WITHIN.search(subject),
            _PASSED.match(subject),
            _PASSED_WITHIN.search(subject),
        )
    )


def is_marked(subject: str) -> bool:
    """Whether a subject may be another mail's, with a mark before it.

    Args:
        subject: as of `passes_on`.
    """
    return _MARKED.match(subject) is not None
