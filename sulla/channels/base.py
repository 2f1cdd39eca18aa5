"""The promise that every channel keeps, and the values that go over it. Pure.

A channel speaks one service's wire and decides nothing: who may write, what becomes a message to an agent, what is
sent, when and how often is decided by `sulla.channels.machine` and done by `sulla.channels.run`. So a channel keeps
nothing on the disk, knows no thread of ours, and never tries a send again by itself.

`sulla.testing.channels.kit` says what the promise means; docs/channels.md how one is written.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final, Literal, Protocol

from sulla.core.dataclass import dataclass

ArrivedKind = Literal["message", "edit", "delete", "press", "other"]
"""`other`: somebody sent what is neither words nor a file, as a place on a map; he is told that it was not taken."""
PlaceKind = Literal["private", "group"]
AttachmentKind = Literal["file", "picture", "voice"]
Resting = Literal["account", "place", "unsaid"]
"""What a service wants to be left alone for a while: all that the account sends, what goes to the one place, or it does
not say which of both. Then the place rests alone, until another one is refused as well meanwhile."""

MOST_TEXT_CHARS: Final = 100_000
"""Of what one person says at once; a channel hands on no more, and what is longer is cut there."""
MOST_ATTACHMENTS: Final = 20
"""Of one message; a channel hands on no more."""
UNREADABLE: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What is raised of an event that is not what its service says it is. One such event is passed over: it must neither
stop its channel, nor stand in a log with what it says."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where people talk: a chat, a room, a conversation of mails; with `topic` a thread or a topic within it."""

    id: str
    """The service's own, which stays the same."""
    topic: str = ""
    """The service's id of the thread within the chat; empty for the chat itself."""
    kind: PlaceKind = "private"
    """`private` only where nobody but the sender and the daemon can read."""
    name: str = ""
    """For people; words of the service, so from outside."""

    @property
    def key(self) -> str:
        """Tells places of one channel apart."""
        return f"{self.id}\n{self.topic}" if self.topic else self.id


@dataclass(frozen=True, slots=True)
class Sender:
    """Who says something, as the service vouches for it."""

    id: str
    """The service's own, which nobody can choose or change. Whatever can be chosen is a `name`."""
    name: str = ""
    """What he calls himself; nothing is ever decided by it."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a message and was not fetched."""

    handle: str
    """By what the channel fetches it (`Channel.fetch`)."""
    kind: AttachmentKind = "file"
    name: str = ""
    """As the sender calls it: anything, also a path."""
    mime: str = ""
    size_bytes: int | None = None
    """As the service says; None where it does not. What comes may be more."""


@dataclass(frozen=True, slots=True)
class Press:
    """Somebody pressed a button."""

    token: str
    """What stood on the button, or whatever a forger sends."""
    id: str = ""
    """By which the service wants to be told that it was seen (`Channel.answer_press`); empty where it does not."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """One thing that happened at the service. What the daemon did itself is never handed on."""

    place: Place
    sender: Sender
    message_id: str
    """The service's, within the place: the same whenever this comes again. Of an edit and a deletion, that of the
    message which they change; of a press, one of its own."""
    kind: ArrivedKind = "message"
    text: str = ""
    """The sender's own words; of an edit, all of them as they are now. A mention of the daemon is taken out."""
    quoted: str = ""
    """What is passed on and is not his words: what he forwards, or cites, or a program has written in his name."""
    reply_to: str = ""
    """The service's id of the message that this answers; empty for none."""
    attachments: tuple[Attachment, ...] = ()
    addressed: bool = True
    """Whether the daemon is meant: always in a private place; in a group by a mention, a command or a reply to it."""
    version: str = ""
    """Of an edit: tells it from other edits of the same message, the same whenever it comes again."""
    press: Press | None = None
    at_ms: int = 0
    """When it was sent, as the service says, UTC milliseconds; 0 where it does not."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The service answers, and hands nothing on for now; what is sent it takes."""

    why: str
    """For people, without secrets."""
    own_s: float = 0.0
    """For how many seconds it may be because of a look of this daemon's own from before it was stopped; 0 where it
    cannot be that."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What arrived, in the service's order, and how far that is."""

    arrived: tuple[Arrived, ...]
    cursor: str
    """Where to go on behind it: kept with the input, and handed to `receive` after a restart. A service that keeps
    the place itself and knows it by the acknowledgement alone may leave it empty."""
    unread: int = 0
    """Events that came with it and could not be read, so that nothing becomes of them."""
    lost: str = ""
    """What of them was somebody's who may write here, and why it could not be read; for people."""
    refusal: Refusal | None = None
    """Why it is empty, where the service was asked and hands nothing on. It is asked again when the next batch is
    wanted, for which whoever reads waits a while; he sends meanwhile, and opens nothing anew."""


