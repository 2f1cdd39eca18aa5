"""A talk at a terminal: what is typed goes to the daemon, and what happens there is shown above it meanwhile."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal

from sulla.core.clock import Clock
from sulla.core.errors import SullaError, foremost
from sulla.host.chat_history import keep_history, read_history, worth_keeping
from sulla.host.system import random_id
from sulla.terminal import questions
from sulla.terminal.chat import commands, orders
from sulla.terminal.chat.commands import Choices
from sulla.terminal.chat.current import Current
from sulla.terminal.chat.live import TAIL_ROWS, formed, live_rows
from sulla.terminal.chat.markdown import renderer
from sulla.terminal.chat.orders import Known, Message, Misread, Mode, Order
from sulla.terminal.chat.pieces import Event, Piece, last_messages
from sulla.terminal.chat.pressed import Pressed
from sulla.terminal.chat.prompt import GREETING, Around, TalkPrompt, Typed, above
from sulla.terminal.chat.view import Used, View, notice_piece
from sulla.terminal.client import Client
from sulla.terminal.exits import Exit
from sulla.terminal.follow import pause_note
from sulla.terminal.last import remember_thread
from sulla.terminal.place import colour_is_wanted
from sulla.terminal.program import hint
from sulla.terminal.questions import Given, Question
from sulla.terminal.screen import held_line, held_words
from sulla.terminal.table import columns_of_terminal, one_line
from sulla.terminal.turn import Said, fault_in, too_long
from sulla.terminal.waits import Waits

_LEAVE_S: Final = 10.0
"""So long what was typed before leaving has to get to the daemon."""
_MOST_JOBS: Final = 1_000
"""So many messages and commands may wait to be sent."""
_ROWS_LEFT: Final = 8
"""So many rows of the terminal stay for the line that is typed, and for what was said before."""

Job = Callable[[], Awaitable[None]]


class _Jobs(asyncio.Queue["Job"]):
    """What was typed and is still to be done, in its order; it lives as long as the talk."""

    underway = False
    """Whether one of them is being done."""
    left = False
    """Whether the talk ended while that went on."""


class Talk:
    """One talk, from its first line to its last.

    Args:
        home: whose daemon.
        clock: for waiting.
        agent: who answers; empty for the thread's own.
    """

    def __init__(self, home: Path, clock: Clock, agent: str) -> None:
        self._home = home
        self.clock = clock
        self.choices = Choices(agent)
        self.known = Known()
        self.view = View()
        self.waits = Waits()
        self._asking: tuple[str, asyncio.Task[Given | None]] | None = None
        self._pressed = Pressed()
        self._jobs = _Jobs(_MOST_JOBS)
        around = Around(self._rows, self._label, lambda: self.known, self._interrupt, self._keep, self.note)
        self.prompt = TalkPrompt(clock, around, read_history(home))
        self.current = Current(home, clock, self.happened, self._notice, self.note)

    # ---------------------------------------------------------------------------------------------------------- output

    def show(self, *pieces: Piece) -> None:
        """Print something for good; while a question is asked, behind its answer: its frame stands above the line."""
        if shown := self.prompt.late.add(pieces, is_asked=self._asking is not None):
            columns, colour = columns_of_terminal(), colour_is_wanted()
            answer = renderer(columns, colour=colour)
            above("".join(formed(piece, columns, colour=colour, answer=answer) for piece in shown))

    def note(self, text: str) -> None:
        """Tell the person something."""
        self.show(Piece("faint", text))

    def _rows(self) -> list[str]:
        rows = max(0, min(TAIL_ROWS, shutil.get_terminal_size().lines - _ROWS_LEFT))
        return live_rows(self.view, self.clock.elapsed(), rows, columns_of_terminal(), self.current.link.away_since_s)

    def _label(self) -> str:
        agent = self.choices.named or self.current.speaker(self.choices.agent) or self.known.first
        name = dict(self.known.agents).get(agent, "")
        model = name.partition(":")[2] or name
        return one_line(f"you · {agent} · {model}> " if model else "you> ", max(20, columns_of_terminal() // 2)) + " "

    def _keep(self, text: str) -> None:
        if worth_keeping(text):
            try:
                keep_history(self._home, text)
            except OSError as error:
                self.note(f"[the history cannot be kept: {error}]")

    # ----------------------------------------------------------------------------------------------------------- input

    async def run(self, thread_id: str) -> Exit:
        """Talk, until the person leaves.

        Args:
            thread_id: where to go on; empty for a new thread.

        Raises:
            Refused: there is no such thread, or no such agent.
            Unavailable: no daemon runs.
        """
        await commands.learn(self)
        commands.check_agent(self, self.choices.agent)
        with self.prompt.kept_raw(GREETING):
            try:
                async with asyncio.TaskGroup() as group:
                    self.current.group = group
                    await self.open(thread_id)
                    beside = [group.create_task(self._work()), group.create_task(self.current.inbox.run())]
                    try:
                        await self._read()
                    finally:
                        for task in beside:
                            task.cancel()
                        self.current.close()
            except BaseExceptionGroup as failures:
                raise foremost(failures) from None
        self._say_farewell()
        return Exit.OK

    async def open(self, thread_id: str) -> None:
        """Go on in another conversation, and show what was said there last.

        Args:
            thread_id: which; empty for a new one.

        Raises:
            SullaError: there is no such thread, or no daemon.
        """
        events = await self.current.open(thread_id)
        self.view, self.waits = View(self.view.own), Waits()
        self._pressed.ended()
        pieces = last_messages(events)
        for event in events:
            self.view.take(event, self.clock.elapsed())
            self.current.conversation.listen_to(self.waits.take(event, own=True))
        self.current.conversation.listen_to(*self.waits.plays)
        self.view.used = Used()
        if pieces:
            self.show(
                Piece("faint", f"[the last of {self.current.conversation.thread_id}]"),
                *pieces,
                Piece("faint", "[so far]"),
            )
        if self.view.held:
            self.note(held_words(self.view.held))
        self.current.follow()
        if self._next_question() is not None:
            self.prompt.put_aside()

    async def _read(self) -> None:
        while True:
            if (question := self._next_question()) is not None:
                await self._ask(question)
                continue
            try:
                typed = await self.prompt.read()
            except (EOFError, KeyboardInterrupt):
                break
            if typed is not None and not self._take(typed):
                break
            _ = self.current.begin(self.current.inbox.mark())  # its group keeps it
        try:
            async with self.clock.timeout(_LEAVE_S):
                await self._jobs.join()
                await self.current.inbox.mark()
        except TimeoutError:
            self._jobs.left = self._jobs.underway

    def _take(self, typed: Typed) -> bool:
        """Do what a line says; whether the talk goes on."""
        match orders.read_line(typed.text):
            case Order("exit"):
                return False
            case Order("stop", argument):
                self._stop(drop=bool(argument))
            case Order("quote", argument):
                self.prompt.quote(argument)
                self.note("[passed on with the next message]" if argument else "[nothing is quoted]")
            case Order() as order:
                self._later(lambda: commands.do(self, order))
            case Misread(why):
                self.note(f"[{why}]")
            case Message(text) if text.strip() or typed.quoted:
                self._say(text, typed.quoted, self.choices.mode)
        return True

    def _say(self, text: str, quoted: str, mode: Mode) -> None:
        if fault := fault_in(text) or too_long(text) or too_long(quoted):
            blank = quoted and not text.strip()
            why = "say something to what is quoted" if blank else f"not sent: {fault}"
            self.note(f"[{why}; Up brings it back]")
            self.prompt.quote(quoted)
            return
        self._later(lambda: self.send(Said(text, quoted), mode))

    async def send(self, said: Said, mode: Mode) -> None:
        """Say something, and tell if it does not get its turn at once."""
        message_id = random_id("msg")
        self.view.own.add(message_id)
        try:
            said = await commands.addressed(self, said, mode)
            sent = await self.current.conversation.send(said, message_id, mode)
        except SullaError as error:
            self.note(f"[not sent: {error.message}; Up brings it back]")
            return
        with suppress(OSError):  # then `--last` knows of an earlier one
            remember_thread(self._home, self.current.conversation.thread_id)
        self.current.own = self.current.own or said.agent or self.known.first
        self.current.follow()
        self.show(*self.view.sent(str(sent["run_id"]), mode))
        if paused := await self.current.conversation.call_with(lambda of: pause_note(of, "the message")):
            self.note(paused)

    def _later(self, job: Job) -> None:
        try:
            self._jobs.put_nowait(job)
        except asyncio.QueueFull:
            self.note(f"[not sent: {_MOST_JOBS} messages and commands wait already]")

    async def _work(self) -> None:
        """Send what was typed, in its order."""
        while True:
            job = await self._jobs.get()
            self._jobs.underway = True
            try:
                await job()
            except SullaError as error:
                self.note(f"[{error.message}]")
            finally:
                self._jobs.underway = False
                self._jobs.task_done()
                self.prompt.draw()

    # ----------------------------------------------------------------------------------------------------------- events

    def happened(self, event: Event) -> None:
        """Show what happens in the conversation, and see whether somebody has to be asked."""
        own = event["thread_id"] == self.current.conversation.thread_id
        self.current.conversation.listen_to(self.waits.take(event, own=own), *self.waits.plays)
        if own or event["type"] in ("NOTICE", "RUN_WAITING"):
            self.show(*self.view.take(event, self.clock.elapsed()))
            if not self.view.running:
                self._pressed.ended()
        if held := held_line(event, "/changes shows it"):
            self.show(Piece("strong", held))
        asked = self._asking
        # What comes in the same moment, a turn that goes on for example, does not say who has answered.
        if asked is not None and asked[0] not in self.waits.asked and not asked[1].cancelling():
            asked[1].cancel(questions.elsewhere(event))
        if asked is None and self._next_question() is not None:
            self.prompt.put_aside()
        self.prompt.draw()

    def _notice(self, row: Event) -> None:
        here = row["thread_id"] == self.current.conversation.thread_id
        self.show(notice_piece(row, "" if here else str(row["thread_id"])))

    # -------------------------------------------------------------------------------------------------------- questions

    def _open_questions(self) -> list[Question]:
        return [one for one in self.waits.asked.values() if one.id not in self.waits.left]

    def _next_question(self) -> Question | None:
        """What has to be asked now; what a history tells may be answered since."""
        if not self.current.conversation.follow.is_caught_up():
            return None
        return next(iter(self._open_questions()), None)

    async def _ask(self, question: Question) -> None:
        given = await self._answer(question)
        self.waits.answered += 1
        if given is not None:
            await self._tell(question, given)

    async def ask_again(self, question: Question) -> None:
        """Have a question asked that was left open, or that another conversation has."""
        self.waits.left.discard(question.id)
        self.waits.told.discard(question.id)
        self.waits.asked[question.id] = question
        self.waits.answered = 0
        self.prompt.put_aside()

    async def _answer(self, question: Question) -> Given | None:
        """What the person says; None if they leave it open, stop, or somebody else was quicker."""
        task = self.current.begin(self._prompted(question))
        self._asking = (question.id, task)
        try:
            given = await task
        except asyncio.CancelledError as why:
            if not task.cancelled():
                raise
            self.note(str(why))
            return None
        finally:
            self._asking = None
            self.show()
        if given is None and question.id not in self.waits.left:
            self.waits.left.add(question.id)
            thread_id = question.thread_id or self.current.conversation.thread_id
            self.note(questions.how_to_answer(question, thread_id).rstrip("\n") + "\n[or /approvals here]")
        return given

    async def _prompted(self, question: Question) -> Given | None:
        place, of = self.waits.place(len(self._open_questions()))
        try:
            return await questions.ask(question, self.clock, place=place, of=of)
        except KeyboardInterrupt:
            self.waits.left.add(question.id)
            self._stop()
            return None

    async def _tell(self, question: Question, given: Given) -> None:
        thread_id = question.thread_id or self.current.conversation.thread_id
        said = {"id": question.id, "verdict": given.verdict, "text": given.text}

        async def tell(client: Client) -> dict[str, Any]:
            return await client.call("approval.answer", thread_id=thread_id, **said)

        self.waits.told.add(question.id)
        self.waits.asked.pop(question.id, None)
        self.known = replace(self.known, questions=())  # the numbers have changed
        try:
            await self.current.conversation.call_with(tell)
            if thread_id not in self.current.conversation.follow.seen:  # what comes of it does not show here
                self.note(
                    f"[{given.verdict}: what comes of it is in {thread_id}; /threads {thread_id[:12]} goes there]"
                )
        except SullaError as error:
            self.note(f"[not taken: {error.message}]")
            if error.retryable:  # the daemon is away: the question stays
                self.waits.told.discard(question.id)
                self.waits.left.add(question.id)

    # --------------------------------------------------------------------------------------------------------- stopping

    def _interrupt(self, typed: bool) -> Literal["stay", "clear", "leave"]:
        match self._pressed.press(busy=self._is_busy, typed=typed):
            case "stop":
                self._stop()
            case "again":
                self.note("[still stopping; Ctrl-C once more leaves without it]")
            case "clear":
                return "clear"
            case "leave":
                return "leave"
        return "stay"

    @property
    def _is_busy(self) -> bool:
        return bool(self.view.running or (self.view.queued and not self.view.held))

    def _stop(self, *, drop: bool = False) -> None:
        if not self._is_busy and not (drop and self.view.held):
            held = f"{self.view.held} held: /stop all drops what is held" if self.view.held else "nothing waits"
            self.note(f"[nothing goes on, and {held}]")
            return
        self._pressed.stopping = True
        self.note("[stopping…]")
        _ = self.current.begin(self._stopped(drop=drop))  # its group keeps it

    async def _stopped(self, *, drop: bool) -> None:
        try:
            await self.current.conversation.stop(drop=drop)
        except SullaError as error:
            self._pressed.ended()
            self.note(f"[not stopped: {error.message}]")

    def _say_farewell(self) -> None:
        thread_id = self.current.conversation.thread_id
        if self._jobs.left:
            self.note("[the last message may not have been taken: no daemon has said so]")
        if unsent := self._jobs.qsize():
            self.note(f"[{unsent} not sent]")
        if self.view.running:
            self.note(f"[{'not stopped: ' if self._pressed.stopping else ''}the answer goes on without you]")
        if thread_id:
            self.show(Piece("plain", hint(f"`sulla chat --thread {thread_id}` goes on here.")))
