"""A text that is shortened so that it shows. Pure."""

from __future__ import annotations


def cut(text: str, most_chars: int) -> str:
    """A text that is no longer than this; what was longer ends in ``…``.

    Args:
        text: it.
        most_chars: code points, the mark among them.
    """
    return text if len(text) <= most_chars else text[: most_chars - 1] + "…"
