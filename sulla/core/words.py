"""Text that carries who said it, so that no text changes hands without it. Pure.

What may follow from a text depends on where it comes from (docs/safety.md). Wherever text crosses a border (from one
conversation, file or capability into another, or into a prompt) it crosses as `Words`: a type checker refuses a plain
`str` there, and words of which nobody says whose they are count as from outside.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from sulla.core.dataclass import dataclass


class Author(IntEnum):
    """Who said something, the most trusted first: of several the greatest counts."""

    OPERATOR = 0
    """The daemon, or what its owner has written into the home."""
    PERSON = 1
    """Somebody with a token of this home."""
    AGENT = 2
    """An agent whose conversation holds nothing from outside; also what lies unmarked in its workspace."""
    TAINTED_AGENT = 3
    """An agent whose conversation holds text from outside, which it may repeat."""
    OUTSIDE = 4
    """Anybody else: pages, mail, servers, other agents, and whatever does not say."""

    @property
    def tainted(self) -> bool:
        """Whether the words are, or may repeat, what nobody trusts. Records and files keep this much."""
        return self >= Author.TAINTED_AGENT


@dataclass(frozen=True, slots=True)
class Words:
    """A text, and who said it."""

    text: str
    """The text alone, for whoever shows it, or writes it down together with `tainted`."""
    by: Author = Author.OUTSIDE

    @property
    def tainted(self) -> bool:
        """See `Author.tainted`."""
        return self.by.tainted

    def but(self, text: str) -> Words:
        """Another text by the same author: these words, cut, cleaned or framed.

        Args:
            text: made of this text, and of nothing else but the daemon's own words.
        """
        return Words(text, self.by)

    def __bool__(self) -> bool:
        return bool(self.text)

    def __str__(self) -> str:
        raise TypeError("put into a string, words lose who said them: use `joined`, or `made_of`")


NO_WORDS = Words("", Author.OPERATOR)
"""Nobody says anything."""


def ours(text: str) -> Words:
    """What the daemon says by itself, or what its owner has written.

    Args:
        text: holds nobody else's words.
    """
    return Words(text, Author.OPERATOR)


def said_by(given: object) -> Words:
    """What somebody else's code gives as words: a bare text is from outside, as one that does not say.

    Args:
        given: words, or whatever a package without types has given.
    """
    return given if isinstance(given, Words) else Words(str(given))


def agent(*, tainted: bool) -> Author:
    """The agent of a conversation.

    Args:
        tainted: whether the conversation holds text from outside.
    """
    return Author.TAINTED_AGENT if tainted else Author.AGENT


def worst(authors: Iterable[Author]) -> Author:
    """Who is trusted least; the operator if there is nobody.

    Args:
        authors: of the parts of something.
    """
    return max(authors, default=Author.OPERATOR)


def made_of(text: str, *parts: Words) -> Words:
    """A text that was made of others: nobody trusts it more than the worst of them.

    Args:
        text: what was made.
        parts: all that it may repeat, beside the daemon's own words.
    """
    return Words(text, worst(part.by for part in parts))


def joined(parts: Iterable[Words], between: str = "") -> Words:
    """Texts as one.

    Args:
        parts: in their order.
        between: the daemon's own, put between each two.
    """
    every = tuple(parts)
    return made_of(between.join(part.text for part in every), *every)
