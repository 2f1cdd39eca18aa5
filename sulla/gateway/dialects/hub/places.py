"""Where a client of ``/hub`` was, so that it is told the rest when it comes back: a note, and never the truth. Pure.

The client names no place when it comes: it names its channel. So it is noted for each token and channel which threads
were talked in there, and up to where the client has acknowledged what it was told.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import asdict, replace
from typing import Final

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.ids import derived_id
from sulla.gateway.bookmarks import BOOKMARK_BYTES

MOST_PLACES: Final = 12
"""Threads of a channel that are remembered; of more the one that was talked in longest ago is forgotten."""
_MOST_GIVEN: Final = 16
_CHOICES_CHARS: Final = 300


@dataclass(frozen=True, slots=True)
class HubPlace:
    """A thread, and how much of it the client has."""

    thread_id: str
    name: str
    """What the client calls the conversation."""
    seq: int
    """The number of the log up to which it was told all."""
    of: str = ""
    """The conversation that a playbook's run was begun from; empty for a conversation."""
    asked: str = ""
    """The question that the client is known to have been shown last."""
    limited: bool = False
    """Whether the last turn that the client was told of came to a limit."""


@dataclass(frozen=True, slots=True)
class MessageMeaning:
    """What a message was taken for: when it comes again, it is that and nothing else."""

    thread_id: str
    question: str
    """The question that it was the answer to; empty if it was said to the agent."""
    choices: tuple[str, ...] = ()


class HubPlaces:
    """Those of one channel."""

    def __init__(self) -> None:
        self.all: OrderedDict[str, HubPlace] = OrderedDict()
        """By thread, the one talked in last at the end."""
        self.given: OrderedDict[str, MessageMeaning] = OrderedDict()
        """By the name of the message."""
        self._left: set[str] = set()

    @property
    def current(self) -> str:
        """The thread of the conversation that was talked in last; empty for none."""
        return next((place.thread_id for place in reversed(self.all.values()) if not place.of), "")

    def learn(self, noted: str | None) -> None:
        """What was noted before this connection."""
        places, given = _read(noted)
        for place in places:
            self.all.setdefault(place.thread_id, place)
        for name, one in given.items():
            self.given.setdefault(name, one)

    def enter(self, place: HubPlace) -> list[HubPlace]:
        """It is talked in there now.

        Returns:
            Those that are too many now.
        """
        self._left.discard(place.thread_id)
        self.all[place.thread_id] = place
        self.all.move_to_end(place.thread_id)
        return [self.leave(next(iter(self.all))) for _ in range(len(self.all) - MOST_PLACES)]

    def leave(self, thread_id: str) -> HubPlace:
        """The client wants to hear no more of it.

        Raises:
            KeyError: it is not there.
        """
        self._left.add(thread_id)
        return self.all.pop(thread_id)

    def move(self, thread_id: str, seq: int) -> bool:
        """The client has all up to there; whether that is news."""
        place = self.all.get(thread_id)
        if place is None or seq <= place.seq:
            return False
        self.all[thread_id] = replace(place, seq=seq)
        return True

    def show(self, thread_id: str, question: str) -> bool:
        """The client has been shown a question; whether that is news."""
        place = self.all.get(thread_id)
        if place is None or question == place.asked:
            return False
        self.all[thread_id] = replace(place, asked=question)
        return True

    def limit(self, thread_id: str, limited: bool) -> None:
        """The last turn came to a limit, or did not."""
        if (place := self.all.get(thread_id)) is not None and place.limited != limited:
            self.all[thread_id] = replace(place, limited=limited)

    def give(self, name: str, given: MessageMeaning) -> None:
        """A message is taken for that."""
        if sum(len(choice) for choice in given.choices) > _CHOICES_CHARS:
            given = replace(given, choices=())  # the daemon refuses what is none of them
        self.given[name] = given
        while len(self.given) > _MOST_GIVEN:
            self.given.popitem(last=False)

    def noted(self, before: str | None) -> str:
        """What is to be noted.

        Args:
            before: what is noted now, perhaps by another connection of the same client.
        """
        places, given = _read(before)
        whole = {place.thread_id: place for place in places if place.thread_id not in self._left}
        for thread_id, place in self.all.items():
            other = whole.pop(thread_id, place)
            whole[thread_id] = replace(place, seq=max(place.seq, other.seq))
        kept, answers = [*whole.values()][-MOST_PLACES:], {**given, **self.given}
        while len(text := _write(kept, answers).encode()) > BOOKMARK_BYTES:
            kept, answers = kept[1:], dict([*answers.items()][1:])
        return text.decode()


def places_key(token: str, channel: str) -> str:
    """Under what it is noted.

    Args:
        token: the name of the client's.
        channel: the client's.
    """
    return derived_id("hub", token, channel)


def _read(noted: str | None) -> tuple[list[HubPlace], dict[str, MessageMeaning]]:
    """What was noted; nothing if that was done by a version that noted something else."""
    if noted is None:
        return [], {}
    try:
        value = orjson.loads(noted)
        given = {
            name: MessageMeaning(**{**one, "choices": tuple(one["choices"])}) for name, one in value["given"].items()
        }
        return [HubPlace(**one) for one in value["places"]], given
    except (AttributeError, KeyError, TypeError, ValueError):
        return [], {}


def _write(places: list[HubPlace], given: dict[str, MessageMeaning]) -> str:
    recent = [*given.items()][-_MOST_GIVEN:]
    value = {"places": [asdict(one) for one in places], "given": {name: asdict(one) for name, one in recent}}
    return orjson.dumps(value).decode()
