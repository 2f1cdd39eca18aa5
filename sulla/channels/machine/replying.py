"""What people's words mean while a question is open: an answer, a message, or neither. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from sulla.agent.input.said import plain
from sulla.channels.machine.asking import NOT_YOURS, NOTHING, Answered, numbered, pressed
from sulla.channels.machine.people import Person
from sulla.channels.machine.values import Choice, Question, Verdict
from sulla.core.cut import cut

PRESS: Final = "Press a button below the question, or reply to it with nothing but the words on one."
SAY: Final = (
    "Reply to the question with nothing but the words of a choice, or say `/pick` with what stands behind it there."
)
REPLY: Final = "Reply to the question with your answer."
KEPT: Final = "Your message is kept, and comes after that."
PASSED: Final = "Your message went to the agent, and answers nothing."
AT_WORK: Final = "What you asked before is being done. Your message is kept, and comes after that."
"""What is told once in a turn where the service has no sign for it."""
MOST_WORD_CHARS: Final = 40
"""Of what somebody picked and is none, as it is told back."""
MOST_CHOICE_CHARS: Final = 1_000
"""Longer words mean no choice."""
_YES: Final = frozenset(
    "yes y yep yeah ok okay allow approve accept ja jo jawohl erlauben erlaubt oui autoriser s\u00ed si permitir "
    "s\u00ec consentire sim toestaan tillad till\u00e5t tillat zezw\u00f3l "
    "\u0434\u0430 \u0440\u0430\u0437\u0440\u0435\u0448\u0438\u0442\u044c "
    "\u662f \u597d \u53ef\u4ee5 \u5141\u8bb8 \u540c\u610f \u306f\u3044 \U0001f44d".split()
)
_NO: Final = frozenset(
    "no n nope refuse reject deny nein nee ablehnen abgelehnt non refuser rechazar rifiutare n\u00e3o nao recusar "
    "weigeren nej neka afvis nei avsl\u00e5 nie odm\u00f3w "
    "\u043d\u0435\u0442 \u043e\u0442\u043a\u0430\u0437\u0430\u0442\u044c "
    "\u4e0d \u5426 \u4e0d\u8981 \u4e0d\u884c \u62d2\u7edd \u3044\u3044\u3048 \U0001f44e".split()
)
"""What says yes or no to a call and nothing else, in the languages in which a "no" is known elsewhere, too
(`agent.input.said`). Only the whole of a reply counts: "yes, but" is no yes. A word that
means something else in another of these is none: "tak" is a Pole's yes, and a Dane's thanks."""
_ENDS: Final = ".!\u3002"
_KEYCAP: Final = "\u20e3"
_PLAIN_HANDS: Final = dict.fromkeys((0xFE0E, 0xFE0F, *range(0x1F3FB, 0x1F400)))
"""What says how an emoji is shown, and the colours of skin."""
_MARKED: Final = re.compile(r"(\*\*\*|\*\*|\*|__|_)(?=[^\s*_])(.*[^\s*_])\1")
_PLAIN_WORDS: Final[Mapping[Verdict, frozenset[str]]] = {"approve": _YES, "reject": _NO}


def meant(question: Question, words: str) -> list[Choice]:
    """The choices of a question that somebody means who says nothing but these words: by its label, by its number, or
    by a plain yes or no to a call.

    Args:
        question: it.
        words: all that he says.
    """
    said = _folded(words)
    if not said:
        return []
    named = [one for one in question.choices if said in (_folded(one.label), _folded(one.text) or None)]
    if named:
        return named
    number = _number(said)
    if numbered(question):
        named = [one for at, one in enumerate(question.choices, 1) if number == str(at)]
    else:
        named = [one for one in question.choices if number == _number(_folded(one.text or one.label))]
    return named or [one for one in question.choices if said in _PLAIN_WORDS.get(one.verdict, ())]


def replied(questions: Mapping[str, Question], said: str, reply_to: str, place: str, person: Person) -> Answered | str:
    """What a reply in words means: a choice if it says nothing else. The reply names the question, so nothing is
    guessed.

    Args:
        questions: those that are open.
        said: the words.
        reply_to: the service's id of the message that they answer.
        place: where.
        person: who says them.

    Returns:
        The answer; or what he is told instead, empty if it chooses nothing.
    """
    question = open_at(questions, reply_to, place)
    found = meant(question, said) if question is not None else []
    if question is None or len(found) != 1:
        return ""
    return Answered(question, found[0]) if "approve" in person.scopes else NOT_YOURS


def picked(
    questions: Mapping[str, Question], word: str, place: str, person: Person, *, buttons: bool
) -> Answered | str:
    """What ``/pick WORD`` means: a choice by its token, or by its words or number where one question alone has that.

    Args:
        questions: those that are open.
        word: what stands behind it.
        place: where.
        person: who says it.
        buttons: whether the service has them.

    Returns:
        The answer; or what he is told instead: why it is none, and how to choose.
    """
    if "approve" not in person.scopes:
        return NOT_YOURS
    if isinstance(found := pressed(questions, word, place, person), Answered):
        return found
    here = [one for one in questions.values() if one.place == place]
    if not here:
        return NOTHING
    named = [Answered(one, choice) for one in here for choice in meant(one, word)]
    if len(named) == 1:
        return named[0]
    called = f"{cut(' '.join(word.split()), MOST_WORD_CHARS)!r}"
    how = how_to(here, buttons=buttons)
    return f"{called} is {'more than one' if named else 'no'} choice of what is asked here now. {how}"


def how_to(questions: Collection[Question], *, buttons: bool) -> str:
    """How somebody answers.

    Args:
        questions: what is asked.
        buttons: whether the service has them.
    """
    return (PRESS if buttons else SAY) if any(one.choices for one in questions) else REPLY


def open_at(questions: Mapping[str, Question], reply_to: str, place: str) -> Question | None:
    """The open question that a message replies to; None for none.

    Args:
        questions: those that are open.
        reply_to: the service's id of the message that is replied to.
        place: where.
    """
    found = (one for one in questions.values() if reply_to and (one.ref, one.place) == (reply_to, place))
    return next(found, None)


def is_stray(questions: Collection[Question], said: str, plays: Collection[str]) -> bool:
    """Whether words that reply to nothing look like an answer to what is asked: as a message they would come to the
    agent later, and agree to whatever it asks then.

    Args:
        questions: those that are open where they are said.
        said: all the words.
        plays: threads whose questions no turn of the conversation waits for.
    """
    waits = any(one.thread not in plays for one in questions)
    return (waits and _folded(said) in _YES | _NO) or any(meant(one, said) for one in questions)


def stray(questions: Collection[Question], person: Person, who: Sequence[str], *, buttons: bool) -> str:
    """What somebody is told whose words looked like an answer; see `is_stray`.

    Args:
        questions: those that are open where he says it.
        person: he.
        who: may answer by a channel.
        buttons: whether the service has them.
    """
    how = how_to(questions, buttons=buttons) if "approve" in person.scopes else _others(who)
    return f"This was not taken, as a question waits for its answer here. {how} If you mean something else, say more."


def waits(
    question: Question, person: Person, who: Sequence[str], *, buttons: bool, asks_all: bool, held_up: bool
) -> str:
    """What somebody is told whose words are a message while a question is open.

    Args:
        question: it.
        person: he.
        who: may answer it by a channel.
        buttons: whether the service has them.
        asks_all: whether it can be answered by somebody where it is asked.
        held_up: whether the turn of the conversation waits for it, and so does his message.
    """
    may = "approve" in person.scopes and asks_all
    how = how_to([question], buttons=buttons) if may else _others(who)
    return f"A question waits for its answer here. {how} {KEPT if held_up else PASSED}"


def _others(who: Sequence[str]) -> str:
    others = f" ({', '.join(who)})" if who else ""
    return f"It waits for somebody who may answer it{others}."


def _number(folded: str) -> str:
    """A number as a list has it (``1)``), or as a key (what Matrix shows a choice with), without that."""
    return folded.removesuffix(")").replace(_KEYCAP, "")


def _folded(words: str) -> str:
    """Words as they are compared: with one form of each character, in small letters, without a final point, without the
    marks of Markdown around all of them, and hands without the colour of their skin."""
    if len(words) > MOST_CHOICE_CHARS:
        return ""
    folded = " ".join(plain(words).translate(_PLAIN_HANDS).split()).casefold().rstrip(_ENDS).strip()
    marked = _MARKED.fullmatch(folded)
    return marked.group(2).rstrip(_ENDS).strip() if marked is not None else folded
