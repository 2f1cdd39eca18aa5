"""What Telegram's updates say. Pure: reads the Bot API's JSON, as it comes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sulla.channels.base import MOST_ATTACHMENTS, MOST_TEXT_CHARS, Account, Arrived, Attachment, Place, Press, Sender

_FILES: Final = ("document", "audio", "video", "animation", "video_note", "sticker")
_NOT_HIS: Final = ("forward", "via_bot", "sender_business_bot")
"""How begins what says that somebody else has written a message: whoever is forwarded (by several names before Bot API
7), an inline bot, or one of a business."""
_CITES: Final = ("blockquote", "expandable_blockquote")
"""Entities that are shown as cited; the text has no mark for them."""
_OTHER: Final = (
    "location", "venue", "contact", "poll", "dice", "game", "story", "checklist", "paid_media", "invoice", "giveaway",
)  # fmt: skip
"""What a message may be alone, and is neither words nor a file."""
WANTED: Final = ("message", "edited_message", "callback_query")
"""The kinds of updates that are asked for. The Bot API tells bots of no deletions."""


def arrived_of(update: Mapping[str, Any], account: Account) -> Arrived | None:
    """What an update means; None for nothing.

    Args:
        update: as the Bot API writes it.
        account: the bot's.
    """
    if isinstance(query := update.get("callback_query"), Mapping):
        return _pressed(query)
    for name in ("message", "edited_message"):
        if isinstance(message := update.get(name), Mapping):
            return _said(message, account, edited=name == "edited_message")
    return None


def place_of(chat: Mapping[str, Any], message: Mapping[str, Any]) -> Place:
    """Where a message stands; a topic of a forum is a place of its own."""
    topic = str(message.get("message_thread_id") or "") if message.get("is_topic_message") else ""
    kind = "private" if chat.get("type") == "private" else "group"
    name = chat.get("title") or chat.get("username") or chat.get("first_name") or ""
    return Place(str(chat["id"]), topic, "private" if kind == "private" else "group", str(name)[:200])


def _sender(message: Mapping[str, Any]) -> Sender:
    """Who says it. Whoever speaks for a chat, or for a channel, is that, and nobody's person."""
    if isinstance(chat := message.get("sender_chat"), Mapping):
        return Sender(f"chat:{chat.get('id')}", str(chat.get("title") or "")[:200])
    user = message.get("from")
    if not isinstance(user, Mapping) or user.get("is_bot"):
        return Sender("")
    return Sender(str(user["id"]), " ".join(filter(None, (user.get("first_name"), user.get("last_name"))))[:200])


def _said(message: Mapping[str, Any], account: Account, *, edited: bool) -> Arrived:
    place = place_of(message["chat"], message)
    text = str(message.get("text") or message.get("caption") or "")
    entities = message.get("entities") or message.get("caption_entities") or ()
    own, quotes, mentioned = _own(text, entities, account)
    reply = message.get("reply_to_message")
    answers = reply if isinstance(reply, Mapping) else {}
    to_us = str((answers.get("from") or {}).get("id", "")) == account.id
    passed_on = any(value for name, value in message.items() if name.startswith(_NOT_HIS))
    command = text.startswith("/") and (place.kind == "private" or f"@{account.name}".lower() in text.lower())
    answered = str((message.get("quote") or {}).get("text") or "") or ("" if to_us else str(answers.get("text") or ""))
    cited = "\n\n".join(filter(None, (*quotes, answered)))
    files = tuple(_attachments(message))[:MOST_ATTACHMENTS]
    other = not text and not files and not edited and any(name in message for name in _OTHER)
    return Arrived(
        place,
        _sender(message),
        str(message["message_id"]),
        "edit" if edited else "other" if other else "message",
        "" if passed_on else own[:MOST_TEXT_CHARS],
        (text if passed_on else cited)[:MOST_TEXT_CHARS],
        "" if answers.get("forum_topic_created") else str(answers.get("message_id") or ""),
        files,
        place.kind == "private" or mentioned or to_us or command,
        str(message.get("edit_date") or "") if edited else "",
        at_ms=int(message.get("date") or 0) * 1_000,
    )


def _pressed(query: Mapping[str, Any]) -> Arrived | None:
    message, user = query.get("message"), query.get("from")
    if not isinstance(message, Mapping) or not isinstance(user, Mapping):
        return None
    token, id_ = str(query.get("data") or ""), str(query["id"])
    sender = Sender(str(user["id"]), str(user.get("first_name") or "")[:200])
    return Arrived(place_of(message["chat"], message), sender, f"press:{id_}", "press", press=Press(token, id_))


def _own(text: str, entities: Sequence[Mapping[str, Any]], account: Account) -> tuple[str, list[str], bool]:
    """A text without what it cites and without the bot's own name at its beginning; what it cites; and whether the name
    stands anywhere."""
    units = text.encode("utf-16-le")
    begins, ends = 0, 0
    own: list[str] = []
    cited: list[str] = []
    found = False
    for entity in sorted(entities, key=lambda one: int(one["offset"])):
        start, end = int(entity["offset"]) * 2, (int(entity["offset"]) + int(entity["length"])) * 2
        words = units[start:end].decode("utf-16-le", "replace")
        if entity.get("type") in _CITES:
            own.append(units[ends:start].decode("utf-16-le", "replace"))
            cited.append(units[max(ends, start) : end].decode("utf-16-le", "replace"))
            ends = max(ends, end)
        elif entity.get("type") == "mention" and words.lower() == f"@{account.name}".lower():
            found = True
            if not start:
                begins = ends = end
        elif entity.get("type") == "text_mention" and str((entity.get("user") or {}).get("id", "")) == account.id:
            found = True
    own.append(units[ends:].decode("utf-16-le", "replace"))
    said = "\n".join(filter(None, (one.strip("\n") for one in own))) if cited else own[0]
    return said.lstrip(" ,:") if begins else said, cited, found


def _attachments(message: Mapping[str, Any]) -> list[Attachment]:
    found: list[Attachment] = []
    sizes = message.get("photo")
    if isinstance(sizes, Sequence) and sizes:
        largest = max(sizes, key=lambda one: int(one.get("file_size") or 0))
        found.append(_attachment(largest, "picture", "picture.jpg"))
    if isinstance(voice := message.get("voice"), Mapping):
        found.append(_attachment(voice, "voice", "voice.ogg"))
    for name in _FILES:
        if isinstance(file := message.get(name), Mapping) and not any(one.handle == file["file_id"] for one in found):
            found.append(_attachment(file, "file", name))
    return found


def _attachment(file: Mapping[str, Any], kind: str, name: str) -> Attachment:
    size = file.get("file_size")
    return Attachment(
        str(file["file_id"]),
        "picture" if kind == "picture" else "voice" if kind == "voice" else "file",
        str(file.get("file_name") or name)[:500],
        str(file.get("mime_type") or ""),
        int(size) if size is not None else None,
    )
