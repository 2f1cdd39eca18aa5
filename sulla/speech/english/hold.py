"""Asking for time in English: "hold on", "let me check", "just a second". Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.pattern import late_pattern
from sulla.speech.english.text import SpokenText
from sulla.speech.turn_taking.detector import Reading

HELD: Final = Reading(0.02, "asks_for_time", "hold")
MOST_LEADING: Final = 4
MOST_ENDING: Final = 6

_MOMENT: Final = "(?:secs?|seconds?|moments?|minutes?|min|mo|ticks?)"
_SPAN: Final = (
    "(?:(?:just |only )?(?:a|one|half a|another|two|a few|a couple of)(?: more| quick| little)? " + _MOMENT + ")"
)
_THEN: Final = r"\b(?! (?:by|of|opinion|chance|helping|slice|look|try|go|to be|before)\b)"
_DOING: Final = (
    "(?:thinking(?:$| about (?:it|that))|checking(?! in\\b| out\\b)|searching|opening"
    "|looking(?! (?:for|forward|at|into|like|after|to)\\b)|trying to (?:think|remember|find)|working (?:it|that) out"
    "|getting (?:it|my|the|them)|finding|scrolling|logging|counting|pulling|reaching|fetching|grabbing|there)"
)
_DO: Final = (
    "(?:think|check|look|find|grab|get(?! back)|have a|fetch|open|pull|count|work|turn|ask|go"
    "|try(?: again| it| that| to|$)|put|write|remember|read|scroll|search|consult|do the|double)"
)
_ASKED: Final = (
    r"(?:can|could|would|will) you (?:just |please )?(?:wait|(?:hold|hang) on|bear with me|give me "
    rf"{_SPAN})\b(?! (?:to|for|until|till)\b)"
)
_WAIT: Final = (
    rf"wait(?:$| (?:{_SPAN}|wait|up|please|let|i|i'm|i'll|there|there's|another|don't|not|no|hang|hold|just"
    r"|what|sorry|where|before|so|can|did|do|is|are|which|how|who|that's|it's|he|she|we|you|they|actually|maybe|um|uh)\b)"
)
_BEGINS: Final = late_pattern(
    "|".join(
        (
            r"(?:hold|hang) (?:on|about)(?! to\b)|hold (?:it(?:$| hold| there)|the line|up$)|(?:please )?hold$",
            r"stand by$|bear with me",
            rf"{_SPAN}\b(?! (?:ago|later|by|before|is|was|of))",
            _WAIT,
            r"(?:can|could) you hold$",
            _ASKED,
            rf"(?:if you(?:'d| would| could| can) )?(?:just )?(?:give|allow|spare) me {_SPAN}{_THEN}",
            rf"let me (?:just |quickly |first )*{_DO}\b(?!.* and (?:i'll|then|call|we'll)\b)",
            r"let me (?:just )?see(?:$| (?:if|whether|what|where|who|when|now|here|um|uh)\b)|let's see$",
            r"stay (?:there|on the line)|don't (?:go(?:$| away| anywhere| yet)|hang up\b|tell me\b)",
            r"i (?:need|have|want) (?:to|a (?:moment|second|minute) to) (?:think|check|look|find|ask|decide)\b",
            r"i(?:'ll| will) (?:just )?(?:check|have a look|look it up|go and|find out|think(?! it over| about))\b",
            rf"(?:i'm|i am|we're) (?:just |still |nearly |almost )*{_DOING}\b",
            r"let's (?:just )?have a (?:quick )?look\b|(?:nearly|almost) there|almost (?:got|have) it|sh+(?:ush)?\b",
            r"it's (?:loading|coming|here somewhere|on the tip)",
            r"(?:i'll be |be )?(?:right )?back in (?:a|one|two|five|ten|just|half)\b|(?:i'll )?be right back\b|brb$",
            r"(?:i'll )?be back$|(?:one more|another) thing$|(?:what|where) were we(?: again| now)?$",
            r"i (?:wasn't|hadn't) (?:done|finished|ready)|it(?:'ll| will) come (?:back )?to me",
            r"don't rush me|stay with me$",
            r"i had it (?:just )?(?:a (?:second|minute|moment) ago|right here|here)|slow down i'm\b|i got distracted",
            r"i (?:know i )?wrote (?:it|that) down|i was (?:just )?talking to (?:my|the|someone|somebody)\b",
            r"(?:the \w+|it|this|my \w+)(?:'s| is) (?:still |just )?(?:loading|opening|starting up|booting|updating)",
            r"(?:i'm )?(?:nearly |almost )?getting there$|(?:that's a )?(?:good|tough|hard|tricky|great) question$",
            rf"let's see(?: now)?$|checking$|i'm looking for (?:it|that|them)$|(?:quiet|hush|silence) for {_SPAN}",
            r"don't (?:do anything|send it|press anything|say anything|touch anything|start|move) yet$",
            r"i'll be (?:right |straight )?(?:with you|there)$",
            rf"(?:gimme|give us) {_SPAN}|i need (?:just )?{_SPAN}|excuse me (?:for )?{_SPAN}",
            r"(?:i'll be )?(?:right )?with you in\b|hold (?:your horses|that thought)|let me (?:start|begin) again",
            r"hold your \w+$",
            r"(?:almost|nearly) (?:there|done|finished|ready)$",
            r"give me (?:just )?(?:a (?:little|bit of) |some |more )?time(?:$| to\b)",
            r"let me rephrase|keep listening|don't answer yet|(?:nearly|almost) (?:got|have|found) it",
            r"before you answer\b|(?:you'll have to |please |just )?be patient\b",
            r"give me (?:a chance|the chance|time|a little time|room) to\b",
            r"still (?:thinking|looking|checking|searching|here|typing)\b",
            r"secs?$|let me (?:just )?finish\b",
            r"(?:just |still |only )?(?:thinking|loading|searching|typing)(?: now)?$",
            r"i'm not (?:done|finished|ready)|i haven't finished|not (?:done|finished|ready) yet",
            r"where (?:did|have) i (?:write|put|leave|save|written|left|saved)(?: (?:it|that|them|this))?(?: down)?$",
            r"(?:what|where) was i(?:$| (?:saying|doing|on about|going to say|about to say|looking for)\b)",
            r"what was (?:it|that)(?: called| again)?$|what(?:'s| is) (?:the|that) word",
            r"what(?:'s| is| was) (?:it|he|she|that|the name|the thing|the place|her name|his name)(?: called)? again$",
            r"not so fast|i(?:'ll| will) just (?:get|grab|fetch|find|open|pull|finish|write|ask|pop|step|go)\b",
            r"how (?:do|shall|should|can) i (?:put|say|explain|describe) (?:this|it|that)$",
            r"(?:someone|somebody)'s at the door",
        )
    )
)
_ENDS: Final = late_pattern(
    r"(?:\b(?:no|actually|now|sorry|oh|but|please) wait(?: please)?|\b(?:hold|hang) on(?: please)?"
    rf"|(?<!in )(?<!hits )(?<!reaches )(?<!per )(?<!for )(?<!within )(?<!every ){_SPAN}(?: please)?"
    r"|\bplease hold|\bbear with me"
    r"|\bi(?:'m| am) not (?:done|finished|ready)(?: yet)?|\bthere(?:'s| is) something else"
    r"|\bdon't (?:answer yet|go away|go anywhere|say anything(?: yet)?|hang up)|^(?:no |okay |oh )?listen"
    r"|\b(?:um|uh|er|the|a|there's|my) what(?:'s| is) (?:(?:it|that|he|she) called|his name|her name|its name)"
    rf"|\bi'll (?:tell you|answer|explain|do it|get back to you) in {_SPAN}"
    r"|\blet me (?:start|begin) again|\blet me count"
    r"|(?:phone|doorbell|line)(?:'s| is) ringing|\blet me (?:think|check|see|look)|\b(?:trying|need) to think)$"
)
_REQUEST: Final = late_pattern(
    r"(?:tell|ask|set|remind|turn|what|how|when|why|who|did|does|is|was|it|he|she|they|we|the|a) "
)
_STATED: Final = late_pattern(r"(?:it|he|she|they|we|the|a) ")
_ANSWERS: Final = late_pattern(
    r"(?:i'm|i am|we're) (?:just |still )?\w+ing\b.* (?:now|one sec|right now)$"
    r"|(?:\w+ )?(?:counting|checking|looking|thinking|searching|loading)$"
    r"|(?:that's a )?(?:good|tough|hard|tricky) (?:question|one)$|i know (?:this|it)$"
    r"|where (?:is|was) it$|(?:i'm )?(?:coming|getting it|fetching it|looking for it)$"
    r"|i'll (?:just )?(?:get|fetch|find) it$|(?:looking|checking|searching|thinking|counting|scrolling)\b"
)
"""These keep the turn only after a question."""


_LET_ME: Final = late_pattern(rf"\b(?:question|one|okay|hmm|so) let me (?:just )?{_DO}\b")
_LASTS: Final = late_pattern(rf"(?:about |only )?{_SPAN}$")
_DOES: Final = late_pattern(
    r"(?:i'm|i am|we're) (?:just |still |only )?(?:turning|opening|walking|crawling|going|getting|climbing|measuring"
    r"|typing|writing|plugging|putting|looking|checking|counting|trying|switching|reading|pulling|waiting)\b"
    r"|i'll (?:just |quickly )?(?:measure|ask|see|have to (?:look|check|ask|find))\b|let me listen$"
    r"|(?:i )?(?:need|have) to (?:look|check|ask)\b|(?:logging|opening|loading|turning|typing|measuring|walking)\b"
)
"""These keep the turn after a question that is not about what somebody does."""


def asks_for_time(said: SpokenText) -> Reading | None:
    """The speaker keeps the turn and says so."""
    words = said.words
    start = 0
    while start < min(MOST_LEADING, len(words) - 1) and words[start] in said.en["openers"]:
        start += 1
    text = " ".join(words[start:])
    if said.asked and said.en["spans"] & set(said.asked) and _LASTS.match(text):
        return None
    if _BEGINS.match(text) or (said.asked and _ANSWERS.match(text)):
        return HELD
    if said.last == "wait" and said.before not in said.en["can_wait"]:
        return HELD
    if said.asked and _LET_ME.search(text):
        return HELD
    if said.asked and "are" not in said.asked[:2] and _DOES.match(text):
        return HELD
    if (
        said.before == "a"
        and len(words) > 2
        and (words[-3] in said.en["numbers"] or words[-3].endswith("s") or words[-3] in said.en["often"])
    ):
        return None
    if said.last in said.en["hold_last"] and _ENDS.search(" ".join(words[-MOST_ENDING:])):
        is_said = _REQUEST.match(text) is None or (_STATED.match(text) and words[-2] in ("one", "just", "two"))
        return HELD if is_said or said.last == "wait" or "please" in words[-2:] else None
    return None
