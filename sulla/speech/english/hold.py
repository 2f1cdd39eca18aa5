"""Asking for time in English: "hold on", "let me check", "just a second". Pure."""

from __future__ import annotations

import re
from typing import Final

from sulla.speech.english.words import OPENERS, word_set
from sulla.speech.language import Reading, Said

HELD: Final = Reading(0.02, "asks_for_time", "hold")
MOST_LEADING: Final = 4
MOST_ENDING: Final = 6

_MOMENT: Final = "(?:secs?|seconds?|moments?|minutes?|min|mo|ticks?)"
_SPAN: Final = (
    "(?:(?:just |only )?(?:a|one|half a|another|two|a few|a couple of)(?: more| quick| little)? " + _MOMENT + ")"
)
_DOING: Final = (
    "(?:thinking(?:$| about (?:it|that))|checking(?! in\\b| out\\b)|searching|opening"
    "|looking(?! (?:for|forward|at|into|like|after|to)\\b)|trying to (?:think|remember|find)|working (?:it|that) out"
    "|getting (?:it|my|the|them)|finding|scrolling|logging|counting|pulling|reaching|fetching|grabbing|there)"
)
_DO: Final = (
    "(?:think|check|look|find|grab|get(?! back)|have a|fetch|open|pull|count|work|turn|ask|go|try|put|write|remember"
    "|read|scroll|search|consult|do the|double)"
)
_ASKED: Final = (
    r"(?:can|could|would|will) you (?:just |please )?(?:wait|(?:hold|hang) on|bear with me|give me "
    rf"{_SPAN})\b(?! (?:to|for|until|till)\b)"
)
_WAIT: Final = (
    rf"wait(?:$| (?:{_SPAN}|wait|up|please|let|i|i'm|i'll|there|there's|another|don't|not|no|hang|hold|just"
    r"|what|sorry|where)\b)"
)
_BEGINS: Final = re.compile(
    "|".join(
        (
            r"(?:hold|hang) on(?! to\b)|hold (?:it(?:$| hold| there)|the line|up$)|(?:please )?hold$",
            r"stand by$|bear with me",
            rf"{_SPAN}\b(?! (?:ago|later|by|before|is|was|of))",
            _WAIT,
            r"(?:can|could) you hold$",
            _ASKED,
            rf"(?:just )?give me {_SPAN}(?! by)",
            rf"let me (?:just |quickly |first )*{_DO}\b",
            r"let me (?:just )?see(?:$| (?:if|whether|what|where|who|when|now|here|um|uh)\b)|let's see$",
            r"stay (?:there|on the line)|don't (?:go(?:$| away| anywhere| yet)|hang up\b|tell me\b)",
            r"i (?:need|have|want) (?:to|a (?:moment|second|minute) to) (?:think|check|look|find|ask|decide)\b",
            r"i(?:'ll| will) (?:just )?(?:check|have a look|look it up|go and|find out|think(?! it over| about))\b",
            rf"(?:i'm|i am|we're) (?:just |still |nearly |almost )*{_DOING}\b",
            r"(?:nearly|almost) there|almost (?:got|have) it|sh+(?:ush)?\b",
            r"it's (?:loading|coming|here somewhere|on the tip)",
            r"(?:i'll be |be )?(?:right )?back in\b|(?:i'll )?be (?:right )?back\b",
            rf"(?:gimme|give us) {_SPAN}|i need (?:just )?{_SPAN}|excuse me (?:for )?{_SPAN}",
            r"(?:i'll be )?(?:right )?with you in\b|hold (?:your horses|that thought)|let me (?:start|begin) again",
            r"hold your \w+$",
            r"(?:almost|nearly) (?:there|done|finished|ready)$",
            r"give me (?:just )?(?:a (?:little|bit of) |some |more )?time$",
            r"let me rephrase|keep listening|don't answer yet|(?:nearly|almost) (?:got|have|found) it",
            r"before you answer\b",
            r"still (?:thinking|looking|checking|searching|here|typing)\b",
            r"secs?$|let me (?:just )?finish\b",
            r"(?:just |still |only )?(?:thinking|loading|searching|typing)(?: now)?$",
            r"i'm not (?:done|finished|ready)|i haven't finished|not (?:done|finished|ready) yet",
            r"where (?:did|have) i (?:write|put|leave|save|written|left|saved)",
            r"(?:what|where) was i\b|what was (?:it|that)(?: called| again)?$|what(?:'s| is) (?:the|that) word",
            r"how (?:do|shall|should|can) i (?:put|say) (?:this|it)|(?:someone|somebody)'s at the door",
        )
    )
)
_ENDS: Final = re.compile(
    r"(?:\b(?:no|actually|now|sorry|oh|but|please) wait(?: please)?|\b(?:hold|hang) on(?: please)?"
    rf"|(?<!in )(?<!per )(?<!for )(?<!within )(?<!every ){_SPAN}(?: please)?|\bplease hold|\bbear with me"
    r"|\bi(?:'m| am) not (?:done|finished|ready)(?: yet)?|\bthere(?:'s| is) something else"
    r"|\blet me (?:start|begin) again"
    r"|(?:phone|doorbell|line)(?:'s| is) ringing|\blet me (?:think|check|see|look)|\b(?:trying|need) to think)$"
)
_REQUEST: Final = re.compile(
    r"(?:tell|ask|set|remind|turn|what|how|when|why|who|did|does|is|was|it|he|she|they|we|the|a) "
)
_ANSWERS: Final = re.compile(
    r"(?:i'm|i am|we're) (?:just |still )?\w+ing\b.* (?:now|one sec|right now)$"
    r"|(?:\w+ )?(?:counting|checking|looking|thinking|searching|loading)$"
    r"|(?:that's a )?(?:good|tough|hard|tricky) (?:question|one)$|i know (?:this|it)$"
    r"|where (?:is|was) it$|(?:i'm )?(?:coming|getting it|fetching it|looking for it)$"
    r"|i'll (?:just )?(?:get|fetch|find) it$|(?:looking|checking|searching|thinking|counting|scrolling)\b"
)
"""These keep the turn only after a question."""