@dataclass(frozen=True, slots=True)
class Button:
    """Something to choose."""

    token: str
    """Comes back in a `Press`; 22 letters, digits, ``-`` and ``_`` at the most."""
    label: str


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the daemon's."""

    text: str
    """CommonMark as agents write it; the channel puts it into its service's form. Takes no more than
    `Manners.most_chars` as `Channel.measure` counts, with what stands above it. Empty where that says all."""
    buttons: tuple[Button, ...] = ()
    """No more than `Manners.most_buttons`."""
    reply_to: str = ""
    """The service's id of the message that this answers; empty for none."""
    key: str = ""
    """The same whenever this message is sent: for services that take an idempotency key, or can be asked for it."""
    quiet: bool = False
    """Whether nobody is to be rung up for it, where the service knows the difference."""
    exact: tuple[str, ...] = ()
    """What stands above the text to the letter, as `machine.exact.literal` makes it: by it people decide what is done.
    Each is a block of code of the service's own in which nothing is a mark, calls anybody or ends the block. Nothing
    stands before them, so that nothing is left open there which could reach into them."""


@dataclass(frozen=True, slots=True)
class SaidFile:
    """A file of the daemon's."""

    name: str
    content: bytes
    """Within `Manners.most_file_bytes`."""
    mime: str = ""
    caption: str = ""
    """CommonMark, as `Said.text`."""
    key: str = ""
    """See `Said.key`."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The service has it."""

    ref: str
    """The service's id of the message, within its place."""


@dataclass(frozen=True, slots=True)
class NotSent:
    """The service surely does not have it: it refused, or was never reached."""

    why: str
    """For people, without secrets."""
    retry_after_s: float | None = None
    """When it may be tried again, in seconds, where the service says so."""
    final: bool = False
    """Whether trying again is of no use: the message itself is refused, or the place is gone."""
    rests: Resting = "account"
    """What is sent nothing until `retry_after_s` have passed."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nobody can tell whether the service has it."""

    why: str
    """For people, without secrets."""


Outcome = Sent | NotSent | Unknown
"""What came of a send; and of a look for one."""


@dataclass(frozen=True, slots=True)
class Manners:
    """How one service wants to be spoken to. Constant for as long as the channel is open."""

    most_chars: int
    """Of one message, in the service's form, as `Channel.measure` counts them."""
    sends_per_s: float
    """Sends and edits in a second, to all places together."""
    place_sends_per_s: float
    """The same to one place."""
    group_sends_per_s: float = 0.0
    """The same to one group; 0 where it is as to any place."""
    edits_per_s: float = 0.0
    """Of one message while it is written; 0 where an answer is sent when it is done."""
    all_edits_per_s: float = 0.0
    """Edits of all messages together in a second; 0 where they are counted as sends alone."""
    threads_apart: bool = True
    """Whether `place_sends_per_s` is of each thread of a place, or of the place with all its threads."""
    most_buttons: int = 0
    """On one message; 0 where the service has none: a reply to the question then chooses."""
    button_chars: int = 40
    """Of a button's label."""
    typing_s: float = 0.0
    """How long a typing sign is shown; 0 for none."""
    tells_sent: bool = False
    """Whether `looked_up` can say more than `Unknown`."""
    takes_key: bool = False
    """Whether a send with the same key is one message, however often it is made."""
    edits: bool = True
    """Whether a message of the daemon's can be changed. Where it cannot (then `edits_per_s` is 0), `edit` is never
    called: a question that is no longer open stays as it was asked."""
    deletes: bool = True
    """Whether a message of the daemon's can be taken back."""
    most_file_bytes: int = 20_000_000
    """Of a file that is sent; 0 for none."""
    names_answered: bool = False
    """Whether each answer of the agent's says in `Said.reply_to` which message it answers. Mail tells it beside the
    text; where a service shows a citation instead, only what is said of a turn that did not end well has one."""


