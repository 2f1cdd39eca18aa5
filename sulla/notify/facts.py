"""What the outbox writes down, one line of JSON each. Pure."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any, Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.notify.values import ChannelState, Message


@dataclass(frozen=True, slots=True)
class ChannelBegan:
    """A channel is new: it is told what happens from now on."""

    channel: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class ChannelGone:
    """The settings have it no more."""

    channel: str


@dataclass(frozen=True, slots=True)
class Known:
    """A channel was given some news before."""

    channel: str
    news: str
    at_ms: int
    left_out: bool = False
    """Whether there was no room for it."""


@dataclass(frozen=True, slots=True)
class ChannelKept:
    """All that is known of a channel, in a file that was written anew."""

    channel: str
    state: ChannelState


@dataclass(frozen=True, slots=True)
class Queued:
    """A message waits."""

    message: Message


@dataclass(frozen=True, slots=True)
class Joined:
    """Further news of its matter became part of a message that waits."""

    id: str
    news: str
    text: str
    urgent: bool
    outside: bool
    due_ms: int
    at_ms: int
    happened_ms: int = 0


@dataclass(frozen=True, slots=True)
class Overtaken:
    """What a message asks is answered: it is not sent."""

    id: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """A message was given up for another one: there was no room."""

    id: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Sending:
    """An attempt begins: from here on the message may arrive."""

    id: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Doubted:
    """The daemon ended within an attempt: nobody knows whether it arrived."""

    id: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Failed:
    """An attempt failed, and there will be another one."""

    id: str
    why: str
    at_ms: int
    again_ms: int
    unknown: bool = False
    """Whether it may have arrived all the same."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The channel took it."""

    id: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class GivenUp:
    """The last attempt failed."""

    id: str
    why: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Disproved:
    """A test did not arrive. No news was lost by it, so it counts as no failure."""

    channel: str
    why: str


@dataclass(frozen=True, slots=True)
class Proved:
    """A test arrived: the channel is well."""

    channel: str
    at_ms: int


Fact = (
    ChannelBegan
    | ChannelGone
    | ChannelKept
    | Known
    | Queued
    | Joined
    | Dropped
    | Sending
    | Doubted
    | Failed
    | Sent
    | GivenUp
    | Proved
    | Disproved
    | Overtaken
)
_KINDS: Final[dict[str, type[Any]]] = {
    cls.__name__: cls
    for cls in (
        ChannelBegan,
        ChannelGone,
        ChannelKept,
        Known,
        Queued,
        Joined,
        Dropped,
        Sending,
        Doubted,
        Failed,
        Sent,
        GivenUp,
        Proved,
        Disproved,
        Overtaken,
    )
}


def encode(fact: Fact) -> bytes:
    """A fact as a line."""
    return json.dumps({"kind": type(fact).__name__, **asdict(fact)}, separators=(",", ":")).encode() + b"\n"


def _line(kept: list[Any]) -> tuple[str, str, int]:
    id_, text, *happened = kept  # files of before do not say when
    return str(id_), str(text), int(happened[0]) if happened else 0


def decode(line: bytes) -> Fact:
    """The fact of a line.

    Raises:
        CorruptRecord: it is none.
    """
    try:
        value = json.loads(line)
        cls = _KINDS[value.pop("kind")]
        if cls is Queued:
            message = value["message"]
            message["news"] = tuple(map(_line, message["news"]))
            return Queued(Message(**message))
        if cls is ChannelKept:
            state = value["state"]
            state["sent_ms"] = tuple(state["sent_ms"])
            return ChannelKept(value["channel"], ChannelState(**state))
        fact: Fact = cls(**value)
        return fact
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorruptRecord(f"a line of the outbox cannot be read: {error}") from None
