"""What the parts that work on one channel share, for as long as this daemon holds it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from sulla.agent.door import DoorKeeper
from sulla.channels.base import Account, Channel, Place
from sulla.channels.machine import untaken
from sulla.channels.machine.admission import Rules
from sulla.channels.machine.book import Book
from sulla.channels.machine.legible import in_a_line
from sulla.channels.machine.outbox import Outbox
from sulla.channels.machine.pace import Pace
from sulla.channels.machine.seen import Seen
from sulla.channels.machine.values import MOST_ASKED, MOST_CLOSED, MOST_PLACES, Closed, Question, Talk
from sulla.channels.run.people_book import PeopleBook
from sulla.channels.run.shelf import Shelf
from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.ids import derived_id
from sulla.store.base import Store
from sulla.telemetry.tally import Tally
from sulla.threads.store import ThreadStore

MOST_WHY_CHARS: Final = 300
"""Of what a service says of a failure."""


@dataclass(frozen=True, slots=True)
class Around:
    """What channels work with. One value for all of a daemon."""

    store: Store
    threads: ThreadStore
    clock: Clock
    tally: Tally
    people: PeopleBook
    keeper: Callable[[], DoorKeeper]
    """Whoever lets words in."""
    agents: Callable[[], Awaitable[tuple[str, ...]]]
    """The ids of those who can be talked to now, the home's own first."""
    owner: str
    """As leases name this daemon."""
    fresh: Callable[[str], str]
    """`core.ids.MakeId`."""
    workspace: Path
    """Of the agents."""
    redact: Callable[[str], str]
    """Takes the daemon's secrets out of a text."""

    def now_ms(self) -> int:
        """UTC milliseconds."""
        return round(self.clock.now() * 1_000)

    def plain(self, why: str) -> str:
        """What a service said of a failure, such that it can be kept and shown."""
        return in_a_line(why, MOST_WHY_CHARS, self.redact)


@dataclass(frozen=True, slots=True)
class Held:
    """One channel that is open, and its book. From when it was taken up until it is given back."""

    name: str
    kind: str
    channel: Channel
    account: Account
    rules: Rules
    shelf: Shelf
    outbox: Outbox
    pace: Pace
    around: Around
    wake: Callable[[str], None]
    """Has a place looked at soon, by its key."""
    served: Callable[[], None]
    """The service has taken something: it is there."""

    @property
    def book(self) -> Book:
        """What is kept of it."""
        return self.shelf.book

    @property
    def seen(self) -> Seen:
        """What came already."""
        return self.book.seen

    def id_of(self, place: Place, message_id: str, *more: str) -> str:
        """Our id of a message of the service's: the same however often it comes.

        Args:
            place: where it stands.
            message_id: the service's.
            more: what else tells it apart.
        """
        return derived_id("msg", self.name, self.account.id, place.key, message_id, *more)

    def key_of(self, place: str) -> str:
        """The key of the place that is meant; empty for none where somebody has talked.

        Args:
            place: a key, or the service's id of a place: where only threads of it are known (of a mailbox's people all
                are threads), the one in which somebody talked last.
        """
        talks = self.book.talks  # where somebody talked last comes last
        return place if place in talks else next((key for key in reversed(talks) if talks[key].place.id == place), "")

    def note_asked(self, place: Place, ours: str, theirs: str) -> None:
        """A message is about to be handed on: what is said of how its turn ended answers it.

        Args:
            place: where somebody has just talked.
            ours, theirs: its ids.
        """
        talk = self.book.talks[place.key]
        others = (one for one in talk.asked if one[0] != ours)
        self.book.talks[place.key] = replace(talk, asked=(*others, (ours, theirs))[-MOST_ASKED:])

    def close(self, question: Question, how: str) -> None:
        """A question is no longer open.

        Args:
            question: it.
            how: what became of it, for people.
        """
        question = self.book.questions.pop(question.id, question)  # meanwhile it may be known where it stands
        if question.ref:
            self.book.closed[question.id] = Closed(question.place, question.ref, how)
        while len(self.book.closed) > MOST_CLOSED:
            self.book.closed.pop(next(iter(self.book.closed)))
        self.outbox.ask_no_more(question, how)

    def talk(self, place: Place, sender: str = "") -> Talk:
        """What is known of a place, from now on as one where somebody talked last.

        Args:
            place: it.
            sender: the service's id of whoever did.
        """
        talks, now_ms = self.book.talks, self.around.now_ms()
        known = talks.pop(place.key, None) or Talk(place)
        reader = (sender or known.reader) if place.kind == "private" else ""
        talks[place.key] = replace(known, place=place, used_ms=now_ms, reader=reader)
        while len(talks) > MOST_PLACES:
            busy = {item.place for item in self.book.items.values()}
            busy |= {key for key, one in talks.items() if untaken.of(one).count}
            talks.pop(next((key for key in talks if key not in busy), next(iter(talks))))
        return talks[place.key]
