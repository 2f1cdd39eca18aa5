"""What events of Matrix say. Pure: reads the client-server API's JSON, of which other servers write most; so anything
may stand anywhere in it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from sulla.channels.base import MOST_TEXT_CHARS, Arrived, ArrivedKind, Attachment, AttachmentKind, Place, Press, Sender
from sulla.channels.matrix.form import BUTTONS
from sulla.channels.matrix.rooms import Known, Rooms, mapping
from sulla.core.dataclass import dataclass

_TEXTS: Final = frozenset({"m.text", "m.emote", "m.location"})
_FILES: Final[Mapping[str, AttachmentKind]] = {
    "m.image": "picture",
    "m.file": "file",
    "m.audio": "file",
    "m.video": "file",
}
_VOICE: Final = ("org.matrix.msc3245.voice", "m.voice")
_BRIDGED: Final = ("fi.mau.double_puppet_source", "com.beeper.per_message_profile")
"""By these bridges say that they write in somebody's name what was said elsewhere."""
_MXC: Final = re.compile(r"mxc://[A-Za-z0-9.:\[\]-]{1,255}/[A-Za-z0-9_-]{1,255}")
_PILL: Final = re.compile(
    r"<a href=[\"']https://matrix\.to/#/([^\"'?]{1,300}+)(?:\?[^\"']{0,300}+)?[\"']>([^<]{1,200})</a>"
)
_ID_CHARS: Final = 255


@dataclass(frozen=True, slots=True)
class Me:
    """As whom the daemon is there."""

    id: str
    name: str = ""
    """What it is called there."""


def target_of(event: Mapping[str, Any]) -> str:
    """The event that another one changes, deletes, reacts to or answers; empty for none."""
    content = mapping(event.get("content"))
    if event.get("type") == "m.room.redaction":
        return _id(content.get("redacts")) or _id(event.get("redacts"))
    relates = mapping(content.get("m.relates_to"))
    if relates.get("rel_type") in ("m.replace", "m.annotation"):
        return _id(relates.get("event_id"))
    return _reply(content)


def topic_of(event: Mapping[str, Any]) -> str:
    """The thread in which an event stands; empty for the room itself."""
    relates = mapping(mapping(event.get("content")).get("m.relates_to"))
    return _id(relates.get("event_id")) if relates.get("rel_type") == "m.thread" else ""


def known_of(event: Mapping[str, Any]) -> Known:
    """What is to be known of an event that another one names."""
    content = mapping(event.get("content"))
    return Known(_id(event.get("sender")), topic_of(event), content, _reply(content))


def at_ms(event: Mapping[str, Any]) -> int:
    """When an event was sent, as the sender's server says, UTC milliseconds; 0 where it says nothing."""
    said = event.get("origin_server_ts")
    return said if isinstance(said, int) and 0 <= said < 1 << 53 else 0


def is_meant(event: Mapping[str, Any], me: Me) -> bool:
    """Whether the daemon is mentioned."""
    return _mentioned(_words(mapping(event.get("content"))), me)


def arrived_of(event: Mapping[str, Any], room_id: str, rooms: Rooms, me: Me, target: Known | None) -> Arrived | None:
    """What an event means; None for nothing.

    Args:
        event: as the client-server API writes it.
        room_id: where it came.
        rooms: what is known of rooms.
        me: as whom the daemon is there.
        target: what is known of the event that `target_of` names; None where there is none.
    """
    sender, event_id, content = _id(event.get("sender")), _id(event.get("event_id")), mapping(event.get("content"))
    if not sender or sender == me.id or not event_id or "state_key" in event:
        return None
    who = Sender(sender, sender)
    place = rooms.place(room_id, target.topic if target is not None else "")
    match event.get("type"):
        case "m.room.redaction" if target is not None:
            return Arrived(place, who, target_of(event), "delete", at_ms=at_ms(event))
        case "m.reaction" if target is not None and target.sender == me.id:
            key = mapping(content.get("m.relates_to")).get("key")
            button = mapping(mapping(mapping(target.content).get(BUTTONS)).get(key)) if isinstance(key, str) else {}
            token = button.get("token")
            if not isinstance(token, str):
                return None
            return Arrived(place, who, event_id, "press", press=Press(token), at_ms=at_ms(event))
        case "m.room.message" if mapping(content.get("m.relates_to")).get("rel_type") == "m.replace":
            # Servers let anybody say that he changes somebody else's message.
            if target is None or target.sender != sender:
                return None
            found = _said(event, place, who, me, target_of(event), "edit", None)
            return replace(found, reply_to=target.reply) if found is not None else None
        case "m.room.message":
            return _said(event, rooms.place(room_id, topic_of(event)), who, me, event_id, "message", target)
        case _:
            return None


