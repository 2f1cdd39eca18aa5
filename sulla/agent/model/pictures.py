"""Answers of a mistrusted conversation show no pictures: a client that shows one fetches its address, and what stands
in the address is told to whoever owns it, without anybody's yes. Pure.
"""

from __future__ import annotations

import re
from typing import Final

from sulla.core.pattern import late_pattern
from sulla.core.words import Words

_ELEMENTS: Final = (
    "img|image|picture|source|video|audio|track|iframe|frame|embed|object|applet|link|script|style|svg|base|meta|input"
)
"""Elements of HTML and SVG that fetch something by themselves."""
_LINK: Final = r"a\s+href\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*')\s*>"
"""What is no more than a link: somebody has to click on it."""
_LONGEST: Final = 300
"""Characters of an element's beginning that are waited for."""
_FETCHES: Final = late_pattern(
    rf"!(?=\[)|<(?=(?:{_ELEMENTS})(?![a-z0-9-])|(?!{_LINK})[a-z](?:[^>=]{{0,{_LONGEST}}}=|[^>=]{{{_LONGEST}}}))",
    re.IGNORECASE,
)
"""Also every element that has attributes: many fetch something (``style``, ``background``). To a browser a ``<``
within an element's beginning is a part of an attribute's name."""
_UNDECIDED: Final = late_pattern(rf"(?:!|<(?:[a-z][^>]{{0,{_LONGEST}}})?)\Z", re.IGNORECASE)
"""An end that may be the beginning of one."""


def shown_text(words: Words) -> str:
    """A whole text as it is shown: with a blank in each ``![`` and ``<img``, so that what follows is a link, or words.
    HTML elements without attributes stay, and so do plain links.

    Args:
        words: what is said; as it is, unless it may repeat what nobody trusts.
    """
    return _defused(words.text) if words.tainted else words.text


def _defused(text: str) -> str:
    return _FETCHES.sub(lambda found: f"{found[0]} ", text)


class PictureFilter:
    """Does the same to a text that comes in pieces. Lives as long as one reply."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """Read more.

        Args:
            text: the next piece, of any length.

        Returns:
            What may be shown now; an end that may still become a picture is held back, some letters at the most.
        """
        whole = self._held + text
        undecided = _UNDECIDED.search(whole)
        upto = undecided.start() if undecided is not None else len(whole)
        self._held = whole[upto:]
        # The held part is looked at with the next piece: what is let go here is followed by nothing that matters.
        return _defused(whole[:upto])

    def finish(self) -> str:
        """The rest, when nothing more comes."""
        held, self._held = self._held, ""
        return _defused(held)
