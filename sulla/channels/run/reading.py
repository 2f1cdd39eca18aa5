"""Reads conversations' logs on, and plans what goes out of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sulla.channels.machine import asking
from sulla.channels.machine.outgoing import AnsweredElsewhere, Asked, Begun, Ended, Reply, step_of
from sulla.channels.machine.values import MOST_QUESTIONS, Question, Talk
from sulla.channels.run.held import Held
from sulla.core.errors import NotFound
from sulla.core.ids import ThreadId
from sulla.threads.log.codec import Entry

PAGE: Final = 64
"""Records that are read at once."""


class Reader:
    """Plans what one channel says. It lives as long as the channel is held.

    Args:
        held: the channel.
    """

    def __init__(self, held: Held) -> None:
        self._held = held
        self.at_work: set[str] = set()
        """Places where a turn goes on, as far as their logs were read."""
        self.answered: dict[str, str] = {}
        """The last reply that was planned at each place: what is shown of it live comes too late."""

    async def read_on(self, place: str) -> bool:
        """Plan what comes next at a place, unless something waits there already; whether anything was planned. What
        was planned, and how far the log was read for it, is kept when this returns.

        Raises:
            StoreUnavailable, StaleLease: it is not kept; it is read again.
        """
        held, moved = self._held, False
        while (talk := held.book.talks.get(place)) is not None and talk.thread:
            if held.outbox.waits_at(place) or held.outbox.full:
                break
            try:
                page = await held.around.threads.entries(ThreadId(talk.thread), after=talk.told_seq, limit=PAGE)
            except NotFound:
                break  # it was deleted: the next message begins another one
            for entry in page:
                await self._plan(talk, entry)
                held.book.talks[place] = replace(held.book.talks[place], told_seq=entry.seq)
                moved = True
                if held.outbox.waits_at(place):
                    break
            if len(page) < PAGE:
                break
        if moved:
            await held.shelf.keep()
        return held.outbox.waits_at(place)

    async def _plan(self, talk: Talk, entry: Entry) -> None:
        outbox, place = self._held.outbox, talk.place.key
        match step_of(entry.fact):
            case Reply(message_id, text):
                self.answered[place] = message_id
                outbox.answer(place, message_id, text)
            case Asked(waits):
                self.at_work.discard(place)
                await self._ask(talk, {one.wait_id for one in waits})
            case AnsweredElsewhere(wait_id):
                self.at_work.add(place)
                self._close([one for one in self._open(talk) if one.wait_id == wait_id], "answered")
            case Begun():
                self.at_work.add(place)
            case Ended(said):
                self.at_work.discard(place)
                self._close(self._open(talk), "no longer asked")
                outbox.drop_preview(place)
                if said:
                    outbox.say(place, said, f"{talk.thread}:{entry.seq}")
            case None:
                pass

    def _open(self, talk: Talk) -> list[Question]:
        return [one for one in self._held.book.questions.values() if one.thread == talk.thread]

    def _close(self, questions: list[Question], how: str) -> None:
        for question in questions:
            del self._held.book.questions[question.id]
            self._held.outbox.ask_no_more(question, f"{question.prompt}\n\n*{how}*")

    async def _ask(self, talk: Talk, wanted: set[str]) -> None:
        """Ask what is still open: what the log says may be long ago."""
        held = self._held
        state = await held.around.threads.load(ThreadId(talk.thread), messages=False)
        if state is None or state.run is None:
            return
        most = held.channel.manners.most_buttons
        for wait in state.run.waits.values():
            if wait.wait_id not in wanted:
                continue
            question = asking.question_of(wait, talk.place.key, talk.thread, held.book.secret, most)
            held.book.questions.setdefault(question.id, question)
            held.outbox.ask(question, asking.words_of(question, buttons=bool(most)))
            while len(held.book.questions) > MOST_QUESTIONS:
                held.book.questions.pop(next(iter(held.book.questions)))
