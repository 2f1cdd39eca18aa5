"""Ids by their beginnings, as people type them. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sulla.core.errors import InvalidInput, NotFound

NAMED: Final = 8
"""Ids that are named where several begin alike."""
_SHOWN: Final = 80
"""Characters that are shown of what was typed."""


def chosen(begins: str, ids: Iterable[str], what: str, where: str) -> str:
    """The one id that begins so; the very id that was typed comes before longer ones.

    Args:
        begins: what was typed.
        ids: all that there are, or all that begin so.
        what: what they name, e.g. ``thread``.
        where: how to see them all, e.g. ```sulla thread list` shows them``.

    Raises:
        NotFound: none begins so.
        InvalidInput: several do; the message names them.
    """
    found = sorted({one for one in ids if begins and one.startswith(begins)})
    if begins in found:
        return begins
    if not found:
        raise NotFound(f"no {what} begins with {begins[:_SHOWN]!r}; {where}")
    if len(found) > 1:
        count = f"more than {NAMED}" if len(found) > NAMED else f"{len(found)}"
        named = ", ".join(found[:NAMED]) + (" …" if len(found) > NAMED else "")
        raise InvalidInput(f"{count} {what}s begin with {begins[:_SHOWN]!r}: {named}; type more of the id")
    return found[0]
