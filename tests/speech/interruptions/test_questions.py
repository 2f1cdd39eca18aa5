from __future__ import annotations

import pytest

from sulla.core.ids import CallId, MessageId
from sulla.speech.interruptions.questions import question_of
from sulla.threads.log.codec import Entry, Origin
from sulla.threads.log.records import Input, StopAsked, TextMessageEnd, ThreadFact


def entries(*facts: ThreadFact) -> list[Entry]:
    return [Entry(number, fact.kind, False, Origin(1), fact.data()) for number, fact in enumerate(facts)]


def said(text: str, *, hidden: bool = False) -> TextMessageEnd:
    return TextMessageEnd(CallId("c"), MessageId("m"), text, hidden=hidden)


TYPED = Input(MessageId("i"), "hello")


@pytest.mark.parametrize(
    ("facts", "question"),
    [
        ((), None),
        ((TYPED, said("Which one?")), "Which one?"),
        ((TYPED, said("I ask: **which one?**")), "I ask: which one?"),
        ((TYPED, said("Which one? Tell me.")), "Which one? Tell me."),
        ((TYPED, said("I found it. What is your phone number? I need it.")), "What is your phone number? I need it."),
        ((TYPED, said("I can book that. Please tell me your name.")), "Please tell me your name."),
        ((TYPED, said("Now spell it")), "Now spell it"),
        ((TYPED, said("Your postcode, please.")), "Your postcode, please."),
        ((TYPED, said("Which one? I have booked it. It leaves at nine.")), None),
        ((said("Which one?"), StopAsked()), "Which one?"),
        ((said("Which one?"), said("")), "Which one?"),
        ((said("Which one?"), said("Done.")), None),
        ((said("Which one?"), said("Done.", hidden=True)), "Which one?"),
        ((said("Which one?"), TYPED), None),
    ],
)
def test_a_question_is_open_until_somebody_answers(facts: tuple[ThreadFact, ...], question: str | None) -> None:
    assert question_of(entries(*facts)) == question
