"""Reads conversations' logs on, and plans what goes out of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sulla.channels.machine import asking
from sulla.channels.machine.admission import may_answer, who_may_answer
from sulla.channels.machine.outgoing import (
    AnsweredElsewhere,
    Asked,
    Begun,
    Ended,
    Playing,
    Reply,
    Step,
    Told,
    step_of,
)
from sulla.channels.machine.people import People
from sulla.channels.machine.quoting import about, begins, broken_off
from sulla.channels.machine.values import MOST_PLAYS, MOST_QUESTIONS, Question, Talk
from sulla.channels.run.held import Held
from sulla.channels.run.whose import Whose, whose
from sulla.core.errors import NotFound
from sulla.core.ids import ThreadId
from sulla.threads.log.codec import Entry
from sulla.threads.log.state import ThreadState
from sulla.threads.log.waits import Wait

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
        self.over: set[str] = set()
        """Places where a turn has ended since somebody looked: what was shown of it live comes too late, too."""

    async def read_on(self, place: str) -> bool:
        """Plan what comes next at a place, unless something waits there already; whether anything was planned. What
        was planned, and how far the log was read for it, is kept when this returns.

        Raises:
            StoreUnavailable, StaleLease: it is not kept; it is read again.
        """
        held = self._held
        talk = held.book.talks.get(place)
        if talk is None:
            return held.outbox.waits_at(place)
        moved = False
        for thread, after in talk.left:
            moved |= await self._read(place, thread, after)
        if talk.thread:
            moved |= await self._read(place, talk.thread, talk.told_seq)
        if moved:
            await held.shelf.keep()
        return held.outbox.waits_at(place)

    async def _read(self, place: str, thread: str, after: int) -> bool:
        """Read one conversation on until something is planned; whether it was read on, or let go of."""
        held, moved = self._held, False
        while not held.outbox.waits_at(place) and not held.outbox.full:
            try:
                page = await held.around.threads.entries(ThreadId(thread), after=after, limit=PAGE)
            except NotFound:
                return self._told(place, thread, None) or moved
            for entry in page:
                await self._plan(held.book.talks[place], thread, entry)
                after, moved = entry.seq, True
                self._told(place, thread, after)
                if held.outbox.waits_at(place):
                    return True
            if len(page) < PAGE:
                return await self._let_go(place, thread, after) or moved
        return moved

    def _told(self, place: str, thread: str, seq: int | None) -> bool:
        """How far a conversation was read; None where it is gone, or done with. Whether that changes anything."""
        talk = self._held.book.talks[place]
        if thread == talk.thread:
            now = talk if seq is None else replace(talk, told_seq=seq)
        else:
            left = ((one, seq if one == thread else at) for one, at in talk.left if one != thread or seq is not None)
            now = replace(talk, left=tuple((one, at) for one, at in left if at is not None))
        self._held.book.talks[place] = now
        return now != talk

    async def _let_go(self, place: str, thread: str, after: int) -> bool:
        """Listen no more to a conversation of before that is at rest; whether it was one."""
        if thread == self._held.book.talks[place].thread:
            return False
        info = await self._held.around.store.head(thread)
        at_rest = info is None or (info.head.status == "idle" and not info.ready and info.last_seq <= after)
        return at_rest and self._told(place, thread, None)

    async def _plan(self, talk: Talk, thread: str, entry: Entry) -> None:
        outbox, place, present = self._held.outbox, talk.place.key, thread == talk.thread
        match step := step_of(entry):
            case Reply(message_id, text, cut):
                answers = await self._answered(talk, thread, entry)
                if cut:
                    text = f"{text}\n\n{broken_off(begins((await self._whose(thread, entry)).text))}"
                if present:
                    self.answered[place] = message_id
                    outbox.answer(place, message_id, text, answers)
                else:
                    outbox.say(place, text, message_id, reply_to=answers)
            case Told(text):
                outbox.say(place, text, f"{thread}:{entry.seq}")
            case Asked(waits):
                self.at_work.discard(place)
                await self._ask(place, thread, {one.wait_id for one in waits})
            case Ended(said):
                asked = await self._whose(thread, entry) if said or step.broken_off else Whose()
                words, answers = begins(asked.text), dict(talk.asked).get(asked.message_id, "")
                self._end(place, thread, words, present=present, broken_off=step.broken_off)
                if said:
                    outbox.say(place, about(said, words), f"{thread}:{entry.seq}", reply_to=answers)
            case _:
                self._note(talk, thread, step)

    async def _answered(self, talk: Talk, thread: str, entry: Entry) -> str:
        """The service's id of the message that an answer is to; empty where it is not known, or not said."""
        if not self._held.channel.manners.names_answered:
            return ""
        return dict(talk.asked).get((await self._whose(thread, entry)).message_id, "")

    async def _whose(self, thread: str, entry: Entry) -> Whose:
        """The message that the turn of a record answers."""
        run_id = entry.origin.run_id
        return await whose(self._held.around.threads, ThreadId(thread), run_id, entry.seq) if run_id else Whose()

    def _end(self, place: str, thread: str, words: str, *, present: bool, broken_off: bool) -> None:
        """A turn is over, of a message that begins so: nothing of it is asked or shown any more."""
        self._close(self._open(thread), "no longer asked")
        if present:
            self.at_work.discard(place)
            self.over.add(place)
            if broken_off:
                self._held.outbox.break_off(place, words)
            else:
                self._held.outbox.drop_preview(place)

    def _note(self, talk: Talk, thread: str, step: Step | None) -> None:
        """What says nothing to people."""
        place = talk.place.key
        match step:
            case AnsweredElsewhere(wait_id):
                self.at_work.add(place)
                self._close([one for one in self._open(thread) if one.wait_id == wait_id], "answered")
            case Begun(message_id):
                self.at_work.add(place)
                ours = [one for one, _ in talk.asked]
                if message_id in ours:  # of what was said before it all has been told
                    asked = talk.asked[ours.index(message_id) :]
                    self._held.book.talks[place] = replace(self._held.book.talks[place], asked=asked)
            case Playing(play, ended):
                plays = (*(one for one in talk.plays if one != play), *(() if ended else (play,)))
                self._held.book.talks[place] = replace(talk, plays=plays[-MOST_PLAYS:])
            case _:
                pass

    def _open(self, thread: str) -> list[Question]:
        return [one for one in self._held.book.questions.values() if one.thread == thread]

    def _close(self, questions: list[Question], how: str) -> None:
        for question in questions:
            self._held.close(question, how)

    async def _ask(self, place: str, thread: str, wanted: set[str]) -> None:
        """Ask what is still open: what the log says may be long ago."""
        held = self._held
        state = await held.around.threads.load(ThreadId(thread), messages=False)
        if state is not None and state.run is not None:
            await self._put(place, thread, [one for one in state.run.waits.values() if one.wait_id in wanted])

    async def heed(self, place: str, state: ThreadState) -> None:
        """Ask at a place what one that works for its conversation wants to know, and ask no more what it does not.

        Args:
            place: its key.
            state: of whoever works there.

        Raises:
            StoreUnavailable, StaleLease: it is not kept.
        """
        asked = state.run.waits.values() if state.run is not None else ()
        waits = {one.wait_id: one for one in asked if one.is_for_people}
        gone = [one for one in self._open(state.thread_id) if one.wait_id not in waits]
        known = {one.wait_id for one in self._open(state.thread_id)}
        fresh = [one for one in waits.values() if one.wait_id not in known]
        if gone or fresh:
            self._close(gone, "answered")
            await self._put(place, state.thread_id, fresh)
            await self._held.shelf.keep()

    async def _put(self, place: str, thread: str, waits: Sequence[Wait]) -> None:
        held = self._held
        most = held.channel.manners.most_buttons
        chars = held.channel.manners.button_chars if most else 0
        people = await held.around.people.read() if waits else People()
        asks = may_answer(people, held.rules, held.book.talks[place])
        for wait in waits:
            question = asking.question_of(wait, place, thread, held.book.owner.secret, most)
            shown = asking.shown_of(question, button_chars=chars)
            if not asks:
                question = replace(question, choices=())
                shown = asking.shown_for_others(question, who_may_answer(people, held.rules))
            elif asking.is_too_long(question, wait, held.outbox.parts(shown)):
                question = asking.refusing(question, wait)
                shown = asking.shown_of(question, button_chars=chars, more=asking.TOO_LONG)
            held.book.questions.setdefault(question.id, question)
            held.outbox.ask(question, shown)
            while len(held.book.questions) > MOST_QUESTIONS:
                held.book.questions.pop(next(iter(held.book.questions)))
