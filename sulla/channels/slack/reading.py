"""What Slack tells over its socket, and what its history says of messages. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sulla.channels.base import (
    MOST_ATTACHMENTS,
    MOST_TEXT_CHARS,
    Account,
    Arrived,
    Attachment,
    AttachmentKind,
    Place,
    Press,
    Sender,
)
from sulla.channels.machine.admission import COMMANDS
from sulla.channels.slack.cursor import order

_SAID: Final = frozenset({"", "file_share", "me_message", "thread_broadcast"})
"""Kinds of messages in which a person says something; others tell what happened in a channel."""
_MARK: Final = re.compile(r"<([^<>|]+)(?:\|([^<>]*))?>")
_BY_APP: Final = ("app_id", "bot_id", "bot_profile")
_GONE: Final = frozenset({"tombstone", "hidden_by_limit"})


def arrived_of(kind: str, payload: Mapping[str, Any], account: Account) -> Arrived | None:
    """What an envelope of the socket means; None for nothing.

    Args:
        kind: the envelope's type.
        payload: what is in it.
        account: the app's bot.
    """
    match kind:
        case "events_api":
            event = payload.get("event")
            return _event(event, account) if isinstance(event, Mapping) and event.get("type") == "message" else None
        case "interactive":
            return _pressed(payload)
        case "slash_commands":
            return _commanded(payload)
        case _:
            return None


def moment_of(kind: str, payload: Mapping[str, Any]) -> str:
    """When what is in an envelope happened, as a timestamp of Slack's; empty where it is not in the history."""
    event = payload.get("event")
    if kind != "events_api" or not isinstance(event, Mapping):
        return ""
    return str(event.get("event_ts") or event.get("ts") or "")


def said_of(message: Mapping[str, Any], channel: str, account: Account) -> Arrived | None:
    """A message of a channel; None for one that nobody says, that a bot says, or the daemon itself.

    Args:
        message: as an event or the history says it.
        channel: its channel's id.
        account: the app's bot.
    """
    return _message(message, channel, account) if _is_said(message, account) else None


def plain(text: str, account: Account) -> tuple[str, bool]:
    """A text as people read it, without the bot's name at its beginning, and whether that stands anywhere.

    Args:
        text: with Slack's marks.
        account: the app's bot.
    """
    name = re.compile(rf"<@{re.escape(account.id)}(?:\|[^<>]*)?>")
    meant = bool(account.id) and name.search(text) is not None
    if meant and (first := name.match(text.lstrip())):
        text = text.lstrip()[first.end() :].lstrip(" ,:")
    shown = _MARK.sub(_shown, text)
    return shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"), meant


def place_of(channel: str, topic: str) -> Place:
    """A channel, or a thread in it. Only a direct message of one person to the app has an id with a D."""
    return Place(channel, topic, "private" if channel.startswith("D") else "group")


def _event(event: Mapping[str, Any], account: Account) -> Arrived | None:
    channel, before = str(event.get("channel") or ""), event.get("previous_message")
    if not channel:
        return None
    match event.get("subtype"):
        case "message_changed":
            return _changed(event, channel, account)
        case "message_deleted" if isinstance(before, Mapping):
            return _deleted(before, channel, account)
        case _:
            return said_of(event, channel, account)


def _changed(event: Mapping[str, Any], channel: str, account: Account) -> Arrived | None:
    """An edit, where the words are others than before: Slack calls many things a change."""
    now, before = event.get("message"), event.get("previous_message")
    if not isinstance(now, Mapping):
        return None
    before = before if isinstance(before, Mapping) else {}
    if now.get("subtype") == "tombstone":  # deleted, and there are answers to it
        return _deleted({**before, "ts": now.get("ts")}, channel, account)
    edited = now.get("edited")
    if not isinstance(edited, Mapping) or edited == before.get("edited") or not _is_said(now, account):
        return None
    return _message(now, channel, account, version=str(edited.get("ts") or event.get("ts") or ""))


def _deleted(before: Mapping[str, Any], channel: str, account: Account) -> Arrived | None:
    if not before.get("ts") or before.get("bot_id") or not _is_theirs(before, account):
        return None
    place, _ = _where(before, channel, account)
    return Arrived(place, _sender(before), str(before["ts"]), "delete")


def _is_said(message: Mapping[str, Any], account: Account) -> bool:
    """Whether somebody says a message who is no bot."""
    kind = str(message.get("subtype") or "")
    return kind in _SAID and not message.get("bot_id") and _is_theirs(message, account)


def _is_theirs(message: Mapping[str, Any], account: Account) -> bool:
    return bool(message.get("user")) and message.get("user") != account.id


