"""Which name was probably meant. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

MAX_NAME = 100
"""Code points of a wrong name that are compared; comparing takes time with the square of them."""


def nearest(name: str, known: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """The known names that are most like a wrong one.

    Args:
        name: what somebody wrote.
        known: what they could have meant.
        limit: how many at the most.

    Returns:
        The best first; empty if none is like it.
    """
    by_folded = {known_name.casefold(): known_name for known_name in known}
    folded = name[:MAX_NAME].casefold()
    close = get_close_matches(folded, by_folded, n=limit, cutoff=0.5)
    if len(close) < limit and len(folded) >= 3:
        close += [other for other in sorted(by_folded) if folded in other and other not in close]
    return tuple(by_folded[match] for match in close[:limit])


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`` Did you mean 'x' or 'y'?`` with a space before it, or nothing."""
    close = nearest(name, known)
    return f" Did you mean {' or '.join(repr(match) for match in close)}?" if close else ""
