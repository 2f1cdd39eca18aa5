"""What was offered to a thread, as it waits to be dealt with. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar, Final

from sulla.core.dataclass import dataclass
from sulla.core.ids import MessageId, RunId
from sulla.core.jsontypes import FrozenJson
from sulla.core.message import Origin
from sulla.threads.log.forms import Fielded
from sulla.threads.log.kept import UNKEPT, rule
from sulla.threads.log.plays import Question
from sulla.threads.log.provenance import Provenance
from sulla.threads.log.records import Answer, ContinueAsked, Input, Mode, StopAsked
from sulla.threads.log.requests import RunRequest
from sulla.threads.log.spoken import BargedIn, Heard

OPENING_CHARS: Final = 160
"""What is kept of a thread's first message, so that a list of threads reads no logs: two lines of a terminal."""


@dataclass(frozen=True, slots=True)
class Opening(Fielded):
    """How a thread's first message begins."""

    words: str = ""
    """In one line; empty as long as nobody has said anything."""
    origin: Origin = "user"
    """Whose it is."""


@dataclass(frozen=True, slots=True)
class WaitingInput:
    """A message that has no run of its own yet."""

    provenance: ClassVar[Provenance] = "marked"
    seq: int
    run_id: RunId
    message_id: MessageId
    text: str
    mode: Mode
    origin: Origin = "user"
    agent: str = ""
    at_ms: int = 0
    """When it was offered, UTC milliseconds."""
    question: Question | None = None
    """What a playbook wants to know."""
    tainted: bool = False
    heard: Heard | None = None
    """How much of the agent's words the person had heard whom this interrupted."""
    quoted: str = ""
    """What is passed on with it."""
    said_chars: int = 0
    """See `Input.said_chars`."""
    flow: FrozenJson | None = None
    """By which flow its turn is to be walked."""

    @property
    def is_persons(self) -> bool:
        """Whether a person certainly says it. What is said over a reply that is played may be the loudspeaker's."""
        return self.origin == "user" and not self.tainted and self.heard is None

    @property
    def is_models(self) -> bool:
        """Whether a client's model says it (`from_model` of `turn.send`)."""
        return self.origin in ("user", "web") and self.tainted

    @property
    def is_own(self) -> bool:
        """Whether it may lead somewhere by its words: a person says it, and nothing is passed on with it. Where
        something is, nobody can tell for certain which words are whose.
        """
        return self.is_persons and not self.quoted

    @property
    def said(self) -> str:
        """What of the text the person said."""
        return said_of(self.text, self.said_chars)


def said_of(text: str, said_chars: int) -> str:
    """What of a message's text the person said.

    Args:
        text: the text.
        said_chars: see `Input.said_chars`.
    """
    return text[-said_chars:] if said_chars else text


def opening_of(message: Input | WaitingInput) -> Opening:
    """How a thread begins whose first message this is.

    Args:
        message: that; only its beginning is looked at, however long it is.
    """
    return Opening(" ".join(message.text[: 4 * OPENING_CHARS].split())[:OPENING_CHARS], message.origin)


def waiting_input(seq: int, fact: Input, run_id: RunId, at_ms: int) -> WaitingInput:
    """A message as it waits for its run.

    Args:
        seq: its number in the log.
        fact: the message.
        run_id: its run.
        at_ms: when it was offered, UTC milliseconds.
    """
    said = (fact.message_id, fact.text, fact.mode, fact.origin, fact.agent)
    heard = fact.spoken.heard if fact.spoken is not None else None
    about = (at_ms, fact.question, fact.tainted, heard)
    return WaitingInput(seq, run_id, *said, *about, fact.quoted, fact.said_chars, fact.flow)


def said_now(text: str) -> WaitingInput:
    """What a person might say, as if it waited: to see what would become of it.

    Args:
        text: the words.
    """
    return WaitingInput(0, RunId(""), MessageId(""), text, "queue")


@dataclass(frozen=True, slots=True)
class ControlInput:
    """An offered input that is not a message."""

    seq: int
    fact: StopAsked | ContinueAsked | Answer | RunRequest
    at_ms: int = 0
    """When it was offered, UTC milliseconds."""


Urgent = Callable[[Any, WaitingInput], bool]
"""Says of a thread (its state) and a message that waits there whether it must not wait. Pure."""


@dataclass(slots=True)
class Inbox:
    """What a thread has been offered and has not dealt with."""

    waiting: dict[int, WaitingInput] = field(default_factory=dict, metadata=rule(numbers=list))
    """Messages without a run, by sequence number."""
    controls: dict[int, ControlInput] = field(default_factory=dict, metadata=rule(numbers=list))
    barged: BargedIn | None = None
    """The last reply that somebody spoke over as it was made."""
    held_below: int = 0
    """Waiting messages with a lower number were held by a stop."""
    opening: Opening = Opening()
    """How the first message begins, for lists of threads."""
    consumed: int = field(default=0, metadata=UNKEPT)
    """Waking inputs dealt with so far."""
    urgent: Urgent | None = field(default=None, metadata=UNKEPT)
    """Given by whoever holds the thread; None where every message waits for its turn."""
    looked: dict[int, bool] = field(default_factory=dict, metadata=UNKEPT)
    """What it has said of messages that wait, by their numbers: each is looked at once."""

    def add(self, message: WaitingInput) -> None:
        """A message came, which waits for its run."""
        # A head that was written before openings were kept has none though there were messages.
        if not self.consumed and not self.waiting and not self.opening.words:
            self.opening = opening_of(message)
        self.waiting[message.seq] = message

    def take(self, seq: int) -> ControlInput | None:
        """A waking input is dealt with; what it was, unless it is a message."""
        self.consumed += 1
        return self.controls.pop(seq, None)
