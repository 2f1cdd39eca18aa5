"""Takes what people press and say as answers to what they are asked, and tells them what became of it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from sulla.agent.approvals.literal import literal
from sulla.channels.base import Arrived, Press
from sulla.channels.machine import asking, replying
from sulla.channels.machine.admission import may_answer, who_may_answer
from sulla.channels.machine.people import Person
from sulla.channels.machine.values import Question, Shown
from sulla.channels.run.ending import ending
from sulla.channels.run.held import Held
from sulla.core.errors import AlreadyAnswered, InvalidInput, NotFound, SullaError
from sulla.core.ids import MessageId, ThreadId
from sulla.threads.log.records import Answer

log = logging.getLogger(__name__)

AT_WORK_MS: Final = 5_000
"""So long a turn goes on before whoever writes into it is told so, where the service shows no sign of it."""


class Answers:
    """Answers at the places of one channel. It lives as long as the channel is held.

    Args:
        held: the channel.
        mark: by what something that arrived is known when it comes again.
    """

    def __init__(self, held: Held, mark: Callable[[Arrived], str]) -> None:
        self._held = held
        self._mark = mark

    @property
    def _buttons(self) -> bool:
        return bool(self._held.channel.manners.most_buttons)

    async def tell(self, arrived: Arrived, told: Shown | str) -> None:
        """Tell whoever pressed or said something, in the service's own way where it has one: in the daemon's own words
        alone there, which stand as the service has them.

        Args:
            arrived: what he did.
            told: the words.
        """
        shown = Shown((), told) if isinstance(told, str) else told
        if arrived.kind == "press" and arrived.press is not None:
            if arrived.press.id:
                try:
                    await ending(self._held.channel.answer_press(arrived.press, shown.text))
                except SullaError as error:
                    log.info("%s: a press was not answered: %s", self._held.name, error.message)
            return
        self._held.talk(arrived.place, arrived.sender.id)
        key, answers = self._mark(arrived), arrived.message_id
        self._held.outbox.say(arrived.place.key, shown.text, key, reply_to=answers, exact=shown.exact)

    async def press(self, arrived: Arrived, person: Person, press: Press) -> None:
        """Somebody pressed a button, or said ``/pick``.

        Args:
            arrived: what he did.
            person: he.
            press: what he chose.
        """
        questions, place = self._held.book.questions, arrived.place.key
        if arrived.kind == "press":
            found = asking.pressed(questions, press.token, place, person)
        else:
            found = replying.picked(questions, press.token, place, person, buttons=self._buttons)
        await self.tell(arrived, found if isinstance(found, str) else await self._choose(found, person))

    def answers(self, arrived: Arrived, person: Person | None) -> bool:
        """Whether something surely answers an open question: it waits behind nothing, which may wait for just that.

        Args:
            arrived: it; where the question was asked.
            person: who says it; None for somebody who is not known.
        """
        questions, place = self._held.book.questions, arrived.place.key
        if person is None or arrived.kind != "message" or "approve" not in person.scopes:
            return False
        if isinstance(replying.replied(questions, arrived.text, arrived.reply_to, place, person), asking.Answered):
            return True
        question = replying.open_at(questions, arrived.reply_to, place)
        return question is not None and not question.choices

    async def takes(self, arrived: Arrived, person: Person) -> bool:
        """Whether what somebody says is no message to the agent: it answers a question, replies to one that is over, or
        looks like an answer and replies to none. He is told.

        Args:
            arrived: it.
            person: who says it.
        """
        book, place, reply_to = self._held.book, arrived.place.key, arrived.reply_to
        found = replying.replied(book.questions, arrived.text, reply_to, place, person)
        if found:
            told = found if isinstance(found, str) else await self._choose(found, person)
            await self.tell(arrived, _without_files(told) if arrived.attachments else told)
            return True
        question = replying.open_at(book.questions, reply_to, place)
        if question is not None and not question.choices and "approve" in person.scopes and await self._asks(place):
            said = await self._answer(question, arrived, person)
            if said:
                await self.tell(arrived, said)
            return True
        if closed := asking.over(book.closed, reply_to, place):
            await self.tell(arrived, closed)
            return True
        here = self._open(place)
        if arrived.attachments or arrived.quoted or not replying.is_stray(here, arrived.text, book.talks[place].plays):
            return False
        await self.tell(arrived, replying.stray(here, person, await self._who(), buttons=self._buttons))
        return True

    async def kept(self, arrived: Arrived, person: Person, message_id: MessageId) -> None:
        """A message was handed on: whoever wrote it is told what it waits for. Where it replies to an open question
        each time, else once for what it waits for.

        Args:
            arrived: it.
            person: who wrote it.
            message_id: ours.
        """
        held, place = self._held, arrived.place.key
        if arrived.kind != "message":
            return
        blocking = await self._blocking(place)
        if question := replying.open_at(held.book.questions, arrived.reply_to, place) or blocking:
            said = replying.waits(
                question,
                person,
                await self._who(),
                buttons=self._buttons,
                asks_all=await self._asks(place),
                held_up=blocking is not None,
            )
            if arrived.reply_to == question.ref or self._first(f"waits:{question.id}"):
                await self.tell(arrived, said)
            return
        run = "" if held.channel.manners.typing_s else await self._at_work(place, message_id)
        if run and self._first(f"at work:{run}"):
            await self.tell(arrived, replying.AT_WORK)

    # ------------------------------------------------------------------------------------------------------- private

    def _open(self, place: str) -> list[Question]:
        return [one for one in self._held.book.questions.values() if one.place == place]

    async def _blocking(self, place: str) -> Question | None:
        """The question for which the turn of the conversation waits, its own or a sub-agent's; None for none."""
        talk, around = self._held.book.talks[place], self._held.around
        asked = [one for one in self._open(place) if one.thread not in talk.plays]
        if own := next((one for one in asked if one.thread == talk.thread), None):
            return own
        state = await around.threads.load(ThreadId(talk.thread), messages=False) if asked and talk.thread else None
        return asked[0] if state is not None and state.suspended else None

    def _first(self, mark: str) -> bool:
        """Whether this is the first time."""
        if mark in self._held.seen:
            return False
        self._held.seen.add(mark)
        return True

    async def _who(self) -> tuple[str, ...]:
        return who_may_answer(await self._held.around.people.read(), self._held.rules)

    async def _asks(self, place: str) -> bool:
        """Whether somebody reads at a place who may answer there."""
        return may_answer(await self._held.around.people.read(), self._held.rules, self._held.book.talks[place])

    async def _at_work(self, place: str, message_id: MessageId) -> str:
        """The turn that has gone on for a while at a place, of another message than this one; empty for none."""
        thread, around = self._held.book.talks[place].thread, self._held.around
        state = await around.threads.load(ThreadId(thread), messages=False) if thread else None
        run = state.run if state is not None else None
        if run is None or run.message.id == message_id:
            return ""
        return run.id if around.now_ms() - run.course.started_ms >= AT_WORK_MS else ""

    async def _choose(self, found: asking.Answered, person: Person) -> Shown | str:
        """Hand on what was chosen; what whoever did is told."""
        question, choice = found.question, found.choice
        answer = Answer(question.wait_id, choice.text, choice.verdict, by=person.principal)
        try:
            await self._held.around.keeper().answer(ThreadId(question.thread), answer)
        except (AlreadyAnswered, NotFound, InvalidInput):
            return asking.OLD
        self._held.close(question, f"{choice.label}: {person.name}")
        return asking.chosen(question, choice)

    async def _answer(self, question: Question, arrived: Arrived, person: Person) -> Shown | str:
        """Hand on what answers in words; what whoever wrote it is told, if anything."""
        if not arrived.text.strip():
            return asking.WORDS  # what is forwarded or cited are not his words, and a file is none
        answer = Answer(question.wait_id, arrived.text, by=person.principal)
        try:
            await self._held.around.keeper().answer(ThreadId(question.thread), answer)
        except InvalidInput as error:
            return Shown((literal(error.message),), asking.REFUSED)
        except (AlreadyAnswered, NotFound):
            return asking.OLD
        return asking.NO_FILES if arrived.attachments else ""


def _without_files(told: Shown | str) -> Shown:
    """What somebody is told who sent files with his choice."""
    shown = Shown((), told) if isinstance(told, str) else told
    return replace(shown, text=f"{shown.text} {asking.NO_FILES}")