@dataclass(frozen=True, slots=True)
class Account:
    """As whom the daemon is there."""

    id: str
    """The service's own: messages of this sender are never handed on."""
    name: str
    """For people, e.g. ``@ann_bot``."""


class Channel(Protocol):
    """One account at one service, from `open` to `close`. Called from one event loop, by several tasks at once.

    Whatever fails raises a `SullaError`, whose words hold no secret: `Unauthorized` where the service does not know the
    credentials (nothing helps but other settings; of several the words name the wrong one as the settings do),
    `Unavailable` where it does not answer or wants to be left alone (with `retry_after_s` where it says for how long).
    A send never raises: it says what came of it.
    """

    @property
    def manners(self) -> Manners:
        """How the service wants to be spoken to; known once it is open."""

    async def open(self) -> Account:
        """Connect, and prove that the credentials are good.

        Raises:
            Unauthorized: they are not.
            Unavailable: the service does not answer.
        """

    async def close(self) -> None:
        """Let go of everything; a `receive` that goes on ends. A second close does nothing."""

    async def first_cursor(self) -> str:
        """Where an account that is new here is read from: behind what was said before it was set up, as far as the
        service tells that; what was said since, though nobody had asked for a cursor yet, counts as new. It is kept
        before anything is received. Empty where the service holds nothing but what nobody has taken.

        Raises:
            Unavailable: the service does not answer.
        """

    def receive(self, cursor: str) -> AsyncIterator[Batch]:
        """What arrives, from behind a cursor on. It keeps no more than one batch that nobody has taken; the service
        (or the wire) holds the rest. Where a service is asked, each of its answers is a batch, also an empty one: one
        that comes at once and brings nothing new, again and again, is asked more seldom.

        As soon as the service has answered here, where nothing has arrived, it hands on an empty batch: that it could
        be reached before does not say that it is there yet. Until then the channel is not called well.

        Args:
            cursor: of the last batch that was kept, or what `first_cursor` said.

        Raises:
            Unauthorized, Unavailable: as above; it is called again after that.
        """

    async def acknowledge(self, cursor: str) -> None:
        """All up to this cursor is kept: the service may forget it. Not called for an empty batch.

        Raises:
            Unavailable: it could not be told, so it will send it again, which does no harm.
        """

    def measure(self, text: str, *exact: str) -> int:
        """How much of `most_chars` a message takes in the service's form, a text and what stands above it to the
        letter. Pure, and never falls as one of them grows."""

    async def send(self, place: Place, said: Said) -> Outcome:
        """Send a message, once."""

    async def edit(self, place: Place, ref: str, said: Said) -> Outcome:
        """Put other words into a message that was sent; the same ones change nothing, and are `Sent`."""

    async def delete(self, place: Place, ref: str) -> Outcome:
        """Take a message back; one that is gone is `Sent`."""

    async def send_file(self, place: Place, file: SaidFile) -> Outcome:
        """Send a file, once."""

    async def looked_up(self, place: Place, key: str) -> Outcome:
        """Whether a message with this key arrived; `Unknown` where the service cannot tell."""

    async def typing(self, place: Place) -> None:
        """Show that somebody writes, for `typing_s`; one that cannot be shown is no trouble.

        Raises:
            Unavailable: it was not shown.
        """

    async def answer_press(self, press: Press, text: str) -> None:
        """Tell whoever pressed a button that it was seen, in some words that go away.

        Raises:
            Unavailable: he was not told.
        """

    def fetch(self, attachment: Attachment) -> AsyncIterator[bytes]:
        """A file's content, a piece at a time; whoever reads stops when it is too much, or comes too slowly. It may be
        asked for when its message is acknowledged long since, and after a restart.

        Raises:
            NotFound: it is gone.
            Unavailable: the service does not answer.
        """
