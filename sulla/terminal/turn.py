"""One question to its answer, over reconnects and restarts of the daemon."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import RateLimited, Refused, SullaError
from sulla.core.jsontypes import JsonObject
from sulla.core.pattern import late_pattern
from sulla.host.system import random_id
from sulla.rpc.limits import TEXT_CHARS
from sulla.terminal import questions
from sulla.terminal.client import Client, Event, open_client
from sulla.terminal.display import Display, JsonDisplay, PlainDisplay
from sulla.terminal.exits import Exit
from sulla.terminal.follow import LOOK_BACK, PATIENCE_S, Follow, tell_of_pause
from sulla.terminal.framed import WHOLE_COLUMNS
from sulla.terminal.ids import whole_thread
from sulla.terminal.last import remember_thread
from sulla.terminal.opening import Opening
from sulla.terminal.output import tell
from sulla.terminal.place import door
from sulla.terminal.questions import Given, Question
from sulla.terminal.table import harmless
from sulla.terminal.waits import Waits

_BEGINNING = late_pattern("(?:thr_)?[0-9a-f]{4,23}")
"""How an id of a thread begins that the daemon has made, or its beginning alone."""
WITHDRAWN_S = 1.0
"""How long a question in the way may take to be withdrawn, in seconds: a message that must not wait ends it."""
_RETRY_S = 0.25

MOST_CHILDREN = 48
"""So many sub-agents are listened to for questions: a connection may follow 64 threads."""

_PAGE_RECORDS: Final = 200

LONG_S = 2.0
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


def too_long(text: str) -> str:
    """What to do with a text that is too long for a message; empty if it is not."""
    if len(text) <= TEXT_CHARS:
        return ""
    return (
        f"that has {len(text):,} characters, and a message may have {TEXT_CHARS:,}: put it into a file of the "
        "workspace and name that, or send it in parts"
    )


async def tell_meanwhile(
    client: Client, thread_id: str, aside: Callable[[Event], str], after: int, before: int
) -> None:
    """Print what an agent has said of playbooks between two turns of a talk, beside the answer.

    Args:
        client: a connection.
        thread_id: where the talk is.
        aside: says what an event has to say, and learns whose words are still to come.
        after: the last record that was seen.
        before: the record of the message that was sent now.
    """
    while after < before - 1:
        page = await client.call("thread.history", thread_id=thread_id, after=after, limit=_PAGE_RECORDS)
        for event in page["events"]:
            if event["seq"] < before and (said := harmless(aside(event))):
                tell(said, end="")
        if not page["more"]:
            return
        after = page["events"][-1]["seq"]


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody says, and to whom."""

    text: str
    quoted: str = ""
    """What is passed on with it and is somebody else's."""
    agent: str | None = None
    """Who is asked; None for the thread's own."""
    flow: JsonObject | None = None
    """By which flow the turn is to be walked; None for as its agent says."""


@dataclass(frozen=True, slots=True)
class _Message:
    """What is sent. The ids stay the same at every attempt: what was acknowledged before a break is not done twice."""

    said: Said
    request_id: str
    message_id: str
    opening: Opening
    """Makes the thread for it, where none is named."""


