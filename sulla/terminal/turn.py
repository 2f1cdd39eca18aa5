"""One question to its answer, over reconnects and restarts of the daemon."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import aclosing, suppress
from dataclasses import field
from pathlib import Path
from typing import Any

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import RateLimited, Refused, SullaError, Unavailable
from sulla.host.system import random_id
from sulla.terminal import questions
from sulla.terminal.client import Client, open_client
from sulla.terminal.exits import Exit
from sulla.terminal.follow import PATIENCE_S, Follow, say_lost, tell_of_pause
from sulla.terminal.meanwhile import tell_meanwhile
from sulla.terminal.place import door
from sulla.terminal.questions import Given, Question
from sulla.terminal.screen import Screen
from sulla.terminal.table import harmless

_RETRY_S = 0.25
_LOOK_BACK = 200
"""How many records before a message are looked at for answers; no more inputs than that wait in a thread."""

_LONG_S = 2.0
"""A longer wait than this is told: nobody should think that the command hangs."""


def fault_in(text: str) -> str:
    """Why a text cannot be asked; empty if it can."""
    if not text.strip():
        return "there is no question: write one, or - and pipe it in"
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"character {error.start + 1} of the question is not valid UTF-8: write it in UTF-8"
    return ""


@dataclass(frozen=True, slots=True)
class _Message:
    """What is asked. The ids stay the same at every attempt: what was acknowledged before a break is not done twice."""

    text: str
    agent: str | None
    """Who is asked; None for the thread's own."""
    request_id: str
    message_id: str


@dataclass(slots=True)
class _Waits:
    """What a thread waits to be told."""

    asked: dict[str, Question] = field(default_factory=dict)
    """Before it goes on, by id."""
    earlier: dict[str, Question] = field(default_factory=dict)
    """By an earlier turn of the thread, by id."""
    told: set[str] = field(default_factory=set)
    """What has been answered here."""


