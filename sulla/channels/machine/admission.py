"""Decides what becomes of what arrives: whose words are taken up, as whose, and what asks for something else. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import field
from typing import Final, Literal, get_args

from sulla.channels.base import Arrived, Press
from sulla.channels.machine.people import Identity, People, Person
from sulla.channels.machine.values import Talk
from sulla.core.dataclass import dataclass

CommandName = Literal["new", "stop", "status", "agent", "help", "pick", "start"]
COMMANDS: Final[tuple[CommandName, ...]] = get_args(CommandName)
LOOKS: Final = frozenset({"help", "start", "status"})
"""Commands that change nothing."""
OTHER: Final = "This was not taken: words and files are, and nothing else."
READ_ONLY: Final = "You may read here, and not write."
_MOST_PICKED: Final = 500
"""Characters behind `/pick`; a choice of more is chosen otherwise."""
_COMMAND: Final = re.compile(r"/([a-z]{2,12})(?:@\S+)?(?:\s+(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Ignored:
    """Nothing becomes of it, and nobody is told."""

    why: str


@dataclass(frozen=True, slots=True)
class Stranger:
    """Somebody who is not known writes where only he and the daemon read: he may get a code."""

    identity: Identity


@dataclass(frozen=True, slots=True)
class Told:
    """He is told something, and nothing else becomes of it."""

    text: str


@dataclass(frozen=True, slots=True)
class Saying:
    """It becomes a message to an agent."""

    person: Person | None
    """Who says it; None for somebody in a group who is not known: his words are from outside."""


@dataclass(frozen=True, slots=True)
class Commanded:
    """It is a command of the channel's."""

    person: Person
    name: CommandName
    rest: str


@dataclass(frozen=True, slots=True)
class Pressed:
    """A known person chose something."""

    person: Person
    press: Press


@dataclass(frozen=True, slots=True)
class Answering:
    """Somebody who may answer and not write replies to something: it may be a question."""

    person: Person


@dataclass(frozen=True, slots=True)
class Changed:
    """A message was edited or deleted by whoever wrote it."""

    person: Person | None


Verdict = Ignored | Stranger | Told | Saying | Commanded | Pressed | Answering | Changed


@dataclass(frozen=True, slots=True)
class Rules:
    """Whom the settings of one channel let in."""

    channel: str
    places: frozenset[str] = frozenset()
    """Groups in which it talks, by `Place.id`."""
    people: Mapping[str, str] = field(default_factory=dict)
    """Who a sender is, by the service's id: named in the settings instead of by a code."""
    strangers: bool = False
    """Whether words of group members who are not known are taken up at all, as from outside. Each begins a turn, and
    what the agent answers is read by whoever wrote them."""


def judge(arrived: Arrived, people: People, rules: Rules, own: Collection[str] = ()) -> Verdict:
    """What becomes of something that arrived.

    Args:
        arrived: it.
        people: who is known.
        rules: the channel's.
        own: ids under which the daemon itself is there.
    """
    sender, place = arrived.sender.id, arrived.place
    if not sender or sender in own:
        return Ignored("it is the daemon's own, or nobody's")
    person = known(people, rules, sender)
    if place.kind == "group" and place.id not in rules.places:
        return Ignored("the group is not among `places`")
    if arrived.kind == "press":
        return _pressed(arrived, person)
    if person is None:
        return _unknown(arrived, rules)
    if not arrived.addressed and arrived.kind in ("message", "other"):
        return Ignored("the daemon is not meant")
    if "write" not in person.scopes:
        return _read_only(arrived, person)
    if arrived.kind == "other":
        return Told(OTHER)
    if arrived.kind != "message":
        return Changed(person)
    return _said(arrived, person)


def _unknown(arrived: Arrived, rules: Rules) -> Verdict:
    """What becomes of what somebody does who is not known."""
    if arrived.place.kind == "private":
        # An edit by a stranger asks for nothing, and gets nothing.
        stranger = Stranger(Identity(rules.channel, arrived.sender.id))
        return stranger if arrived.kind == "message" else Ignored("a stranger's")
    if not rules.strangers or not arrived.addressed:
        return Ignored("somebody who is not known, or means somebody else")
    if arrived.kind == "other":
        return Ignored("neither words nor a file")
    return Saying(None) if arrived.kind == "message" else Changed(None)


def known(people: People, rules: Rules, sender: str) -> Person | None:
    """Who a sender is; None for nobody who is known.

    Args:
        people: who was let in.
        rules: whom the settings name.
        sender: the service's id.
    """
    if (person := people.of(Identity(rules.channel, sender))) is not None:
        return person
    name = rules.people.get(sender)
    if name is None:
        return None
    return people.named(name) or Person(name, identities=(Identity(rules.channel, sender),))


def may_answer(people: People, rules: Rules, talk: Talk) -> bool:
    """Whether somebody who reads at a place may answer questions, as far as is known.

    Args:
        people: who was let in.
        rules: whom the settings name.
        talk: the place's.
    """
    if not talk.reader:
        return True
    person = known(people, rules, talk.reader)
    return person is not None and "approve" in person.scopes


def who_may_answer(people: People, rules: Rules) -> tuple[str, ...]:
    """The names of those who may answer questions by channels.

    Args:
        people: who was let in.
        rules: whom the settings of one channel name.
    """
    named = (people.named(name) or Person(name) for name in rules.people.values())
    return tuple(sorted({one.name for one in (*people.persons, *named) if "approve" in one.scopes}))


def _pressed(arrived: Arrived, person: Person | None) -> Verdict:
    if arrived.press is None or person is None:
        return Told("This is for others to answer.") if arrived.press is not None else Ignored("no press")
    return Pressed(person, arrived.press)


def _read_only(arrived: Arrived, person: Person) -> Verdict:
    """What becomes of what somebody does who may not write: he may look, and answer if he may approve."""
    if arrived.kind not in ("message", "other"):
        return Ignored("he may not write")
    said = _said(arrived, person)
    looks = isinstance(said, Pressed) or (isinstance(said, Commanded) and said.name in LOOKS)
    if isinstance(said, Saying) and arrived.reply_to and "approve" in person.scopes:
        return Answering(person)
    return said if looks else Told(READ_ONLY)


def command_of(text: str) -> tuple[CommandName, str] | None:
    """The command that a text is, and what stands behind its name; None for none."""
    match = _COMMAND.fullmatch(text.strip())
    name = next((one for one in COMMANDS if match is not None and match.group(1) == one), None)
    return (name, (match.group(2) or "").strip()) if match is not None and name is not None else None


def _said(arrived: Arrived, person: Person) -> Verdict:
    if (command := command_of(arrived.text)) is None:
        if not arrived.text.strip() and not arrived.attachments and not arrived.quoted:
            return Ignored("it says nothing")
        return Saying(person)
    name, rest = command
    if name == "pick":
        return Pressed(person, Press(rest[:_MOST_PICKED]))
    return Commanded(person, name, rest)
