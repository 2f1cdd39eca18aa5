"""Asking for time in English: "hold on", "let me check", "just a second". Pure."""

from __future__ import annotations

import re
from typing import Final

from sulla.speech.english_words import OPENERS
from sulla.speech.language import Reading, Said

HELD: Final = Reading(0.02, "asks_for_time", "hold")
MOST_LEADING: Final = 4
MOST_ENDING: Final = 6

_MOMENT: Final = "(?:secs?|seconds?|moments?|minutes?|min|mo|tick)"
_SPAN: Final = (
    "(?:(?:just |only )?(?:a|one|half a|another|two|a few|a couple of)(?: more| quick| little)? " + _MOMENT + ")"
)
_DOING: Final = (
    "(?:thinking(?:$| about (?:it|that))|checking|looking|searching|opening|trying to (?:think|remember|find)"
    "|working (?:it|that) out|getting|finding|scrolling|logging|counting|pulling|reaching|fetching|grabbing|there)"
)
_DO: Final = (
    "(?:think|check|look|find|grab|get(?! back)|have a|fetch|open|pull|count|work|turn|ask|go|try|put|write|remember"
    "|read|scroll|search|consult|do the|double)"
)
_ASKED: Final = (
    r"(?:can|could|would|will) you (?:just |please )?(?:wait|(?:hold|hang) on|bear with me|give me "
    rf"{_SPAN})\b(?! (?:to|for|until|till)\b)"
)
_BEGINS: Final = re.compile(
    "|".join(
        (
            r"(?:hold|hang) on(?! to\b)|hold (?:it|the line|up)\b|(?:please )?hold$|stand by|bear with me",
            rf"{_SPAN}\b(?! (?:ago|later|by|before|is|was|of))",
            rf"wait(?:$| (?:{_SPAN}|wait|up|please|let|i|i'm|i'll|there|no|hang|hold|just|what|sorry|where)\b)",
            r"(?:can|could) you hold$",
            _ASKED,
            rf"(?:just )?give me {_SPAN}(?! by)",
            rf"let me (?:just |quickly |first )*{_DO}\b",
            r"let me (?:just )?see(?:$| (?:if|whether|what|where|who|when|now|here|um|uh)\b)|let's see$",
            r"stay (?:there|on the line)|don't (?:go|hang up|tell me)\b",
            r"i (?:need|have|want) (?:to|a (?:moment|second|minute) to) (?:think|check|look|find|ask|decide)\b",
            r"i(?:'ll| will) (?:just )?(?:check|have a look|look it up|go and|find out|think)\b",
            rf"(?:i'm|i am|we're) (?:just |still |nearly |almost )*{_DOING}\b",
            r"(?:nearly|almost) there|almost (?:got|have) it|sh+(?:ush)?\b",
            r"it's (?:loading|coming|here somewhere|on the tip)",
            r"(?:i'll be |be )?(?:right )?back in\b|(?:i'll )?be (?:right )?back\b",
            r"i'm not (?:done|finished|ready)|i haven't finished|not (?:done|finished|ready) yet",
            r"where (?:did|have) i (?:write|put|leave|save|written|left|saved)|where (?:is|was) it$",
            r"(?:what|where) was i\b|what was (?:it|that)(?: called| again)?$|what(?:'s| is) (?:the|that) word",
            r"how (?:do|shall|should|can) i (?:put|say) (?:this|it)|someone's at the door",
        )
    )
)
_ENDS: Final = re.compile(
    r"(?:\b(?:no|actually|now|sorry|oh|but|please) wait(?: please)?|\b(?:hold|hang) on(?: please)?"
    rf"|(?<!in )(?<!per )(?<!within )(?<!every ){_SPAN}(?: please)?|\bplease hold|\bbear with me"
    r"|(?:phone|doorbell|line)(?:'s| is) ringing|\blet me (?:think|check|see|look)|\b(?:trying|need) to think)$"
)
_REQUEST: Final = re.compile(
    r"(?:tell|ask|set|remind|turn|what|how|when|why|who|did|does|is|was|it|he|she|they|we|the|a) "
)
_ANSWERS: Final = re.compile(
    r"(?:i'm|i am|we're) (?:just |still )?\w+ing\b.* (?:now|one sec|right now)$"
    r"|(?:\w+ )?(?:counting|checking|looking|thinking|searching|loading)$"
    r"|(?:that's a )?(?:good|tough|hard|tricky) (?:question|one)$|i know (?:this|it)$"
    r"|(?:looking|checking|searching|thinking|counting|scrolling)\b"
)
"""These keep the turn only after a question."""


def asks_for_time(said: Said) -> Reading | None:
    """The speaker keeps the turn and says so."""
    words = said.words
    start = 0
    while start < min(MOST_LEADING, len(words) - 1) and words[start] in OPENERS:
        start += 1
    text = " ".join(words[start:])
    if _BEGINS.match(text) or (said.asked and _ANSWERS.match(text)):
        return HELD
    if _ENDS.search(" ".join(words[-MOST_ENDING:])):
        return HELD if not _REQUEST.match(text) or said.last == "wait" or "please" in words[-2:] else None
    return None
