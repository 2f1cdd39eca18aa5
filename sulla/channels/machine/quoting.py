"""How what did not end well says whose it is: by the beginning of the message that it answers. Pure."""

from __future__ import annotations

from typing import Final

from sulla.channels.machine.legible import in_a_line
from sulla.core.pattern import late_pattern

MOST_QUOTED: Final = 60
"""Characters of a message that are said again."""
_MARKS: Final = late_pattern(r"([\\`*_{}\[\]()<>#+!|~&-])")


def begins(text: str) -> str:
    """The beginning of a message, in a line and as CommonMark that shows it as it stands; empty for none.

    Args:
        text: the message.
    """
    return _MARKS.sub(r"\\\1", in_a_line(text, MOST_QUOTED))


def about(said: str, begins: str) -> str:
    """What is said of how a message's turn ended, below the beginning of that message.

    Args:
        said: it.
        begins: see `begins`.
    """
    return f"> {begins}\n\n{said}" if begins else said


def broken_off(begins: str) -> str:
    """What stands below an answer that was not written to its end.

    Args:
        begins: see `begins`.
    """
    return f"*(This answer to “{begins}” was broken off.)*" if begins else "*(This answer was broken off.)*"
