"""Which name was probably meant. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from heapq import nlargest

MAX_NAME = 100
"""Code points of a wrong name that are compared; comparing takes time with the square of them."""


MAX_COMPARED = 50
"""Known names that are compared so: of more, those that begin and end most like the wrong one."""


def nearest(name: str, known: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """The known names that are most like a wrong one.

    Args:
        name: what somebody wrote.
        known: what they could have meant.
        limit: how many at most.

    Returns:
        The best first; empty if none is like it.
    """
    by_folded = {known_name.casefold(): known_name for known_name in known}
    folded = name[:MAX_NAME].casefold()
    likely = nlargest(MAX_COMPARED, by_folded, lambda other: _alike(folded, other)) if by_folded else []
    close = difflib.get_close_matches(folded, likely, n=limit, cutoff=0.5)
    if len(close) < limit and len(folded) >= 3:
        close += [other for other in sorted(by_folded) if folded in other and other not in close]
    return tuple(by_folded[match] for match in close[:limit])


def _alike(one: str, other: str) -> int:
    """How many characters two names have in common at their beginning and at their end."""
    return _shared(one, other) + _shared(one[::-1], other[::-1])


def _shared(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`` Did you mean 'x' or 'y'?`` with a space before it, or nothing."""
    close = nearest(name, known)
    return f" Did you mean {' or '.join(repr(match) for match in close)}?" if close else ""
