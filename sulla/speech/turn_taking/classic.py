"""The complete thought of seed 004 §5: the end of a sentence, or a request by its first words. Pure."""

from __future__ import annotations

import re
from typing import Final

from sulla.core.pattern import late_pattern

_SENTENCE_END: Final = late_pattern(r"[.!?][\"')\]]*\s*$")
_REQUEST: Final = late_pattern(
    r"\s*(?:(?:can|could|would|will) you|please|i (?:need|want)|help me|what|how|when|where|why|who|which"
    r"|create|build|make|generate|write|design|show|tell|find|open|send|add|remind)\b[\s,]*\S",
    re.IGNORECASE,
)
_FAREWELL: Final = late_pattern(r"\b(?:thank you|thanks|that's all|good ?bye|bye)\W*$", re.IGNORECASE)


def is_complete_thought(text: str) -> bool:
    """Whether a pause after this text ends the turn in the profile `classic`.

    Args:
        text: so far, of at least the least length.
    """
    return bool(_SENTENCE_END.search(text) or _REQUEST.match(text) or _FAREWELL.search(text))
