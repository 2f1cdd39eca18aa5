"""Which of some names is said: in an answer, a model's or a person's, or as a message begins. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from sulla.core.pattern import late_pattern

_FENCE: Final = late_pattern(r"```(?:[A-Za-z]{0,20}[ \t]*\n)?\s*([^`]*?)\s*```")
_QUOTES: Final = ('""', "''", "``", "\u201c\u201d", "\u2018\u2019", "\u201e\u201c", "\u00ab\u00bb")
_ENDS: Final = late_pattern(r"$|\s|[,:;!?]|\.(?!\w)")
"""What stands behind a name: a full stop with a letter behind it is within a word, such as an address."""
_MOST_CHARS: Final = 200
"""A longer answer is no name with something around it."""


def name_in(answer: str, names: Sequence[str]) -> str:
    """The name that an answer is, with nothing but quotes, a fence or a full stop around it; empty if it is none.

    Args:
        answer: what was said.
        names: those that were offered.
    """
    if answer in names:
        return answer
    bare = answer.strip()
    if len(bare) > _MOST_CHARS:
        return ""
    fenced = _FENCE.fullmatch(bare)
    bare = fenced[1] if fenced is not None else bare
    stopped = quoted = False
    for _ in range(2):  # the full stop stands within the quotes, or behind them
        if bare.endswith(".") and not stopped:
            bare, stopped = bare[:-1], True
        elif len(bare) > 1 and bare[0] + bare[-1] in _QUOTES and not quoted:
            bare, quoted = bare[1:-1], True
    found = [name for name in names if name.casefold() == bare.casefold()]
    return found[0] if len(found) == 1 else bare if bare in found else ""


def mention_of(text: str, called: Iterable[tuple[str, str]]) -> str:
    """The one whose name stands behind the `@` that a message begins with; empty for none.

    Args:
        text: the message.
        called: names, each with the id of whoever is called so. Capitals do not count, nor whether a letter with an
            accent is written as one character or two; blanks in names are written `_`. Of names that begin alike
            the longest counts.
    """
    said = text.lstrip()
    if not said.startswith("@"):
        return ""
    said = _folded(said[1:])
    found = [
        (len(name), id_)
        for name, id_ in ((_folded("_".join(one.split())), id_) for one, id_ in called)
        if name and said.startswith(name) and _ENDS.match(said, len(name))
    ]
    return max(found, key=lambda one: one[0])[1] if found else ""


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
