"""Whether a person asks for a procedure again that something graver has set aside. Pure.

Nothing is guessed: what a person says behind an emergency is no reply to an exercise, unless they say outright that
they want to go on with it.
"""

from __future__ import annotations

import re
from typing import Final

from sulla.core.pattern import late_pattern

MOST_CHARS: Final = 200
"""Of a message that may be nothing but that."""
_FILLERS: Final = frozenset(
    "please ok okay well now then and so yes yeah thanks thank you alright right hey just again sorry".split()
)
_THING: Final = r"(?:exercise|procedure|session|practice|task|form|checklist|one|it|this|that|here)"
_WITH: Final = rf"(?: (?:with )?(?:the |this |that |our |my )?(?:\w+ )?{_THING})?"
_GO_ON: Final = (
    rf"(?:(?:continue|resume|go on|carry on|proceed|keep going){_WITH}|(?:go|get) back to (?:the |our )?{_THING})"
)
_WANTS: Final = (
    r"(?:i (?:want|would like|wish|need) to |i'd like to |i'm ready to |i am ready to |let's |let us |"
    r"(?:can|could|may|shall) (?:we|i|you) )"
)
_ON: Final = late_pattern(rf"{_WANTS}?{_GO_ON}|back to (?:the |our )?{_THING}|where (?:were|did) we(?: stop)?")


def asks_to_go_on(said: str) -> bool:
    """Whether a message says that the procedure shall go on, and nothing else.

    Args:
        said: in the person's own words.
    """
    if len(said) > MOST_CHARS:
        return False
    words = re.findall(r"[\w']+", said.casefold().replace("\u2019", "'"))
    while words and words[0] in _FILLERS:
        del words[0]
    while words and words[-1] in _FILLERS:
        del words[-1]
    return _ON.fullmatch(" ".join(words)) is not None
