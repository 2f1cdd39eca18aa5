"""How the fake of Discord writes things, and what it has against a message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson
from aiohttp import web

from sulla.channels.base import Sender

MOST_CHARS: Final = 2_000
DM, TEXT, THREAD = 1, 0, 11
"""Types of chats."""
_ROWS, _IN_A_ROW, _LABEL, _TOKEN = 5, 5, 80, 100


def public(chat: Mapping[str, Any]) -> dict[str, Any]:
    """A chat as it is told.

    Args:
        chat: it, with its messages.
    """
    last = chat["messages"][-1]["id"] if chat["messages"] else None
    found = {name: value for name, value in chat.items() if name != "messages"} | {"last_message_id": last}
    if chat["type"] == THREAD:
        meta = {"archived": False, "auto_archive_duration": 1440, "archive_timestamp": "2026-01-01T00:00:00+00:00"}
        found |= {
            "owner_id": "5001",
            "message_count": 0,
            "member_count": 1,
            "thread_metadata": meta | {"locked": False},
        }
    return found


def user_of(sender: Sender) -> dict[str, Any]:
    """A user as he is told.

    Args:
        sender: he.
    """
    return {
        "id": sender.id,
        "username": sender.name,
        "discriminator": "0",
        "global_name": sender.name,
        "avatar": None,
        "bot": False,
    }


def member() -> dict[str, Any]:
    """A member of a server as he is told."""
    return {"roles": [], "joined_at": "2026-01-01T00:00:00+00:00", "deaf": False, "mute": False, "flags": 0}


def server_of(guild: str, chats: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A server as it is told.

    Args:
        guild: its number.
        chats: those in it.
    """
    rooms, threads = ([public(one) for one in chats if (one["type"] == THREAD) is is_one] for is_one in (False, True))
    about = {"id": guild, "name": "home", "owner_id": "5001", "roles": [], "members": [], "member_count": 2}
    return about | {"channels": rooms, "threads": threads, "emojis": [], "features": [], "unavailable": False}


def message_of(id_: str, chat: Mapping[str, Any], author: Mapping[str, Any], text: str, at: str) -> dict[str, Any]:
    """A plain message as it is told.

    Args:
        id_: its number.
        chat: where.
        author: who wrote it.
        text: what stands in it.
        at: when.
    """
    made = {"id": id_, "channel_id": chat["id"], "author": author, "content": text, "type": 0}
    made |= {"timestamp": at, "edited_timestamp": None, "tts": False, "pinned": False, "flags": 0}
    made |= {"mention_everyone": False, "mentions": [], "mention_roles": [], "attachments": [], "embeds": []}
    made["components"] = []
    return made | ({"guild_id": chat["guild_id"], "member": member()} if chat.get("guild_id") else {})


async def sent(request: web.Request) -> tuple[dict[str, Any], list[tuple[str, bytes]]]:
    """What a message says, and its files.

    Args:
        request: brings it.
    """
    if request.content_type != "multipart/form-data":
        return dict(await request.json()), []
    data = await request.post()
    files = [(one.filename, one.file.read()) for one in data.values() if isinstance(one, web.FileField)]
    return dict(orjson.loads(str(data["payload_json"]))), files


def wrong_with(said: Mapping[str, Any], files: Sequence[object]) -> str:
    """What Discord would have against a message; empty for nothing.

    Args:
        said, files: it.
    """
    content, rows = str(said.get("content") or ""), said.get("components") or []
    every = [button for row in rows for button in row["components"]]
    if not content.strip() and not files:
        return "Cannot send an empty message"
    if len(content.encode("utf-16-le")) // 2 > MOST_CHARS:
        return "Must be 2000 or fewer in length."
    if len(str(said.get("nonce") or "")) > 25:
        return "nonce: Must be 25 or fewer in length."
    if len(rows) > _ROWS or any(not 0 < len(row["components"]) <= _IN_A_ROW for row in rows):
        return "components: too many"
    if any(not 0 < len(one["label"]) <= _LABEL or not 0 < len(one["custom_id"]) <= _TOKEN for one in every):
        return "components: a label or an id is too long"
    if len({one["custom_id"] for one in every}) < len(every):
        return "components: Component custom id cannot be duplicated"
    return ""


def failed(status: int, code: int, said: str) -> web.Response:
    """An answer that says what is wrong.

    Args:
        status, code, said: of HTTP, of Discord, and in words.
    """
    return answered({"code": code, "message": said}, status)


def cut(request: web.Request) -> web.Response:
    """The connection breaks.

    Args:
        request: on it.
    """
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


def answered(data: object, status: int = 200, **headers: str) -> web.Response:
    """An answer in Discord's form: its type says no charset.

    Args:
        data: to be written as JSON.
        status, headers: of HTTP; ``_`` in a header's name stands for ``-``.
    """
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    return web.Response(body=orjson.dumps(data), status=status, content_type="application/json", headers=more)


def press_of(
    id_: str, chat: Mapping[str, Any], user: Mapping[str, Any], message: Mapping[str, Any], token: str
) -> dict[str, Any]:
    """A press of a button as it is told.

    Args:
        id_: its number.
        chat: where.
        user: who pressed.
        message: with the button.
        token: what stands on it.
    """
    made: dict[str, Any] = {"id": id_, "application_id": message["author"]["id"], "type": 3, "token": f"press-{id_}"}
    made |= {"data": {"custom_id": token, "component_type": 2}, "channel_id": chat["id"], "message": message}
    made |= {"version": 1, "channel": public(chat), "attachment_size_limit": 1, "locale": "en-US", "entitlements": []}
    if guild := chat.get("guild_id"):
        return made | {"guild_id": guild, "member": member() | {"user": user, "permissions": "0"}}
    return made | {"user": user}


def rung_by(said: Mapping[str, Any]) -> list[str]:
    """Whom a message rings up: whoever is named in it, but for what `allowed_mentions` says.

    Args:
        said: the message.
    """
    content, allowed = str(said.get("content") or ""), said.get("allowed_mentions")
    found: list[str] = []
    if allowed is None or "everyone" in allowed.get("parse", ()):
        found += [name for name in ("@everyone", "@here") if name in content]
    if allowed is None or "users" in allowed.get("parse", ()):
        found += ["<@"] if "<@" in content else []
    return found


def hidden(data: Mapping[str, Any], bot: Mapping[str, Any]) -> Mapping[str, Any]:
    """What of an event a bot may read that may not read all: what is said to it, and what it said.

    Args:
        data: the event's.
        bot: it.
    """
    if "content" not in data or not data.get("guild_id") or data["author"] == bot:
        return data
    return data if bot in data["mentions"] else {**data, "content": "", "attachments": [], "components": []}
