"""One channel's book, and its form on the disk. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

import orjson

from sulla.channels.base import Button, Place
from sulla.channels.machine.talks import Talks
from sulla.channels.machine.values import Choice, Item, Owner, Preview, Question, Talk
from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord


@dataclass(slots=True)
class Book:
    """All that is kept of one channel."""

    owner: Owner = Owner()
    cursor: str = ""
    seen: list[str] = field(default_factory=list)
    """Digests of the newest messages."""
    talks: Talks = field(default_factory=Talks)
    """By place."""
    items: dict[str, Item] = field(default_factory=dict)
    """In the order in which they go out at each place."""
    previews: dict[str, Preview] = field(default_factory=dict)
    """By place."""
    questions: dict[str, Question] = field(default_factory=dict)
    given_up: int = 0
    """Messages that were not sent in the end."""


def encode(book: Book) -> bytes:
    """A book as bytes."""
    return orjson.dumps(book, default=_plain)


def decode(body: bytes) -> Book:
    """The book of some bytes; a new one for none.

    Raises:
        CorruptRecord: they are none.
    """
    if not body:
        return Book()
    try:
        raw: Mapping[str, Any] = orjson.loads(body)
        return Book(
            Owner(**raw["owner"]),
            raw["cursor"],
            list(raw["seen"]),
            Talks({key: _talk(one) for key, one in raw["talks"].items()}),
            {
                key: Item(**one | {"buttons": tuple(Button(**b) for b in one["buttons"])})
                for key, one in raw["items"].items()
            },
            {key: Preview(**one) for key, one in raw["previews"].items()},
            {
                key: Question(**one | {"choices": tuple(Choice(**c) for c in one["choices"])})
                for key, one in raw["questions"].items()
            },
            raw["given_up"],
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorruptRecord(f"the book of a channel cannot be read: {error}") from None


def _talk(one: Mapping[str, Any]) -> Talk:
    left = tuple((str(thread), int(seq)) for thread, seq in one["left"])
    return Talk(**{**one, "place": Place(**one["place"]), "left": left, "plays": tuple(one["plays"])})


def _plain(value: object) -> object:
    """What the library takes for no mapping."""
    if isinstance(value, Talks):
        return dict(value)
    raise TypeError(f"a book holds no {type(value).__name__}")