def _message(message: Mapping[str, Any], channel: str, account: Account, *, version: str = "") -> Arrived:
    place, reply_to = _where(message, channel, account)
    own, mentioned = plain(str(message.get("text") or ""), account)
    to_us = bool(reply_to) and message.get("parent_user_id") == account.id
    shared = [one for one in _maps(message.get("attachments")) if one.get("is_share") or one.get("is_msg_unfurl")]
    # An app may post in its user's name, who need not have seen the words.
    by_app = any(message.get(name) for name in _BY_APP)
    # Where it was changed by somebody else, nobody knows which words are still its author's.
    edited = message.get("edited")
    foreign = by_app or (isinstance(edited, Mapping) and edited.get("user", message["user"]) != message["user"])
    cited = [own] if foreign else []
    cited += [_quoted(one, account) for one in shared]
    files = [*_maps(message.get("files")), *(file for one in shared for file in _maps(one.get("files")))]
    return Arrived(
        place,
        _sender(message),
        str(message.get("ts") or ""),
        "edit" if version else "message",
        "" if foreign else own[:MOST_TEXT_CHARS],
        "\n\n".join(cited)[:MOST_TEXT_CHARS],
        reply_to,
        tuple(_attachment(one) for one in files if one.get("id") and one.get("mode") not in _GONE)[:MOST_ATTACHMENTS],
        place.kind == "private" or mentioned or to_us,
        version,
        at_ms=_ms(str(message.get("ts") or "")),
    )


def _where(message: Mapping[str, Any], channel: str, account: Account) -> tuple[Place, str]:
    """Where a message stands, and what it answers.

    A message in a channel is a thread of its own, in which it is answered. In a direct message an answer to the bot's
    words belongs to the talk itself, as there a thread is how one replies.
    """
    own, thread = str(message.get("ts") or ""), str(message.get("thread_ts") or "")
    reply_to = thread if thread != own else ""
    place = place_of(channel, reply_to)
    if place.kind == "group":
        return place_of(channel, thread or own), reply_to
    if reply_to and message.get("parent_user_id") == account.id:
        return place_of(channel, ""), reply_to
    return place, reply_to


def _sender(message: Mapping[str, Any]) -> Sender:
    """Slack says who writes by his id alone; that is shown for a name too."""
    return Sender(str(message["user"]), str(message["user"]))


def _pressed(payload: Mapping[str, Any]) -> Arrived | None:
    user, action = payload.get("user"), next(iter(_maps(payload.get("actions"))), {})
    around = payload.get("container")
    if payload.get("type") != "block_actions" or not isinstance(user, Mapping) or not isinstance(around, Mapping):
        return None
    channel, sender = str(around.get("channel_id") or ""), str(user.get("id") or "")
    if not channel or not sender or action.get("type") != "button":
        return None
    own, thread = str(around.get("message_ts") or ""), str(around.get("thread_ts") or "")
    # A message below which somebody has answered names itself as the thread; it stands where it stood.
    place = place_of(channel, thread if thread != own else "")
    press = Press(str(action.get("value") or "")[:200], " ".join(filter(None, (channel, sender, place.topic))))
    named = Sender(sender, str(user.get("name") or user.get("username") or sender)[:200])
    return Arrived(place, named, f"press:{sender}:{action.get('action_ts')}", "press", press=press)


def _commanded(payload: Mapping[str, Any]) -> Arrived | None:
    """A slash command of the app: ``/sulla new`` is ``/new`` of other services, as Slack keeps such words to itself."""
    channel, sender = str(payload.get("channel_id") or ""), str(payload.get("user_id") or "")
    if not channel or not sender:
        return None
    text, _ = plain(str(payload.get("text") or "").strip() or "help", Account("", ""))
    said = f"/{text}" if text.split(maxsplit=1)[0].lower() in COMMANDS else text
    named = Sender(sender, str(payload.get("user_name") or sender)[:200])
    return Arrived(place_of(channel, ""), named, f"command:{payload.get('trigger_id')}", text=said[:MOST_TEXT_CHARS])


def _shown(mark: re.Match[str]) -> str:
    """What stands in brackets: somebody, a channel, everybody, or an address."""
    what, label = mark.group(1), mark.group(2) or ""
    match what[0]:
        case "@" | "#":
            return what[0] + (label.lstrip("@#") or what[1:])
        case "!":
            return label or "@" + what[1:].partition("^")[0]
        case _:
            return f"{label} ({what})" if label and label not in what else what


def _quoted(shared: Mapping[str, Any], account: Account) -> str:
    text, _ = plain(str(shared.get("text") or shared.get("fallback") or ""), Account("", ""))
    author = str(shared.get("author_name") or shared.get("author_id") or "")[:200]
    return f"{author}: {text}" if author else text


def _attachment(file: Mapping[str, Any]) -> Attachment:
    mime, size = str(file.get("mimetype") or ""), file.get("size")
    kind: AttachmentKind = "picture" if mime.startswith("image/") else "file"
    if file.get("subtype") == "slack_audio":
        kind = "voice"
    name = str(file.get("name") or file.get("title") or kind)[:500]
    return Attachment(str(file["id"]), kind, name, mime, int(size) if isinstance(size, int) else None)


def _maps(found: object) -> list[Mapping[str, Any]]:
    several = found if isinstance(found, Sequence) and not isinstance(found, str) else ()
    return [one for one in several if isinstance(one, Mapping)]


def _ms(moment: str) -> int:
    seconds, micros = order(moment)
    return seconds * 1_000 + micros // 1_000
