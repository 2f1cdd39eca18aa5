"""Takes questions back from whoever may answer no longer."""

from __future__ import annotations

from dataclasses import replace

from sulla.channels.machine import asking
from sulla.channels.machine.admission import may_answer, who_may_answer
from sulla.channels.run.held import Held


async def ask_others(held: Held) -> None:
    """See where questions are open that nobody may answer who reads them: they say who may, and have no buttons.

    Args:
        held: the channel.

    Raises:
        StoreUnavailable, StaleLease: it is not kept.
    """
    book, people = held.book, await held.around.people.read()
    for question in list(book.questions.values()):
        talk = book.talks.get(question.place)
        if question.choices and talk is not None and not may_answer(people, held.rules, talk):
            book.questions[question.id] = now = replace(question, choices=())
            held.outbox.ask_others(now, asking.shown_for_others(now, who_may_answer(people, held.rules)))
            held.wake(question.place)
    await held.shelf.keep()
