"""The original desktop client's frames: what it says, read; and what it is told, written. Pure.

Every frame is an object with ``type``, ``data``, ``id``, ``timestamp`` and ``channel``; an ``ack`` has ``originalId``
too. The client sends a frame again until its ``id`` is acknowledged, and acknowledges what it is sent.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final, Literal

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.ids import derived_id
from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway.rpc import show
from sulla.rpc.form import ID_PATTERN
from sulla.rpc.limits import ID_CHARS

FRAME_ID_CHARS: Final = 200
NAME_CHARS: Final = 200
"""Of a channel, and of what a client calls a conversation."""
CHANNELS: Final[frozenset[str]] = frozenset({"", "sulla-desktop", "workbench", "heartbeat", "calendar_event"})
"""The client's own channels, where the home's agent answers. Any other is called as its agent is."""
HEARTBEAT: Final = "heartbeat"
CALENDAR: Final = "calendar_event"
SCHEDULER: Final = "scheduler"
"""The `origin` of what the calendar says."""
RELAYED: Final[frozenset[str]] = frozenset({"scheduled", "cancel", "reschedule"})
"""What the parts of a client tell each other on `CALENDAR`."""
SILENT: Final[frozenset[str]] = frozenset({"ack", "ping", "pong"})
"""What is not acknowledged: nobody waits for that."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """A frame of the client's, of whatever type."""

    type: str
    id: str
    channel: str
    data: Json
    original_id: str
    """Which frame an ``ack`` is for; empty for none."""
    raw: bytes
    """The frame itself."""

    @property
    def object(self) -> JsonObject:
        """What it is about; a bare text is the content."""
        if isinstance(self.data, dict):
            return self.data
        return {} if self.data is None else {"content": self.data}

    @property
    def thread(self) -> str:
        """What the client calls the conversation; empty if it does not say."""
        value = self.object.get("threadId", self.object.get("thread_id"))
        return value if isinstance(value, str) and len(value) <= NAME_CHARS and value.isprintable() else ""

    def check(self) -> None:
        """See whether the conversation's name is one.

        Raises:
            InvalidInput: it is not.
        """
        value = self.object.get("threadId", self.object.get("thread_id"))
        if value not in (None, "", self.thread):
            raise InvalidInput(f"data.threadId: got {show(value)}, expected a line of at most {NAME_CHARS} characters")

    @property
    def key(self) -> str:
        """What a request made of it is called: the same for the same frame, however often it comes."""
        if len(self.id) <= ID_CHARS and re.fullmatch(ID_PATTERN, self.id):
            return self.id
        return derived_id("msg", "hub", self.id)


@dataclass(frozen=True, slots=True)
class Words:
    """What a person says to an agent, or the client's calendar in their place."""

    text: str
    by_calendar: bool
    """Whether the calendar says it: nobody has written it, and an event's words are those of whoever invited."""
    agent: str | None
    """Who should answer; None for the channel's."""
    event_id: int | None
    """The calendar's event that it is about; None if it is about none."""
    left_out: int
    """How many attachments it brought, which are not passed on."""


def read_envelope(text: str) -> Envelope:
    """Read a frame.

    Raises:
        InvalidInput: it is none.
    """
    try:
        value: Json = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise InvalidInput(f"got {show(value)}, expected an object with type, data, id, timestamp and channel")
    type_, id_ = value.get("type"), value.get("id")
    if not isinstance(type_, str) or not type_:
        raise InvalidInput(f"type: got {show(type_)}, expected a word like 'user_message'")
    if not isinstance(id_, str) or not 0 < len(id_) <= FRAME_ID_CHARS:
        raise InvalidInput(f"id: got {show(id_)}, expected a text of at most {FRAME_ID_CHARS} characters")
    channel, original = value.get("channel"), value.get("originalId")
    if channel is None:
        channel = ""
    if not isinstance(channel, str) or len(channel) > NAME_CHARS:
        raise InvalidInput(f"channel: got {show(channel)}, expected a text of at most {NAME_CHARS} characters")
    original_id = original if isinstance(original, str) else ""
    return Envelope(type_, id_, channel, value.get("data"), original_id, text.encode("utf-8", "surrogatepass"))


def read_words(envelope: Envelope) -> Words:
    """Read a ``user_message`` or an ``inject_message``.

    Raises:
        InvalidInput: a value is wrong, or there is nothing in it that could be passed on.
    """
    content, metadata = envelope.object.get("content", ""), envelope.object.get("metadata")
    if not isinstance(content, str):
        raise InvalidInput(f"data.content: got {show(content)}, expected a text")
    about = metadata if isinstance(metadata, dict) else {}
    attached, agent = about.get("attachments"), about.get("agentId")
    left_out = len(attached) if isinstance(attached, list) else 0
    if not content.strip():
        what = "attachments are not taken, and there is nothing else in it" if left_out else "expected some text"
        raise InvalidInput(f"data.content: {what}")
    where = (about, envelope.object)
    by_calendar = envelope.channel == CALENDAR or any(one.get("origin") == SCHEDULER for one in where)
    events = (one.get("eventId") for one in where) if by_calendar else ()
    return Words(
        content.strip(),
        by_calendar,
        agent if isinstance(agent, str) and agent else None,
        next((event for event in events if isinstance(event, int) and not isinstance(event, bool)), None),
        left_out,
    )


def agent_of(channel: str) -> str | None:
    """Who answers on a channel; None for the home's agent."""
    return None if channel in CHANNELS else channel


# ------------------------------------------------------------------------------------------------------ what it is told

FrameType = Literal[
    "ack",
    "pong",
    "assistant_message",
    "system_message",
    "progress",
    "token_info",
    "thread_created",
    "transfer_data",
    "workflow_execution_event",
    "scheduler_ack",
]


def frame_id(*parts: str) -> str:
    """The id of a frame: of a UUID's form, as the client's own, and the same whenever the same thing is told again."""
    digest = bytearray(blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest())
    digest[6], digest[8] = digest[6] & 0x0F | 0x40, digest[8] & 0x3F | 0x80
    text = digest.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def frame(type_: str, data: Json, id_: str, channel: str, at_ms: int, original_id: str = "") -> bytes:
    """A frame.

    Args:
        type_: a `FrameType`.
        data: what it is about.
        id_: its id.
        channel: the client's.
        at_ms: UTC milliseconds.
        original_id: the frame that it answers; empty for none.
    """
    value: JsonObject = {"type": type_, "data": data, "id": id_, "timestamp": at_ms, "channel": channel}
    return orjson.dumps({**value, "originalId": original_id} if original_id else value)
