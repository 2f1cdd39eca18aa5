"""Answers of a mistrusted conversation show no pictures: a client that shows one fetches its address, and what stands
in the address is told to whoever owns it, without anybody's yes. Pure.
"""

from __future__ import annotations

import re
from typing import Final

from sulla.core.jsontypes import Json
from sulla.core.pattern import late_pattern
from sulla.core.words import Words

_ELEMENTS: Final = (
    "img|image|picture|source|video|audio|track|iframe|frame|embed|object|applet|link|script|style|svg|math|base|meta"
    "|input"
)
"""Elements of HTML and SVG that fetch something by themselves."""
_LINK: Final = r"a\s+href\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*')\s*>"
"""What is no more than a link: somebody has to click on it."""
_LONGEST: Final = 300
"""Characters of an element's beginning that are waited for."""
_UNSEEN: Final = (
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\ufe00-\ufe0f\ufeff]*"
)
"""What nobody sees, and some clients take out before they look for pictures."""
_MARK: Final = r"(?:[!\uff01\ufe57]|&(?:#0{0,12}33|#x0{0,12}21|excl);?)"
"""An exclamation mark, also a wide or a small one, or as HTML spells it: some clients make plain ones of those."""
_LESS: Final = r"[<\uff1c\ufe64]"
_FETCHES: Final = late_pattern(
    rf"{_MARK}(?={_UNSEEN}[\[\uff3b])"
    rf"|{_LESS}(?={_UNSEEN}(?:(?:{_ELEMENTS})(?![a-z0-9-])"
    rf"|(?!{_LINK})[a-z](?:[^>=]{{0,{_LONGEST}}}=|[^>=]{{{_LONGEST}}})))",
    re.IGNORECASE,
)
"""Also every element that has attributes: many fetch something (``style``, ``background``). To a browser a ``<``
within an element's beginning is a part of an attribute's name."""
_UNDECIDED: Final = late_pattern(
    rf"(?:(?:{_MARK}|&[#0-9a-z]{{0,16}}){_UNSEEN}|{_LESS}{_UNSEEN}(?:[a-z][^>]{{0,{_LONGEST}}})?)\Z", re.IGNORECASE
)
"""An end that may be the beginning of one."""

_ONLY_UNSEEN: Final = late_pattern(_UNSEEN)
_MARK_AND_UNSEEN: Final = late_pattern(rf"(?:{_MARK}|&[#0-9a-z]{{0,16}}|{_LESS}){_UNSEEN}", re.IGNORECASE)


def shown_text(words: Words) -> str:
    """A whole text as it is shown: with a blank in each ``![`` and ``<img``, so that what follows is a link, or words.
    HTML elements without attributes stay, and so do plain links.

    Args:
        words: what is said; as it is, unless it may repeat what nobody trusts.
    """
    return _defused(words.text) if words.tainted else words.text


def _defused(text: str) -> str:
    return _FETCHES.sub(lambda found: f"{found[0]} ", text)


def spelled_text(text: str) -> str:
    """A text in which nothing was put in between, and that shows no pictures either: what each of them begins with is
    spelled as JSON does, ``\\u0021[`` and ``\\u003cimg``. Within a text of JSON that says the same to the letter.

    Args:
        text: ASCII, as questions are.
    """
    return _FETCHES.sub(lambda found: f"\\u{ord(found[0][0]):04x}{found[0][1:]}", text)


def shown_json(value: Json) -> Json:
    """A value as it is shown: the same in each of its texts, those that name things too.

    Args:
        value: what nobody trusts.
    """
    match value:
        case str():
            return _defused(value)
        case list():
            return [shown_json(one) for one in value]
        case dict():
            return {_defused(name): shown_json(one) for name, one in value.items()}
        case _:
            return value


class PictureFilter:
    """Does the same to a text that comes in pieces. Lives as long as one reply."""

    __slots__ = ("_held", "_is_mark", "_unseen")

    def __init__(self) -> None:
        self._held = ""
        self._is_mark = False
        """Whether nothing but a mark, and what nobody sees, is held back."""
        self._unseen: list[str] = []
        """What nobody sees and came behind it since: looked at once, with whatever comes then."""

    def feed(self, text: str) -> str:
        """Read more.

        Args:
            text: the next piece, of any length.

        Returns:
            What may be shown now; an end that may still become a picture is held back, some letters at the most.
        """
        if self._is_mark and _ONLY_UNSEEN.fullmatch(text) is not None:
            self._unseen.append(text)
            return ""
        whole = "".join((self._held, *self._unseen, text))
        self._unseen.clear()
        undecided = _UNDECIDED.search(whole)
        upto = undecided.start() if undecided is not None else len(whole)
        self._held = whole[upto:]
        self._is_mark = _MARK_AND_UNSEEN.fullmatch(self._held) is not None
        # The held part is looked at with the next piece: what is let go here is followed by nothing that matters.
        return _defused(whole[:upto])

    def finish(self) -> str:
        """The rest, when nothing more comes."""
        held, self._held = "".join((self._held, *self._unseen)), ""
        self._unseen.clear()
        return _defused(held)