class Asking:
    """A question under way.

    Args:
        home: whose daemon is asked.
        thread_id: where; None for a new thread.
        said: the question.
        clock: for waiting.
        as_json: print each event as a line of JSON instead of the answer.
        by_hand: whether somebody is there who can be asked, too.
        display: where it is shown; None for plain text or JSON.
    """

    def __init__(
        self,
        home: Path,
        thread_id: str | None,
        said: Said,
        clock: Clock,
        *,
        as_json: bool,
        by_hand: bool = False,
        display: Display | None = None,
    ) -> None:
        self._home = home
        self.thread_id = thread_id
        self._message = _Message(said, random_id("req"), random_id("msg"), Opening())
        self.by_hand = by_hand and not as_json
        self.seen = 0
        """The last record that was shown; before it is asked, by an earlier question."""
        plain = JsonDisplay() if as_json else PlainDisplay(questions=not self.by_hand)
        self._display = display if display is not None else plain
        self._follow = Follow(home, clock, self._begin, lost=self._display.lost, back=self._display.back)
        self._sent: dict[str, Any] | None = None
        """What came of the message; None until it was taken."""
        self._may_be_kept = False
        self._clock = clock
        self.waits = Waits()
        self._notes: set[tuple[str, str]] = set()
        """What was told beside the answer: by which run, and in which words."""

    @property
    def as_json(self) -> bool:
        """Whether a program reads what is printed."""
        return isinstance(self._display, JsonDisplay)

    async def answer(self) -> Exit | None:
        """Ask, print the answer as it comes, and wait for its end. Called again, it goes on where it was.

        Returns:
            None if the thread waits to be told something first (`waits`).

        Raises:
            Unavailable: the daemon did not come back in time.
            Refused: it did.
        """
        async with self._display.at_work(), aclosing(self._follow.events()) as events:
            async for event in events:
                own = event["thread_id"] == self.thread_id
                if own:
                    self.seen = max(self.seen, event.get("seq") or 0)
                ended = self._show(event, own=own)
                if ended is not None or self._note_questions(event, own=own):
                    await self._mark_seen()
                    return ended
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
        """Answer something that the thread or a sub-agent of it waits for; the first answer counts, whoever gives it.

        Raises:
            Unavailable: the daemon did not come back in time.
        """

        async def give(client: Client) -> None:
            said = {"id": question.id, "verdict": given.verdict, "text": given.text}
            try:
                await client.call("approval.answer", thread_id=question.thread_id or self.thread_id, **said)
            except Refused as error:
                if error.retryable:
                    raise
                tell(harmless(f"[not taken: {error.message}]"))

        # Whoever asks is followed already: a daemon that is away is waited for.
        self._follow.begun = True
        await self._follow.once(give)
        self.waits.told.add(question.id)
        self.waits.asked.pop(question.id, None)

    async def answered_elsewhere(self, question: Question) -> str:
        """Wait until somebody else has answered a question that is asked here, or its turn has ended; that, in words.

        Raises:
            SullaError: its thread can be followed no longer.
        """
        asked = replace(question, thread_id=question.thread_id or str(self.thread_id))
        said = await self._follow.answered_elsewhere(asked)
        self.waits.told.add(question.id)
        self.waits.asked.pop(question.id, None)
        return said

    async def stop(self) -> bool:
        """End the turn, or the one that waits to be told something; whether there was any. Somebody else's turn in the
        same thread goes on.

        Raises:
            Unavailable: no daemon runs.
        """
        any_turn = self._may_be_kept or bool(self.waits.asked)
        if any_turn:
            async with open_client(door(self._home)) as client:
                await client.call("turn.stop", thread_id=self.thread_id, request_id=f"{self._message.request_id}-stop")
        elif self._message.opening.is_unused():
            async with open_client(door(self._home)) as client:
                await self._message.opening.take_back(client)
        self.waits.asked.clear()
        return any_turn

    async def _begin(self, client: Client) -> bool:
        """Ask on a connection, the same every time; whether there is anything to follow."""
        if self.thread_id is None:
            self.thread_id = await self._message.opening.make(client, self._message.said.agent)
        elif self._sent is None:
            if _BEGINNING.fullmatch(self.thread_id):
                self.thread_id = await whole_thread(client, self.thread_id)
            if await self._stands_in_the_way(client):
                return False
            await self._address(client)
        try:
            sent = await self._send(client)
        except SullaError as error:
            if self._message.opening.is_unused(error):
                self.thread_id = None
                await self._message.opening.take_back(client)
            raise
        if self._sent is None:
            self._message.opening.used()
            self._sent = sent
            self._display.begin(str(sent["run_id"]))
            self._follow.begun = True
            with suppress(OSError):  # then `--last` knows of an earlier one
                remember_thread(self._home, str(self.thread_id))
            since, self.seen = self.seen, sent["seq"]
            if self.by_hand and since:
                await tell_meanwhile(client, str(self.thread_id), self._display.aside, since, self.seen)
            if await self._is_stuck(client):
                return False
            await tell_of_pause(client, "the message")
        self._follow.add(str(self.thread_id), self.seen)
        return True

    async def _address(self, client: Client) -> None:
        """Say who answers where that is not the conversation's own agent, which gets it where it is asked by name."""
        row = await client.call("thread.get", thread_id=self.thread_id)
        own, active, said = str(row["agent"]), str(row["active_agent"]), self._message.said
        self.waits.several = active != own
        if active in ("", own) or said.text.lstrip().startswith("@"):
            return
        if said.agent == own:
            self._message = replace(self._message, said=replace(said, text=f"@{own} {said.text}"))
        elif not said.agent and not self.as_json:
            tell(f"[{active} has this conversation and answers; @{own} as a message begins gives it to {own}]")

    async def _stands_in_the_way(self, client: Client) -> bool:
        """Whether an earlier turn has to be told something by whoever is here, before anything is sent."""
        found = await questions.questions_of(client, str(self.thread_id))
        self.waits.earlier = {one.id: one for one in found if one.id not in self.waits.told}
        return self.by_hand and self._show_earlier()

    async def _is_stuck(self, client: Client) -> bool:
        """Whether the message, which was taken, waits behind a question that nobody here can answer. One that was
        answered just now is listed until its turn goes on.
        """
        if not self.waits.earlier:
            return False
        after = max(0, self.seen - LOOK_BACK)
        page = await client.call("thread.history", thread_id=self.thread_id, after=after, limit=LOOK_BACK)
        for event in page["events"]:
            if event["type"] == "ANSWER":
                self.waits.earlier.pop(event["data"]["wait_id"], None)
        deadline = self._clock.elapsed() + WITHDRAWN_S
        while self.waits.earlier and self._clock.elapsed() < deadline:
            await self._clock.sleep(_RETRY_S)
            open_ = {one.id for one in await questions.questions_of(client, str(self.thread_id))}
            self.waits.earlier = {id_: one for id_, one in self.waits.earlier.items() if id_ in open_}
        return self._show_earlier()

    def _show_earlier(self) -> bool:
        self.waits.asked = dict(self.waits.earlier)
        if self.waits.asked and not self.as_json:
            tell("[an earlier turn of this thread waits for an answer]")
            for one in () if self.by_hand else self.waits.asked.values():
                tell("\n".join(questions.framed(one, WHOLE_COLUMNS)))
        return bool(self.waits.asked)

    def _note_questions(self, event: dict[str, Any], *, own: bool) -> bool:
        """Learn from an event what people have to tell the thread, or a sub-agent of it; whether they have to now."""
        child = self.waits.take(event, own=own)
        if child and len(self._follow.seen) < MOST_CHILDREN:
            self._follow.add(child)
        elif child:
            self.waits.branches.at_work.discard(child)
        if self.waits.branches.at_work and not self.by_hand:
            return False  # nobody answers here: all that the branches ask is told together
        # What a sub-agent's history tells may be answered since.
        return bool(self.waits.asked) and self._follow.is_caught_up()

    async def _send(self, client: Client) -> dict[str, Any]:
        """Send the message; if messages come too fast, again when the daemon says so."""
        deadline = self._clock.elapsed() + PATIENCE_S
        while True:
            self._may_be_kept = True
            try:
                given = {
                    "message_id": self._message.message_id,
                    "text": self._message.said.text,
                    "quoted": self._message.said.quoted or None,
                    "agent": self._message.said.agent,
                    "flow": self._message.said.flow,
                }
                return await client.call("turn.send", thread_id=self.thread_id, **given)
            except RateLimited as error:
                self._may_be_kept = self._sent is not None
                wait_s = error.retry_after_s or _RETRY_S
                if self._clock.elapsed() + wait_s > deadline:
                    raise
                if wait_s > LONG_S:
                    note = f"[the daemon takes no more messages now; sent again in {wait_s:.0f} s]"
                    tell(note)
                await self._clock.sleep(wait_s)

    def _show(self, event: dict[str, Any], *, own: bool) -> Exit | None:
        if event["type"] == "NOTICE":
            self._notes.add((str(event["run_id"]), str(event["data"]["text"])))
        return self._display.show(event, own=own)