def _said(
    event: Mapping[str, Any],
    place: Place,
    who: Sender,
    me: Me,
    message_id: str,
    kind: ArrivedKind,
    cited: Known | None,
) -> Arrived | None:
    outer = mapping(event.get("content"))
    content = _words(outer)
    told = _text(content.get("msgtype"))
    if told not in _TEXTS and told not in _FILES:
        return None  # `m.notice` is what programs say: nobody answers it
    body, quoted = _own(_text(content.get("body")), replies="m.in_reply_to" in mapping(outer.get("m.relates_to")))
    files: tuple[Attachment, ...] = ()
    if told in _FILES:
        files = (_attachment(content, told),)
        body = body if _text(content.get("filename")) != body and "filename" in content else ""
    reply = _reply(outer) if kind == "message" else ""
    to_us = bool(reply) and cited is not None and cited.sender == me.id
    if reply and not to_us and not quoted and cited is not None:
        quoted = _text(mapping(cited.content).get("body"))
    mentioned = _mentioned(content, me)
    if mentioned:
        body = _without_mention(body, content, me)
    if any(outer.get(name) for name in _BRIDGED):
        body, quoted = "", "\n".join(filter(None, (body, quoted)))
    return Arrived(
        place,
        who,
        message_id,
        kind,
        (f"* {body}" if told == "m.emote" and body else body)[:MOST_TEXT_CHARS],
        quoted[:MOST_TEXT_CHARS],
        reply,
        files,
        place.kind == "private" or mentioned or to_us,
        _id(event.get("event_id")) if kind == "edit" else "",
        at_ms=at_ms(event),
    )


def _words(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a message says: of an edit, what it says now."""
    replaces = mapping(content.get("m.relates_to")).get("rel_type") == "m.replace"
    return mapping(content.get("m.new_content")) if replaces else content


def _own(body: str, *, replies: bool) -> tuple[str, str]:
    """A text without what it cites, and that."""
    lines = body.split("\n")
    cited = [line[1:].removeprefix(" ") for line in lines if line.startswith(">")]
    if not cited:
        return body, ""
    if replies:
        # What older apps put before an answer begins with who is cited.
        cited[0] = re.sub(r"^\* ?|^<@[^>]{1,255}> ?", "", cited[0])
    return "\n".join(line for line in lines if not line.startswith(">")).strip("\n"), "\n".join(cited)


def _mentioned(content: Mapping[str, Any], me: Me) -> bool:
    mentions = content.get("m.mentions")
    if isinstance(mentions, Mapping):
        ids = mentions.get("user_ids")
        return isinstance(ids, list) and me.id in ids
    # Apps that do not say whom they mean.
    pills = _PILL.finditer(_text(content.get("formatted_body")))
    return me.id in _text(content.get("body")) or any(_is(me, pill.group(1)) for pill in pills)


def _without_mention(body: str, content: Mapping[str, Any], me: Me) -> str:
    """A text without the daemon's name at its beginning."""
    pills = _PILL.finditer(_text(content.get("formatted_body")))
    names = {me.id, me.name, me.id[1:].partition(":")[0], *(html.unescape(one[2]) for one in pills if _is(me, one[1]))}
    for name in sorted(filter(None, names), key=len, reverse=True):
        for start in (name, f"@{name}"):
            rest = body[len(start) :]
            if body.lower().startswith(start.lower()) and not rest[:1].isalnum():
                return rest.lstrip(" ,:\u00a0")
    return body


def _is(me: Me, linked: str) -> bool:
    return linked.replace("%40", "@").replace("%3A", ":").replace("%3a", ":") == me.id


def _attachment(content: Mapping[str, Any], told: str) -> Attachment:
    info, address = mapping(content.get("info")), _text(content.get("url"))
    size, mime = info.get("size"), _text(info.get("mimetype"))
    voice = told == "m.audio" and any(one in content for one in _VOICE)
    return Attachment(
        address if _MXC.fullmatch(address) else "",
        "voice" if voice else _FILES[told],
        (_text(content.get("filename")) if "filename" in content else _text(content.get("body")))[:500],
        mime[:200],
        size if isinstance(size, int) and 0 <= size < 1 << 53 else None,
    )


def _reply(content: Mapping[str, Any]) -> str:
    relates = mapping(content.get("m.relates_to"))
    if relates.get("rel_type") == "m.thread" and relates.get("is_falling_back") is True:
        return ""  # it only says where a thread goes on, for apps that know none
    return _id(mapping(relates.get("m.in_reply_to")).get("event_id"))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _id(value: object) -> str:
    return value if isinstance(value, str) and len(value) <= _ID_CHARS else ""
