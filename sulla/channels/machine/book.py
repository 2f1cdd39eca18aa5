"""One channel's book, and its form on the disk. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Final

import orjson

from sulla.channels.base import Arrived, Attachment, Button, Place, Press, Sender
from sulla.channels.machine.parts import Parts
from sulla.channels.machine.seen import Seen
from sulla.channels.machine.talks import Talks
from sulla.channels.machine.values import (
    Asks,
    Choice,
    Closed,
    GivenUp,
    Item,
    Owner,
    Preview,
    Question,
    Talk,
    Untaken,
    Waiting,
)
from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord


@dataclass(slots=True, eq=False)
class Book:
    """All that is kept of one channel."""

    owner: Owner = Owner()
    cursor: str = ""
    seen: Seen = field(default_factory=Seen)
    talks: Talks = field(default_factory=Talks)
    """By place."""
    items: Parts[Item] = field(default_factory=Parts)
    """In the order in which they go out at each place."""
    previews: Parts[Preview] = field(default_factory=Parts)
    """By place."""
    questions: Parts[Question] = field(default_factory=Parts)
    given_up: GivenUp = GivenUp()
    waiting: Parts[Waiting] = field(default_factory=Parts, init=False)
    """What came and was not taken in yet, in its order, by what it is known by in `seen`."""
    closed: Parts[Closed] = field(default_factory=Parts, init=False)
    """Questions that are open no longer, the oldest first."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written last of what is no part: it is written again when it is another."""

    owner: Owner
    cursor: str
    given_up: GivenUp


def written(book: Book) -> Written:
    """What of a book is no part."""
    return Written(book.owner, book.cursor, book.given_up)


def encode(book: Book) -> bytes:
    """A whole book as bytes."""
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
        book = Book(Owner(**raw["owner"]), raw["cursor"], Seen(raw["seen"]), given_up=_given_up(raw["given_up"]))
        for name, read in _READ.items():
            kept = raw.get(name, {}) if name in _LATER else raw[name]
            parts = type(getattr(book, name))
            setattr(book, name, parts({key: read(one) for key, one in kept.items()}))
    except _UNREADABLE as error:
        raise CorruptRecord(f"the book of a channel cannot be read: {error}") from None
    return book


def encode_changes(book: Book, before: Written) -> bytes:
    """What was changed in a book since this was asked last, as bytes; none where nothing was.

    Another owner's is another book: it says so, and then all that is in it.

    Args:
        book: it.
        before: what was written last (`written`).
    """
    found: dict[str, object] = {}
    if book.owner != before.owner:
        found["owner"] = book.owner
    if book.cursor != before.cursor or "owner" in found:
        found["cursor"] = book.cursor
    if book.given_up != before.given_up or "owner" in found:
        found["given_up"] = book.given_up
    if seen := book.seen.changes():
        found["seen"] = seen
    for name in _READ:
        parts: Parts[Any] = getattr(book, name)
        gone, now_set = parts.changes()
        if gone or now_set:
            found[name] = [gone, now_set]
    return orjson.dumps(found) if found else b""


def with_changes(book: Book, body: bytes) -> Book:
    """A book with what was changed in it.

    Args:
        book: as it was written before; is changed.
        body: what `encode_changes` gave.

    Raises:
        CorruptRecord: they are no changes.
    """
    try:
        raw: Mapping[str, Any] = orjson.loads(body)
        book = Book(Owner(**raw["owner"])) if "owner" in raw else book
        book.cursor = raw.get("cursor", book.cursor)
        if "given_up" in raw:
            book.given_up = _given_up(raw["given_up"])
        for digest in raw.get("seen", ()):
            book.seen.remember(digest)
        for name, read in _READ.items():
            parts: Parts[Any] = getattr(book, name)
            gone, now_set = raw.get(name, ((), {}))
            for key in gone:
                parts.pop(key, None)
            for key, one in now_set.items():
                parts[key] = read(one)
    except _UNREADABLE as error:
        raise CorruptRecord(f"what was changed in the book of a channel cannot be read: {error}") from None
    return book


def _talk(one: Mapping[str, Any]) -> Talk:
    left = tuple((str(thread), int(seq)) for thread, seq in one["left"])
    asked = tuple((str(ours), str(theirs)) for ours, theirs in one.get("asked", ()))  # older books say nothing of them
    untaken = Untaken(**one["untaken"]) if one.get("untaken") else None
    of = {
        "place": Place(**one["place"]),
        "left": left,
        "plays": tuple(one["plays"]),
        "asked": asked,
        "untaken": untaken,
    }
    return Talk(**{**one, **of})


def _item(one: Mapping[str, Any]) -> Item:
    known = dict(one)
    # Versions before wrote these two beside the others.
    asks = known.pop("asks", None) or {"buttons": known.pop("buttons"), "question": known.pop("question")}
    buttons = tuple(Button(**each) for each in asks["buttons"])
    return Item(**known, asks=Asks(asks["question"], buttons, tuple(map(str, asks.get("exact", ())))))


def _question(one: Mapping[str, Any]) -> Question:
    return Question(**{**one, "choices": tuple(Choice(**each) for each in one["choices"])})


def _waiting(one: Mapping[str, Any]) -> Waiting:
    said = one["arrived"]
    attachments = tuple(Attachment(**each) for each in said["attachments"])
    press = Press(**said["press"]) if said["press"] is not None else None
    place, sender = Place(**said["place"]), Sender(**said["sender"])
    parts = {"place": place, "sender": sender, "attachments": attachments, "press": press}
    return Waiting(one["line"], Arrived(**{**said, **parts}))


def _given_up(one: int | Mapping[str, Any]) -> GivenUp:
    """Versions before kept their number alone."""
    return GivenUp(one) if isinstance(one, int) else GivenUp(**one)


_READ: Final[Mapping[str, Callable[[Mapping[str, Any]], object]]] = {
    "talks": _talk,
    "items": _item,
    "previews": lambda one: Preview(**one),
    "questions": _question,
    "waiting": _waiting,
    "closed": lambda one: Closed(**one),
}
"""The parts of a book by their fields, and what reads one of them: in a whole book, and in what was changed."""
_LATER: Final = frozenset(("waiting", "closed"))
"""Parts that a book of a version before may not have."""
_UNREADABLE: Final = (ValueError, KeyError, TypeError, AttributeError)


def _plain(value: object) -> object:
    """What the library cannot write by itself."""
    match value:
        case Parts():
            return dict(value)
        case Seen():
            return value.digests
        case _:
            raise TypeError(f"a book holds no {type(value).__name__}")