_LASTS: Final = re.compile(rf"(?:about |only )?{_SPAN}$")
_CAN_WAIT: Final = word_set("to can't can must will should i'll don't the a long we'll you could would it'll")
_DOES: Final = re.compile(
    r"(?:i'm|i am|we're) (?:just |still |only )?(?:turning|opening|walking|crawling|going|getting|climbing|measuring"
    r"|typing|writing|plugging|putting|looking|checking|counting|trying|switching|reading|pulling|waiting)\b"
    r"|i'll (?:just |quickly )?(?:measure|ask|see|have to (?:look|check|ask|find))\b|let me listen$"
    r"|(?:i )?(?:need|have) to (?:look|check|ask)\b|(?:logging|opening|loading|turning|typing|measuring|walking)\b"
)
"""These keep the turn after a question that is not about what somebody does."""
_SPANS: Final = word_set("long time when minutes far")
"""Words of a question that "a few minutes" answers."""


def asks_for_time(said: Said) -> Reading | None:
    """The speaker keeps the turn and says so."""
    words = said.words
    start = 0
    while start < min(MOST_LEADING, len(words) - 1) and words[start] in OPENERS:
        start += 1
    text = " ".join(words[start:])
    if said.asked and _SPANS & set(said.asked) and _LASTS.match(text):
        return None
    if _BEGINS.match(text) or (said.asked and _ANSWERS.match(text)):
        return HELD
    if said.last == "wait" and said.before not in _CAN_WAIT:
        return HELD
    if said.asked and "are" not in said.asked[:2] and _DOES.match(text):
        return HELD
    if _ENDS.search(" ".join(words[-MOST_ENDING:])):
        return HELD if not _REQUEST.match(text) or said.last == "wait" or "please" in words[-2:] else None
    return None
