"""What one channel's book holds: values alone. Pure."""

from __future__ import annotations

from typing import Final, Literal

from sulla.channels.base import Arrived, Button, Place
from sulla.core.dataclass import dataclass

Status = Literal["planned", "sending", "unknown"]
"""`sending`: an attempt was begun, so it may have arrived. `unknown`: it ended, and nobody knows how."""
Verdict = Literal["result", "run_again", "give_up", "approve", "reject", "always"]
"""See `threads.log.records.Answer`."""
ItemKind = Literal["text", "final", "edit", "delete", "file"]
"""`final`: an answer of which a preview may have arrived, or a question that is open no longer and may have been asked:
nobody knows under which number."""

MOST_PLACES: Final = 2_000
"""Places that are remembered; of more, those where nobody talked for longest are forgotten: the next word there begins
another conversation."""
MOST_ITEMS: Final = 512
"""Messages that wait to be sent; as long as so many do, no log is read on. What waits at one place counts for
`MOST_ITEMS_EACH` of them at the most, so that no place takes the others' room."""
MOST_ITEMS_EACH: Final = 32
"""Where so many wait at a place, words that wait there already are not planned once more."""
MOST_LEFT: Final = 3
"""Conversations before the present one that are still listened to at a place."""
MOST_PLAYS: Final = 20
"""Playbooks that a place listens to at once."""
MOST_ASKED: Final = 16
"""Messages of a place that can be answered by what is said of them; of more, the oldest are not."""
MOST_QUESTIONS: Final = 200
"""Questions with buttons; of more, the oldest one's are no longer good."""
MOST_CLOSED: Final = 200
"""Questions that are known to be open no longer; a reply to an older one is a message as any."""

MOST_BEHIND: Final = 400
"""Of what waits for files or for room in its conversation, or behind such, in all conversations of a channel; more is
not taken, and whoever said it is told so."""
MOST_BEHIND_EACH: Final = 40
"""The same in one conversation: a little more than a conversation takes in the half minute for which there is patience,
at the rate that limits have unless somebody sets another."""


@dataclass(frozen=True, slots=True)
class Untaken:
    """Messages of one place for which there was no room, since its people were told last."""

    count: int = 0
    mark: str = ""
    """By which the first of them is known."""
    ref: str = ""
    """The service's id of it."""
    begins: str = ""
    """Its beginning (`quoting.begins`)."""
    why: str = ""
    """Why there was none for it, and what to do; for people."""
    since_ms: int = 0
    """When that was, UTC milliseconds."""
    told_ms: int = 0
    """When its people were told last; 0 for never."""


@dataclass(frozen=True, slots=True)
class Talk:
    """A place, and the conversation that is held there."""

    place: Place
    begun: str = ""
    """The service's id of the message that began the conversation (`/new`); empty for the place's first one."""
    agent: str = ""
    """Who is talked to; empty for the home's own agent."""
    thread: str = ""
    """Ours; empty until somebody has said something."""
    told_seq: int = 0
    """Up to which record of its log all is planned that goes out."""
    used_ms: int = 0
    left: tuple[tuple[str, int], ...] = ()
    """Conversations that were held here before and are not done: what they still say is said here, too; and up to which
    record of their logs all is planned."""
    plays: tuple[str, ...] = ()
    """Playbooks that were begun from here and have not ended, by their threads: what they ask is asked here."""
    asked: tuple[tuple[str, str], ...] = ()
    """The newest messages here whose turns have not ended, as far as the log was read: our ids of them, and the
    service's. What is said of how such a turn ended answers its message."""
    untaken: Untaken | None = None
    """What was not taken here and is to be told, and when that was told last; None for never."""
    reader: str = ""
    """At a private place the service's id of who talks there; empty in groups, and where nobody has since it is kept.
    """


@dataclass(frozen=True, slots=True)
class Asks:
    """What a message has that asks people something."""

    question: str = ""
    """The question (`Question.id`); empty where it is open no longer, or only begins here."""
    buttons: tuple[Button, ...] = ()
    exact: tuple[str, ...] = ()
    """See `Said.exact`."""


@dataclass(frozen=True, slots=True)
class Item:
    """Something that waits to be sent, or is being sent."""

    id: str
    """The same however often it is planned; the service's idempotency key."""
    place: str
    """`Place.key`."""
    text: str = ""
    kind: ItemKind = "text"
    asks: Asks = Asks()
    ref: str = ""
    """What is edited or deleted; of a file, its path below the workspace."""
    reply_to: str = ""
    status: Status = "planned"
    tries: int = 0
    due_ms: int = 0
    doubtful: bool = False
    """Whether an attempt before may have arrived: the message says so."""


@dataclass(frozen=True, slots=True)
class Preview:
    """A message that shows an answer while it is written."""

    id: str
    """As of an item."""
    place: str
    message_id: str
    """Ours, of the reply."""
    ref: str = ""
    """The service's, once it is known."""
    status: Status | Literal["shown"] = "sending"
    text: str = ""
    """What it shows, or a little less: what was shown in its place meanwhile is kept with the next change."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a button says."""

    token: str
    label: str
    verdict: Verdict
    text: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What people are asked at a place, as long as it is open."""

    id: str
    place: str
    thread: str
    """Whose run asks: the conversation's, or that of one which works for it."""
    wait_id: str
    prompt: str
    choices: tuple[Choice, ...] = ()
    ref: str = ""
    """The service's id of the message that asks; empty until it is known."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """What came and was not taken in yet: it waits for its files, for room in its conversation, or behind what does."""

    line: str
    """In which it waits: its place's key; that of somebody whom nobody knows is his own, so that nobody else waits
    there."""
    arrived: Arrived


@dataclass(frozen=True, slots=True)
class Closed:
    """A question that is open no longer: whoever replies to it is told so."""

    place: str
    ref: str
    """See `Question`."""
    how: str
    """What became of it, for people."""


@dataclass(frozen=True, slots=True)
class GivenUp:
    """Messages that the service refused for good, or that came and cannot be read: how many, and the last of them."""

    count: int = 0
    at_ms: int = 0
    """When it was, UTC milliseconds; 0 where nobody knows."""
    place: str = ""
    """The service's id of where it was to go, or where it came."""
    called: str = ""
    """What that is called; words of the service."""
    why: str = ""
    """For people, without secrets."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a question says."""

    exact: tuple[str, ...]
    """All that is not the daemon's own words: see `Said.exact`."""
    text: str = ""
    """The daemon's own words below that, CommonMark."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose a book is."""

    account: str = ""
    """The service's id of the account: another one is another channel, and its cursor means nothing."""
    secret: str = ""
    """What tokens of buttons are made with; of this channel alone."""
