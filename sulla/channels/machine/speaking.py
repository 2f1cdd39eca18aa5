"""How an agent reads who of a group says something, such that no words of theirs can pass for that. Pure."""

from __future__ import annotations

from typing import Final

from sulla.agent.input.sanitize import sanitize
from sulla.threads.log.quoted import frames

_TAG: Final = frames("said")


def said_by(name: str, text: str) -> tuple[str, int]:
    """A message of a group as the agent reads it, and how many characters at its end the person said.

    Args:
        name: his, by which he was let in.
        text: his words.
    """
    words = unmarked(text)
    return f'<said by="{name}">\n{words}', len(words)


def unmarked(text: str) -> str:
    """A text in which nothing reads like the mark that says who speaks, also once what nobody sees is taken out of it,
    as it is before a model reads it.

    Args:
        text: what anybody in the group wrote.
    """
    seen = sanitize(text).text
    return _TAG.sub("(", seen if _TAG.search(seen) else text)
