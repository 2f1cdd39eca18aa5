"""Finds thoughts that a model writes down before its answer, as ``<think>…</think>``. Pure.

Small models are taught to, and not every server takes them out. Only what a reply begins with counts: further on it is
text that speaks of such tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

Told = tuple[Literal["text", "thought"], str]

_TAGS: Final = ("<think>", "<thinking>")
_CLOSED: Final = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_LONGEST: Final = len("</thinking>")


class ThoughtTags:
    """Reads one reply as it comes. How it is split over `feed` calls makes no difference.

    Holds back what could be the start of a tag, and white space that a reply begins with.
    """

    __slots__ = ("_held", "_open", "_over")

    def __init__(self) -> None:
        self._held = ""
        self._open = False
        self._over = False
        """Whether all that comes is text."""

    @property
    def is_open(self) -> bool:
        """Whether a thought has begun that has not ended."""
        return self._open

    def feed(self, text: str) -> Iterator[Told]:
        """Read more of a reply.

        Args:
            text: the next piece, of any length.

        Yields:
            What is clear by now, in order.
        """
        if self._over:
            yield "text", text
            return
        self._held += text
        if not self._open:
            begins = self._held.lstrip()
            if any(tag.startswith(begins.lower()) and tag != begins.lower() for tag in _TAGS):
                return  # it may become one
            tag = next((tag for tag in _TAGS if begins.lower().startswith(tag)), "")
            if not tag:
                yield from self.finish()
                return
            self._open, self._held = True, begins[len(tag) :]
        if closed := _CLOSED.search(self._held):
            yield "thought", self._held[: closed.start()]
            self._held, self._open = self._held[closed.end() :], False
            yield from self.finish()
        elif len(self._held) >= _LONGEST:
            clear, self._held = self._held[: 1 - _LONGEST], self._held[1 - _LONGEST :]
            yield "thought", clear

    def finish(self) -> Iterator[Told]:
        """Give what was held back: no more of a tag comes."""
        kind: Literal["text", "thought"] = "thought" if self._open else "text"
        self._over, held, self._held = True, self._held, ""
        yield kind, held
