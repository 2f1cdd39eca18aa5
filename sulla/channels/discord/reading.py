"""What Discord's events say. Pure: reads the JSON of its gateway and of its HTTP interface."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from sulla.channels.base import MOST_ATTACHMENTS, MOST_TEXT_CHARS, Account, Arrived, Attachment, Place, Press, Sender

THREADS: Final = (10, 11, 12)
"""The types of channels that are threads of another one."""
_SAID: Final = (0, 19)
"""The types of messages that people write: plain ones and replies. All others tell what happened."""
_OTHER: Final = ("poll", "sticker_items")
"""What a message may be alone, and is neither words nor a file."""
_TO_THE_END: Final = re.compile(r"^[ \t]*>>>", re.MULTILINE)
"""Cites all that comes behind it."""
_USER_ID: Final = re.compile(r"[1-9][0-9]{0,19}")
_FORWARD: Final = 1
_VOICE: Final = 1 << 13
_COMPONENT: Final = 3


def sender_of(message: Mapping[str, Any]) -> Sender:
    """Who says it. A bot, and whatever a webhook says, is nobody's person."""
    author = message.get("author") or {}
    if author.get("bot") or message.get("webhook_id") or "id" not in author:
        return Sender("")
    return Sender(_user_id(author["id"]), str(author.get("global_name") or author.get("username") or "")[:200])


def said(message: Mapping[str, Any], place: Place, account: Account, *, edited: bool = False) -> Arrived | None:
    """What a message says; None for what the bot wrote, what no person wrote, and an update that is no edit.

    Args:
        message: as Discord writes it.
        place: where it stands.
        account: the bot's.
        edited: whether it is told as a change.
    """
    version = str(message.get("edited_timestamp") or "")
    if str((message.get("author") or {}).get("id", account.id)) == account.id or message.get("type", 0) not in _SAID:
        return None
    if edited and (not version or "content" not in message):
        return None  # a preview of a link was added, or the like
    answered = message.get("referenced_message") or {}
    reference = message.get("message_reference") or {}
    forwards = reference.get("type", 0) == _FORWARD
    to_us = str((answered.get("author") or {}).get("id", "")) == account.id
    named = any(str(one.get("id")) == account.id for one in message.get("mentions") or ())
    passed_on = [one.get("message") or {} for one in message.get("message_snapshots") or ()]
    cited = [str(one.get("content") or "") for one in passed_on] or [
        "" if to_us else str(answered.get("content") or "")
    ]
    own, *to_the_end = _TO_THE_END.split(_own(str(message.get("content") or ""), account), maxsplit=1)
    cited += to_the_end
    if message.get("application_id"):  # an application posts in its user's name
        own, cited = "", [own, *cited]
    files = [file for one in (message, *passed_on) for file in _attachments(one)]
    other = not own and not any(cited) and not files and any(message.get(name) for name in _OTHER)
    return Arrived(
        place,
        sender_of(message),
        str(message["id"]),
        "edit" if edited else "other" if other else "message",
        own[:MOST_TEXT_CHARS],
        "\n\n".join(filter(None, cited))[:MOST_TEXT_CHARS],
        "" if forwards else str(reference.get("message_id") or ""),
        tuple(files[:MOST_ATTACHMENTS]),
        place.kind == "private" or named or to_us,
        version if edited else "",
        at_ms=_at_ms(message.get("timestamp")),
    )


def pressed(interaction: Mapping[str, Any], place: Place) -> Arrived | None:
    """A press of a button; None for all else that is done with a bot.

    Args:
        interaction: as Discord writes it.
        place: where it stands.
    """
    user = (interaction.get("member") or {}).get("user") or interaction.get("user") or {}
    if interaction.get("type") != _COMPONENT or "id" not in user:
        return None
    sender = Sender(_user_id(user["id"]), str(user.get("global_name") or user.get("username") or "")[:200])
    id_, token = str(interaction["id"]), str(interaction["token"])
    press = Press(str((interaction.get("data") or {}).get("custom_id") or ""), f"{id_}/{token}")
    return Arrived(place, sender, f"press:{id_}", "press", press=press)


def _user_id(said: object) -> str:
    """Somebody's id, which is a number in the form in which Discord writes it, and in no other that means the same.

    Raises:
        ValueError: it is none.
    """
    if _USER_ID.fullmatch(found := str(said)) is None:
        raise ValueError("a user's id is no number")
    return found


def _own(text: str, account: Account) -> str:
    """A text without the bot's name at its beginning."""
    return re.sub(rf"^\s*<@!?{re.escape(account.id)}>[ ,:]*", "", text)


def _attachments(message: Mapping[str, Any]) -> list[Attachment]:
    voice = bool(int(message.get("flags") or 0) & _VOICE)
    return [_attachment(one, voice=voice) for one in message.get("attachments") or ()]


def _attachment(file: Mapping[str, Any], *, voice: bool) -> Attachment:
    mime = str(file.get("content_type") or "")
    size = file.get("size")
    return Attachment(
        str(file["url"]),
        "voice" if voice else "picture" if mime.startswith("image/") else "file",
        str(file.get("filename") or "file")[:500],
        mime[:100],
        int(size) if size is not None else None,
    )


def _at_ms(said_at: object) -> int:
    try:
        return round(datetime.fromisoformat(str(said_at)).timestamp() * 1_000)
    except ValueError:
        return 0
