"""The clients of a drill: people who talk, who have commands run, who begin playbooks and who speak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from sulla.core.errors import SullaError
from sulla.core.jsontypes import JsonObject
from sulla.terminal.client import Client
from tests.faults.backend import CLOCK
from tests.faults.drill.lines import Line, ask, next_event
from tests.faults.drill.script import TALK
from tests.faults.drill.served import Served
from tests.faults.speech.speaking import Person
from tests.simulation.history import Acknowledged, Seen

PAUSE_S = (1.0, 5.0)
"""How long somebody waits before they ask for the next thing."""
A_THREAD = 6
"""Messages of one conversation."""
_ENDS = ("RUN_FINISHED", "RUN_ERROR")
_LOOK_S = 0.5
_OVER = ("completed", "failed", "cancelled")


@dataclass(slots=True)
class Stay:
    """How long people stay."""

    over: bool = False


@dataclass(slots=True)
class About:
    """What each of them has."""

    name: str
    line: Line
    served: Served
    chance: Random
    stay: Stay


class Guest(Protocol):
    """One of them."""

    @property
    def name(self) -> str:
        """What they are called."""

    async def live(self) -> None:
        """Ask for one thing after the other, until they may go."""


@dataclass(slots=True)
class Talk:
    """One conversation."""

    name: str
    thread_id: str = ""
    told: list[Acknowledged] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    """The codes of turns that failed."""

    @property
    def seen(self) -> Seen:
        """For the judge."""
        return Seen(tuple((event["seq"], event["type"]) for event in self.events))


@dataclass(slots=True)
class Talker:
    """Somebody who talks; with commands, each turn runs one that a person allows."""

    about: About
    commands: bool = False
    talks: list[Talk] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.about.name

    async def live(self) -> None:
        while not self.about.stay.over:
            talk = Talk(f"{self.name}-{len(self.talks)}")
            self.talks.append(talk)
            await self.about.line.do(lambda client, talk=talk: self._go_on(client, talk))  # type: ignore[misc]  # a lambda in a loop, used at once

    async def _go_on(self, client: Client, talk: Talk) -> None:
        """From the message that is not answered yet to the last one."""
        if not talk.thread_id:
            made = await ask(client, "thread.create", request_id=talk.name)
            talk.thread_id = made["thread_id"]
        await ask(client, "events.subscribe", thread_id=talk.thread_id, after=self._newest(talk))
        while len(talk.told) < A_THREAD and (not self.about.stay.over or self.name in self.about.served.waits()):
            await self._message(client, talk)
            await CLOCK.sleep(self.about.chance.uniform(*PAUSE_S))

    async def _message(self, client: Client, talk: Talk) -> None:
        name = f"{talk.name}-{len(talk.told)}"
        text = f"Run it, please (call {name})." if self.commands else f"{TALK} {name}, please."
        if self.name not in self.about.served.waits():
            self.about.served.asks(self.name)
        sent = await ask(client, "turn.send", thread_id=talk.thread_id, message_id=name, text=text)
        self.about.served.hears(self.name)
        while not any(one["type"] in _ENDS and one["run_id"] == sent["run_id"] for one in talk.events[-40:]):
            event = await next_event(client)
            self.about.served.hears(self.name)
            if event.get("seq") is not None:
                talk.events.append(event)
                if event["type"] == "RUN_ERROR":
                    talk.errors.append(f"{name}: {event['data'].get('code')}: {event['data'].get('message')}")
        talk.told.append(Acknowledged(name, sent["run_id"], sent["seq"]))
        self.about.served.has(self.name)

    def _newest(self, talk: Talk) -> int:
        return int(talk.events[-1]["seq"]) if talk.events else 0


@dataclass(slots=True)
class Player:
    """Somebody who begins playbooks, one after the other."""

    about: About
    playbook: str
    runs: dict[str, str] = field(default_factory=dict)
    """Each with what it came to."""

    @property
    def name(self) -> str:
        return self.about.name

    async def live(self) -> None:
        while not self.about.stay.over:
            self.about.served.asks(self.name)
            run, status = await self.about.line.do(self._play)
            self.runs[run] = status
            self.about.served.has(self.name)
            await CLOCK.sleep(self.about.chance.uniform(*PAUSE_S))

    async def _play(self, client: Client) -> tuple[str, str]:
        name = f"{self.name}-{len(self.runs)}"
        talk = (await ask(client, "thread.create", request_id=f"{name}-talk"))["thread_id"]
        inputs = {"what": name}
        begun = await ask(
            client, "workflow.start", playbook=self.playbook, thread_id=talk, request_id=name, inputs=inputs
        )
        before = ""
        while True:
            found = await ask(client, "workflow.status", run=begun["run"], limit=50)
            now = str([(step["at"], step["status"]) for step in found["steps"]])
            if now != before:  # what shows that it goes on
                self.about.served.hears(self.name)
                before = now
            if found["about"]["status"] in _OVER:
                return str(begun["run"]), str(found["about"]["status"])
            await CLOCK.sleep(_LOOK_S)


@dataclass(slots=True)
class Speaker:
    """Somebody who speaks, one utterance after the other."""

    about: About
    person: Person

    @property
    def name(self) -> str:
        return self.about.name

    async def live(self) -> None:
        chunks = self.person.chunks()
        while not self.about.stay.over:
            utterance = [next(chunks)]
            while utterance[-1]["kind"] != "final":
                utterance.append(next(chunks))
            self.about.served.asks(self.name)
            await self.about.line.do(lambda client, left=utterance: self._say(client, left))  # type: ignore[misc]  # as above
            self.about.served.has(self.name)
            await CLOCK.sleep(self.about.chance.uniform(*PAUSE_S))

    async def _say(self, client: Client, left: list[JsonObject]) -> None:
        """What is not acknowledged yet."""
        await self.person.enter(client)
        while left:
            await ask(client, "speech.chunk", thread_id=self.person.thread_id, **left[0])
            self.person.acknowledged(left.pop(0))
            self.about.served.hears(self.name)
            await CLOCK.sleep(0.05)


@dataclass(slots=True)
class Caretaker:
    """Somebody who answers whatever people are asked, of everybody; after a cut they look whether it was done."""

    line: Line
    done: Any
    """Says how often the command of a name has reached its goal."""
    names: Any
    """Finds that name in a question."""
    answered: int = 0
    reviews: int = 0
    _answered: set[str] = field(default_factory=set)

    async def live(self) -> None:
        """Answer, for ever."""
        await self.line.do(self._answer)

    async def _answer(self, client: Client) -> None:
        while True:
            found = await ask(client, "approval.list", limit=200)
            for question in found["questions"]:
                await self._one(client, question)
            await CLOCK.sleep(_LOOK_S)

    async def _one(self, client: Client, question: dict[str, Any]) -> None:
        review = question["id"].startswith("review:")
        verdict, text = "approve", None
        if review:
            verdict, text = ("result", "it did") if self.done(self.names(question)) else ("run_again", None)
        try:
            await ask(
                client,
                "approval.answer",
                thread_id=question["thread_id"],
                id=question["id"],
                verdict=verdict,
                text=text,
            )
        except SullaError as error:
            if error.code != "not_found":  # answered already, and it went on
                raise
        if question["id"] not in self._answered:
            self._answered.add(question["id"])
            self.answered, self.reviews = self.answered + 1, self.reviews + review


def all_of(guests: Sequence[Guest]) -> list[str]:
    """Their names."""
    return [guest.name for guest in guests]
