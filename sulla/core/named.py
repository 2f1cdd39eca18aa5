"""Which of some names an answer is: a model's, or a person's. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_FENCE: Final = re.compile(r"```(?:[A-Za-z]{0,20}[ \t]*\n)?\s*([^`]*?)\s*```")
_QUOTES: Final = ('""', "''", "``", "\u201c\u201d", "\u2018\u2019", "\u201e\u201c", "\u00ab\u00bb")
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