class Asking:
    """A question under way.

    Args:
        home: whose daemon is asked.
        thread_id: where; None for a new thread.
        text: the question.
        clock: for waiting.
        as_json: print each event as a line of JSON instead of the answer.
        agent: who is asked; None for the thread's own.
        by_hand: whether somebody is there who can be asked, too.
    """

    def __init__(
        self,
        home: Path,
        thread_id: str | None,
        text: str,
        clock: Clock,
        *,
        as_json: bool,
        agent: str | None = None,
        by_hand: bool = False,
    ) -> None:
        self._home = home
        self._follow = Follow(home, clock, self._begin, lost=_say_lost)
        self.thread_id = thread_id
        self._message = _Message(text, agent, random_id("req"), random_id("msg"))
        self.as_json = as_json
        self.by_hand = by_hand and not as_json
        self.seen = 0
        """The last record that was shown; before it is asked, by an earlier question."""
        self._screen: Screen | None = None
        self._may_be_kept = False
        self._clock = clock
        self.waits = _Waits()
        self._notes: set[tuple[str, str]] = set()
        """What was told beside the answer: by which run, and in which words."""

    async def answer(self) -> Exit | None:
        """Ask, print the answer as it comes, and wait for its end. Called again, it goes on where it was.

        Returns:
            None if the thread waits to be told something first (`waits`).

        Raises:
            Unavailable: the daemon did not come back in time.
            Refused: it did.
        """
        async with aclosing(self._follow.events()) as events:
            async for event in events:
                self.seen = max(self.seen, event.get("seq") or 0)
                screen = self._show(event)
                if screen.exit is not None or self._note_questions(event):
                    await self._mark_seen()
                    return screen.exit
        return None

    async def _mark_seen(self) -> None:
        """Whoever sits at a terminal has read what the agent told beside its answer, and need not be told again."""
        client = self._follow.client
        if client is None or not (self.by_hand and self._notes):
            return
        with suppress(SullaError):  # then it is told again, which does no harm
            rows = (await client.call("notice.list", unseen="mine"))["notices"]
            ids = [row["id"] for row in rows if (row["run_id"], row["text"]) in self._notes]
            if ids:
                await client.call("notice.seen", ids=ids)
                self._notes.clear()

    async def tell(self, question: Question, given: Given) -> None:
        """Answer something that the thread waits for; the first answer counts, whoever gives it.

        Raises:
            Unavailable: no daemon runs.
        """
        self.waits.told.add(question.id)
        self.waits.asked.pop(question.id, None)
        async with open_client(door(self._home)) as client:
            said = {"id": question.id, "verdict": given.verdict, "text": given.text}
            try:
                await client.call("approval.answer", thread_id=self.thread_id, **said)
            except Refused as error:
                print(f"[not taken: {error.message}]", file=sys.stderr, flush=True)

    async def stop(self) -> bool:
        """End the turn, or the one that waits to be told something; whether there was any. Somebody else's turn in the
        same thread goes on.

        Raises:
            Unavailable: no daemon runs.
        """
        any_turn = self._may_be_kept or bool(self.waits.asked)
        if any_turn:
            async with open_client(door(self._home)) as client:
                await client.call("turn.stop", thread_id=self.thread_id)
        self.waits.asked.clear()
        return any_turn

    async def _begin(self, client: Client) -> bool:
        """Ask on a connection, the same every time; whether there is anything to follow."""
        if self.thread_id is None:
            made = await client.call("thread.create", request_id=self._message.request_id, agent=self._message.agent)
            self.thread_id = str(made["thread_id"])
        elif self._screen is None and await self._stands_in_the_way(client):
            return False
        sent = await self._send(client)
        if self._screen is None:
            self._screen = Screen(sent["run_id"])
            self._follow.begun = True
            since, self.seen = self.seen, sent["seq"]
            if self.by_hand and since:
                await tell_meanwhile(client, str(self.thread_id), self._screen, since, self.seen)
            if await self._is_stuck(client):
                return False
            await tell_of_pause(client, "the message")
        self._follow.add(str(self.thread_id), self.seen)
        return True

    async def _stands_in_the_way(self, client: Client) -> bool:
        """Whether an earlier turn has to be told something by whoever is here, before anything is sent."""
        rows = [row async for row in questions.open_questions(client) if row["thread_id"] == self.thread_id]
        found = [one for one in map(questions.from_row, rows) if one.id not in self.waits.told]
        self.waits.earlier = {one.id: one for one in found}
        return self.by_hand and self._show_earlier()

    async def _is_stuck(self, client: Client) -> bool:
        """Whether the message, which was taken, waits behind a question that nobody here can answer. One that was
        answered just now is listed until its turn goes on.
        """
        if not self.waits.earlier:
            return False
        after = max(0, self.seen - _LOOK_BACK)
        page = await client.call("thread.history", thread_id=self.thread_id, after=after, limit=_LOOK_BACK)
        for event in page["events"]:
            if event["type"] == "ANSWER":
                self.waits.earlier.pop(event["data"]["wait_id"], None)
        return self._show_earlier()

    def _show_earlier(self) -> bool:
        self.waits.asked = dict(self.waits.earlier)
        if self.waits.asked and not self.as_json:
            print("[an earlier turn of this thread waits for an answer]", file=sys.stderr)
            for one in self.waits.asked.values():
                print(harmless(f"? {one.prompt}"), file=sys.stderr, flush=True)
        return bool(self.waits.asked)

    def _note_questions(self, event: dict[str, Any]) -> bool:
        """Learn from an event what the thread waits for; whether that has to be told before it goes on."""
        match event["type"]:
            case "SUSPENDED":
                found = map(questions.from_wait, event["data"]["waits"])
                fresh = (one for one in found if one.is_for_people and one.id not in self.waits.told)
                self.waits.asked |= {one.id: one for one in fresh}
                return bool(self.waits.asked)
            case "RESUMED":
                self.waits.asked.pop(str(event["data"].get("wait_id", "")), None)
        return False

    async def _send(self, client: Client) -> dict[str, Any]:
        """Send the message; if messages come too fast, again when the daemon says so."""
        deadline = self._clock.elapsed() + PATIENCE_S
        while True:
            self._may_be_kept = True
            try:
                given = {
                    "message_id": self._message.message_id,
                    "text": self._message.text,
                    "agent": self._message.agent,
                }
                return await client.call("turn.send", thread_id=self.thread_id, **given)
            except RateLimited as error:
                self._may_be_kept = self._screen is not None
                wait_s = error.retry_after_s or _RETRY_S
                if self._clock.elapsed() + wait_s > deadline:
                    raise
                if wait_s > _LONG_S:
                    note = f"[the daemon takes no more messages now; sent again in {wait_s:.0f} s]"
                    print(note, file=sys.stderr, flush=True)
                await self._clock.sleep(wait_s)

    def _show(self, event: dict[str, Any]) -> Screen:
        if (screen := self._screen) is None:
            raise AssertionError("unreachable: events come behind the question")
        if event["type"] == "NOTICE":
            self._notes.add((str(event["run_id"]), str(event["data"]["text"])))
        answer, beside = screen.show(event)
        if self.as_json:
            print(json.dumps(event), flush=True)  # in ASCII: no terminal and no pipe can spoil it
            return screen
        if answer:
            print(answer, end="", flush=True)
        if beside:
            print(beside, end="", file=sys.stderr, flush=True)
        return screen


def _say_lost() -> None:
    print(file=sys.stderr)  # the answer may have broken off in the middle of a line
    say_lost()


def run_turn(asking: Asking, clock: Clock, runner: asyncio.Runner) -> Exit:
    """Run a question to its end; Ctrl-C stops the turn instead of leaving it to run on.

    What it has to be told on the way is asked for at the terminal. Without one the turn is left waiting for it.
    """
    try:
        while (ended := runner.run(asking.answer())) is None:
            # No connection is open while a person thinks.
            for question in tuple(asking.waits.asked.values()):
                given = runner.run(questions.ask(question, clock)) if asking.by_hand else None
                if given is None:
                    return _left_open(asking)
                runner.run(asking.tell(question, given))
        return ended
    except KeyboardInterrupt:
        try:
            stopped = runner.run(asking.stop())
        except Unavailable:
            print("\n[not stopped: the daemon is away, and the turn goes on when it is back]", file=sys.stderr)
            return Exit.INTERRUPTED
        print("\n[stopped]" if stopped else "\n[not sent]", file=sys.stderr)
        return Exit.CANCELLED


def _left_open(asking: Asking) -> Exit:
    if not asking.as_json:
        for question in asking.waits.asked.values():
            print(questions.how_to_answer(question, asking.thread_id or ""), end="", file=sys.stderr, flush=True)
    return Exit.BLOCKED
