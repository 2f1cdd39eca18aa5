"""A run of a playbook, shown while it works, over reconnects and restarts of the daemon."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import aclosing
from typing import Any

from sulla.core.clock import Clock
from sulla.core.errors import InvalidInput, Refused
from sulla.host.system import SystemClock
from sulla.playbooks.cli.run_lines import RunLines, of_child
from sulla.terminal import questions
from sulla.terminal.attend import Presses, ask_here
from sulla.terminal.client import Client
from sulla.terminal.exits import Exit
from sulla.terminal.follow import Follow, tell_of_pause
from sulla.terminal.framed import WHOLE_COLUMNS
from sulla.terminal.output import tell
from sulla.terminal.place import home_of
from sulla.terminal.program import hint, program
from sulla.terminal.questions import Question, somebody_is_there
from sulla.terminal.table import harmless, one_line
from sulla.terminal.times import second

Row = dict[str, Any]
Begin = Callable[[Client], Awaitable[Row]]
"""Asks for a run; the same one however often it is called."""

_CHILDREN = 48
"""Threads of agents that are looked at beside the run: a connection may follow 64."""
_LINE = 400
_WELL = ("STEP_STARTED", "STEP_COMPLETED", "STEP_SKIPPED", "STEP_CANCELLED", "PASS_STARTED")
_EXITS = {"failed": Exit.FAILED, "cancelled": Exit.CANCELLED}
"""How a run ended, as an exit code; the other ends are as they should be."""


def follow(given: argparse.Namespace, run: str, begin: Begin | None = None, *, outputs: bool = True) -> Exit:
    """Begin a run if that is wanted, and show it to its end. Ctrl-C leaves it at work.

    Args:
        given: the command's arguments.
        run: its id; empty if `begin` says it.
        begin: asks for it; None if it is there.
        outputs: whether they are printed at its end.
    """
    by_hand = somebody_is_there() and not given.json
    clock = SystemClock()
    watching = RunWatch(given, clock, run, begin, by_hand=by_hand, outputs=outputs)
    with asyncio.Runner() as runner, Presses(runner) as presses:
        try:
            while True:
                while (ended := presses.run(watching.follow())) is None:
                    asked = watching.asked
                    for place, question in enumerate(asked, 1):
                        if not by_hand:
                            return _left_open(watching)
                        shown = ask_here(question, clock, watching.answered_elsewhere, place=place, of=len(asked))
                        answer = presses.run(shown)
                        if answer is None:
                            return _left_open(watching)
                        if isinstance(answer, str):
                            tell(f"\n{answer}")
                            break  # whoever was quicker may have answered the others too, or ended the run
                        presses.run(watching.tell(question, answer))
                if not watching.handed_over:
                    return ended
                run = presses.run(watching.successor())
                tell(f"[goes on as the run {one_line(run)}]")
                watching = RunWatch(given, clock, run, None, by_hand=by_hand, outputs=outputs)
        except KeyboardInterrupt:
            if watching.run:
                tell(f"\n[the run goes on; {how_to_come_back(watching.run)}]")
            return Exit.INTERRUPTED


def how_to_come_back(run: str) -> str:
    """What to type to see a run again, or to end it."""
    name = one_line(run)
    return f"`{program()} flow show {name} --watch` comes back to it, `{program()} flow cancel {name}` ends it"


class RunWatch:
    """A run that somebody looks at.

    Args:
        given: the command's arguments.
        clock: for waiting.
        run: its id; empty until `begin` says it.
        begin: asks for it.
        by_hand: whether somebody is there who can be asked.
        outputs: whether they are printed at its end.
    """

    def __init__(
        self,
        given: argparse.Namespace,
        clock: Clock,
        run: str,
        begin: Begin | None,
        *,
        by_hand: bool,
        outputs: bool = True,
    ) -> None:
        self._given = given
        self._follow = Follow(home_of(given), clock, self._start, begun=bool(run))
        self._begin = begin
        self._by_hand = by_hand
        self._outputs = outputs
        self.run = run
        self._sheet = RunLines()
        self._open: dict[str, dict[str, Question]] = {}
        """What each thread waits to be told by people, by id."""
        self._resting: dict[str, list[Question]] = {}
        """All that each thread waits for that does nothing else."""
        self._children: dict[str, str] = {}
        """The threads of agents and of playbooks within, by what is waited for them with."""
        self._told: set[tuple[str, str]] = set()
        self._refused = False
        """Whether an answer was not taken: its question is asked once more, whatever else happens."""

    @property
    def asked(self) -> list[Question]:
        """What somebody has to be asked."""
        return [
            one for found in self._open.values() for one in found.values() if (one.thread_id, one.id) not in self._told
        ]

    async def follow(self) -> Exit | None:
        """Begin it, and show it to its end; called again, it goes on where it was.

        Returns:
            None if somebody has to be asked something first.

        Raises:
            Unavailable: the daemon did not come back in time.
            Refused: it did.
        """
        if self._refused:
            self._refused = False
            return None
        async with aclosing(self._follow.events()) as events:
            async for event in events:
                if event.get("seq") is None:
                    continue
                self._print(event)
                self._note_questions(event)
                self._note_children(event)
                if self._has_ended(event):
                    return self._end()
                if self._has_to_ask():
                    return None
        raise AssertionError("unreachable: there is always a run to follow")

    @property
    def handed_over(self) -> bool:
        """Whether another playbook has taken over."""
        return self._sheet.ended == "transferred"

    async def successor(self) -> str:
        """The run that has taken over.

        Raises:
            Unavailable: the daemon did not come back in time.
            Refused: it did.
        """
        found = ""

        async def look(client: Client) -> None:
            nonlocal found
            found = str((await client.call("workflow.status", run=self.run, limit=1))["successor"])

        await self._follow.once(look)
        return found

    async def answered_elsewhere(self, question: Question) -> str:
        """Wait until somebody else has answered a question that is asked here, or it is over; that, in words.

        Raises:
            SullaError: its thread can be followed no longer.
        """
        said = await self._follow.answered_elsewhere(question)
        self._told.add((question.thread_id, question.id))
        return said

    async def tell(self, question: Question, answer: questions.Given) -> None:
        """Answer a question; the first answer counts, whoever gives it.

        Raises:
            Unavailable: the daemon did not come back in time.
        """
        self._told.add((question.thread_id, question.id))

        async def give(client: Client) -> None:
            said = {"id": question.id, "verdict": answer.verdict, "text": answer.text}
            try:
                await client.call("approval.answer", thread_id=question.thread_id, **said)
            except Refused as error:
                if error.retryable:
                    raise
                tell(f"[not taken: {one_line(error.message, _LINE)}]")
                if isinstance(error, InvalidInput):
                    self._told.discard((question.thread_id, question.id))  # it is still asked
                    self._refused = True

        await self._follow.once(give)

    async def _start(self, client: Client) -> bool:
        if self._begin is not None and not self.run:
            begun = await self._begin(client)
            self.run, self._follow.begun = str(begun["run"]), True
            if not self._given.json:
                tell(f"[the run {one_line(self.run)}]")
            await tell_of_pause(client, "the run")
        self._follow.add(self.run)
        return True

    def _has_ended(self, event: Row) -> bool:
        """Whether the run is over: an end in its history may have been followed by a new beginning."""
        own = event["thread_id"] == self.run
        # Whoever takes over has begun by the time at which the turn is over.
        begun = not self.handed_over or event["type"] == "RUN_FINISHED"
        return own and self._sheet.ended is not None and begun and self._follow.is_caught_up(self.run)

    def _has_to_ask(self) -> bool:
        """Whether somebody is to be asked now: at a terminal at once, else when the run, with all that works for it,
        waits for nothing but people and time.
        """
        if not self._follow.is_caught_up():
            return False
        if self._by_hand:
            return bool(self.asked)
        found = list(self._waits_of(self.run))
        return any(one.is_for_people for one in found) and all(one.is_for_people or one.is_time for one in found)

    def _waits_of(self, thread: str) -> Iterator[Question]:
        """What a thread waits for; in the place of what works for it, what that waits for, if it does nothing else."""
        for one in self._resting.get(thread, ()):
            child = self._children.get(one.id, "")
            if child in self._resting:
                yield from self._waits_of(child)
            else:
                yield one

    def _note_children(self, event: Row) -> None:
        if event["type"] == "CHILD_STARTED" and len(self._children) < _CHILDREN:
            child = self._children[f"child:{event['data']['id']}"] = str(event["data"]["thread_id"])
            self._follow.add(child)

    def _note_questions(self, event: Row) -> None:
        found = self._open.setdefault(event["thread_id"], {})
        if event["type"] in ("SUSPENDED", "RESUMED", "ANSWER", "RUN_FINISHED", "RUN_ERROR"):
            self._resting.pop(event["thread_id"], None)
        match event["type"]:
            case "SUSPENDED":
                if event["data"].get("resting", True):
                    self._resting[event["thread_id"]] = [questions.from_wait(wait) for wait in event["data"]["waits"]]
                known = found.copy()
                found.clear()
                waits = (questions.from_wait(wait, event["thread_id"]) for wait in event["data"]["waits"])
                found |= {one.id: one for one in waits if one.is_for_people}
                self._say_new(one for id_, one in found.items() if id_ not in known)
            case "RESUMED" | "ANSWER":
                found.pop(str(event["data"].get("wait_id", "")), None)
            case "RUN_FINISHED" | "RUN_ERROR":
                found.clear()
            case _:
                pass

    def _say_new(self, found: Iterable[Question]) -> None:
        for one in found:
            if not self._given.json and not self._by_hand and (one.thread_id, one.id) not in self._told:
                tell("\n".join(questions.framed(one, WHOLE_COLUMNS)))

    def _print(self, event: Row) -> None:
        own = event["thread_id"] == self.run
        lines = list(self._sheet.show(event) if own else of_child(event))
        if self._given.json:
            print(json.dumps(event), flush=True)
            return
        if getattr(self._given, "quiet", False) and _goes_well(event):
            return
        for line in lines:
            indent = "" if own else "  "
            tell(f"{second(event['at'])[11:]} {indent}{one_line(line, _LINE)}")

    def _end(self) -> Exit:
        if self._sheet.outputs and self._outputs and not self._given.json:
            print(harmless(json.dumps(self._sheet.outputs, indent=2, ensure_ascii=False)), flush=True)
        return _EXITS.get(self._sheet.ended or "", Exit.OK)


def _goes_well(event: Row) -> bool:
    """Whether an event is none that somebody has to be told who wants to know of failures alone."""
    if event["type"] == "PLAYBOOK":
        return event["data"]["what"] in _WELL
    return event["type"] in ("TOOL_CALL_START", "CHILD_STARTED")


def _left_open(watching: RunWatch) -> Exit:
    for question in watching.asked:
        tell(hint(questions.how_to_answer(question, watching.run, "flow show")), end="")
    tell(f"[{how_to_come_back(watching.run)}]")
    return Exit.BLOCKED
