"""A fake of Telegram's Bot API over HTTP, which is kept by its own rules: updates until they are acknowledged by the
next question, one question for updates at a time, edits that change nothing refused, 429 with `retry_after`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, Final

from aiohttp import web

from sulla.channels.base import AttachmentKind, Channel, Place, Sender
from sulla.channels.kinds import Wanted
from sulla.channels.telegram.settings import TelegramOptions
from sulla.core.clock import Clock
from sulla.testing.channels.blocks import telegram_blocks
from sulla.testing.channels.network import Crowded, Network
from sulla.testing.channels.wire import Seen

TOKEN: Final = "123456789:AAE-fake-token-of-a-bot-that-nobody-has"
BOT: Final = {"id": 123456789, "is_bot": True, "first_name": "Sulla", "username": "sulla_bot"}
MOST_UPDATES: Final = 100
MOST_CHARS: Final = 4_096
OTHER: Final = "Conflict: terminated by other getUpdates request"


class TelegramWire(Crowded):
    """Keeps `wire.Wire` for Telegram.

    Args:
        clock: all time.
        poll_s: how long the channel lets a question for updates wait, in seconds.
    """

    secret = TOKEN

    def __init__(self, clock: Clock, *, poll_s: int = 1) -> None:
        self._clock = clock
        self._poll_s = poll_s
        self._updates = _Updates()
        self._chats: dict[str, list[dict[str, Any]]] = {}
        """Every message of each chat."""
        self._files: dict[str, bytes] = {}
        self._numbers = count(2)
        self._network = Network(clock)
        self._runner: web.AppRunner | None = None
        self._port = 0
        self.typing = 0
        self.answers: list[tuple[str, str]] = []
        """What was said to presses, by their ids."""

    @property
    def api(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def fastest_s(self) -> float:
        """See `wire.Wire`."""
        return self._network.fastest_s

    # ------------------------------------------------------------------------------------------------------ the wire

    async def start(self) -> None:
        """See `wire.Wire`."""
        app = web.Application(client_max_size=60_000_000)
        app.router.add_route("*", "/file/bot{token}/{path:.*}", self._file)
        app.router.add_route("*", "/bot{token}/{method}", self._method)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """See `wire.Wire`."""
        self._updates.news.set()
        if self._runner is not None:
            await self._runner.cleanup()

    def channel(self, *, secret: str | None = None) -> Channel:
        """See `wire.Wire`."""
        from sulla.channels.telegram.channel import make

        options = TelegramOptions(api=self.api, poll_s=self._poll_s)
        return make(Wanted("tg", options, {"token": secret or TOKEN}, self._clock))

    async def _method(self, request: web.Request) -> web.StreamResponse:
        if self._network.gone:
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        if request.match_info["token"] != TOKEN:
            return _failed(401, "Unauthorized")
        name = request.match_info["method"]
        args = await _arguments(request)
        if name == "getUpdates":
            return await self._get_updates(args)
        handle = getattr(self, f"_on_{name.lower()}", None)
        if handle is None:
            return _failed(404, "Not Found: method not found")
        if name in ("sendMessage", "editMessageText", "sendDocument"):
            if (rest_s := self._network.refuses(str(args["chat_id"]))) is not None:
                return _failed(429, "Too Many Requests", {"retry_after": max(1, round(rest_s))})
            self._network.paced(str(args["chat_id"]))
        answer: web.Response = handle(args)
        if name in ("sendMessage", "sendDocument") and self._network.loses():
            assert request.transport is not None
            request.transport.abort()
        return answer

    async def _get_updates(self, args: Mapping[str, Any]) -> web.Response:
        kept = self._updates
        if kept.asked or kept.taken:
            return _failed(409, kept.taken or OTHER)
        kept.acknowledge(int(args.get("offset") or 0))
        kept.asked = True
        try:
            if not kept.waiting and (wait_s := float(args.get("timeout") or 0)):
                kept.news.clear()
                with suppress(TimeoutError):
                    async with self._clock.timeout(wait_s):
                        await kept.news.wait()
        finally:
            kept.asked = False
        waiting = kept.waiting[: int(args.get("limit") or MOST_UPDATES)]
        return _failed(409, lost) if (lost := self._updates.taken) else _ok(waiting)

    def _on_getme(self, args: Mapping[str, Any]) -> web.Response:
        return _ok(
            BOT | {"can_join_groups": True, "can_read_all_group_messages": False, "supports_inline_queries": False}
        )

    def _on_sendmessage(self, args: Mapping[str, Any]) -> web.Response:
        text = str(args.get("text") or "")
        if not text.strip():
            return _failed(400, "Bad Request: message text is empty")
        if _units(text) > MOST_CHARS:
            return _failed(400, "Bad Request: message is too long")
        for entity in _json(args.get("entities")) or []:
            if int(entity["offset"]) + int(entity["length"]) > _units(text):
                return _failed(400, "Bad Request: entity is out of the text")
        for row in (_json(args.get("reply_markup")) or {}).get("inline_keyboard", []):
            if any(len(one["callback_data"].encode()) > 64 for one in row):
                return _failed(400, "Bad Request: BUTTON_DATA_INVALID")
        made = {"text": text, "reply_markup": _json(args.get("reply_markup")), "entities": _json(args.get("entities"))}
        return _ok(self._add(args, made))

    def _on_senddocument(self, args: Mapping[str, Any]) -> web.Response:
        name, content = args["document"]
        handle = f"file-{len(self._files)}"
        self._files[handle] = content
        what = {"document": {"file_id": handle, "file_unique_id": handle, "file_name": name}}
        return _ok(self._add(args, what | {"caption": args.get("caption")}))

    def _on_editmessagetext(self, args: Mapping[str, Any]) -> web.Response:
        found = self._message(args)
        if found is None:
            return _failed(400, "Bad Request: message to edit not found")
        text, markup = str(args["text"]), _json(args.get("reply_markup"))
        if _units(text) > MOST_CHARS:
            return _failed(400, "Bad Request: MESSAGE_TOO_LONG")
        if found.get("text") == text and found.get("reply_markup") == markup:
            return _failed(400, "Bad Request: message is not modified")
        found |= {"text": text, "reply_markup": markup, "entities": _json(args.get("entities"))}
        return _ok(_public(found))

    def _on_deletemessage(self, args: Mapping[str, Any]) -> web.Response:
        found = self._message(args)
        if found is None:
            return _failed(400, "Bad Request: message to delete not found")
        self._chats[str(args["chat_id"])].remove(found)
        return _ok(True)

    def _on_sendchataction(self, args: Mapping[str, Any]) -> web.Response:
        self.typing += 1
        return _ok(True)

    def _on_answercallbackquery(self, args: Mapping[str, Any]) -> web.Response:
        self.answers.append((str(args["callback_query_id"]), str(args.get("text") or "")))
        return _ok(True)

    def _on_getfile(self, args: Mapping[str, Any]) -> web.Response:
        handle = str(args["file_id"])
        if handle not in self._files:
            return _failed(400, "Bad Request: invalid file_id")
        return _ok({"file_id": handle, "file_unique_id": handle, "file_path": f"files/{handle}"})

    async def _file(self, request: web.Request) -> web.Response:
        content = self._files.get(request.match_info["path"].rpartition("/")[2])
        if content is None or request.match_info["token"] != TOKEN:
            return web.Response(status=404)
        return web.Response(body=content)

    def _message(self, args: Mapping[str, Any]) -> dict[str, Any] | None:
        every = self._chats.get(str(args["chat_id"]), [])
        return next((one for one in every if one["message_id"] == int(args["message_id"]) and one["from"] == BOT), None)

    def _add(self, args: Mapping[str, Any], what: dict[str, Any]) -> dict[str, Any]:
        chat = {"id": int(args["chat_id"]), "type": "group" if int(args["chat_id"]) < 0 else "private"}
        made = {"message_id": self._take_number(), "date": self._now(), "chat": chat, "from": BOT, **what}
        if args.get("message_thread_id"):
            made["message_thread_id"] = int(args["message_thread_id"])
        self._chats.setdefault(str(args["chat_id"]), []).append(made)
        return _public(made)

    # ----------------------------------------------------------------------------------------------------- as people

    def place(self, number: int, *, group: bool = False) -> Place:
        """See `wire.Wire`."""
        return Place(str(-1_000 - number), kind="group") if group else Place(str(5_000 + number))

    def person(self, number: int) -> Sender:
        """See `wire.Wire`; in a private chat the chat has the number of the person."""
        return Sender(str(5_000 + number), f"Person {number}")

    async def say(
        self,
        place: Place,
        sender: Sender,
        text: str,
        *,
        mentions: bool = False,
        reply_to: str = "",
        forwarded: bool = False,
        files: Sequence[tuple[str, bytes, AttachmentKind]] = (),
        more: Mapping[str, Any] | None = None,
    ) -> str:
        """See `wire.Wire`; `more` stands in the message beside all that."""
        message = self._said(place, sender, f"@{BOT['username']} {text}" if mentions else text, mentions=mentions)
        if reply_to:
            every = self._chats.get(place.id, [])
            found = next((one for one in every if str(one["message_id"]) == reply_to), None)
            message["reply_to_message"] = _public(found) if found else None
        if forwarded:
            hidden = {"type": "hidden_user", "sender_user_name": "Somebody", "date": self._now()}
            message["forward_origin"] = hidden
        for name, content, kind in files:
            handle = f"file-{len(self._files)}"
            self._files[handle] = content
            about = {"file_id": handle, "file_unique_id": handle, "file_size": len(content)}
            match kind:
                case "picture":
                    message["photo"] = [about | {"width": 1, "height": 1}]
                case "voice":
                    message["voice"] = about | {"duration": 1, "mime_type": "audio/ogg"}
                case _:
                    message["document"] = about | {"file_name": name}
            message["caption"] = message.pop("text", message.get("caption"))
        message |= more or {}
        self._chats.setdefault(place.id, []).append(message)
        self._updates.tell({"message": dict(message)})
        return str(message["message_id"])

    async def nonsense(self, place: Place, sender: Sender, text: str) -> bool:
        """See `wire.Wire`."""
        message = self._said(place, sender, text, mentions=False)
        self._updates.tell({"message": message | {"chat": text, "poll": {"question": text}}})
        return True

    async def edit(self, place: Place, sender: Sender, message_id: str, text: str) -> bool:
        """See `wire.Wire`."""
        found = next(one for one in self._chats[place.id] if str(one["message_id"]) == message_id)
        found["text"], found["edit_date"] = text, self._now() + 1
        self._updates.tell({"edited_message": dict(found)})
        return True

    async def delete(self, place: Place, sender: Sender, message_id: str) -> bool:
        """The Bot API tells bots of no deletions."""
        return False

    async def press(self, place: Place, sender: Sender, ref: str, token: str) -> bool:
        """See `wire.Wire`."""
        found = next((one for one in self._chats.get(place.id, []) if str(one["message_id"]) == ref), None)
        message = _public(found) if found else {"message_id": 0, "date": 0, "chat": _chat(place)}
        query = {"id": f"q{self._take_number()}", "from": _user(sender), "chat_instance": "1", "data": token}
        self._updates.tell({"callback_query": query | {"message": message}})
        return True

    def seen(self, place: Place) -> Sequence[Seen]:
        """See `wire.Wire`."""
        own = (one for one in self._chats.get(place.id, []) if one["from"] == BOT)
        return [self._seen(one) for one in own if place.topic in ("", str(one.get("message_thread_id", "")))]

    def _seen(self, one: Mapping[str, Any]) -> Seen:
        rows = (one.get("reply_markup") or {}).get("inline_keyboard", [])
        buttons = {button["text"]: button["callback_data"] for row in rows for button in row}
        file = self._files[one["document"]["file_id"]] if "document" in one else None
        text = str(one.get("text") or one.get("caption") or "")
        return Seen(str(one["message_id"]), text, buttons, file, telegram_blocks(text, one.get("entities") or []))

    def _said(self, place: Place, sender: Sender, text: str, *, mentions: bool) -> dict[str, Any]:
        message = {"message_id": self._take_number(), "date": self._now(), "chat": _chat(place), "from": _user(sender)}
        message["text"] = text
        if place.topic:
            message |= {"message_thread_id": int(place.topic), "is_topic_message": True}
        if mentions:
            message["entities"] = [{"type": "mention", "offset": 0, "length": len(str(BOT["username"])) + 1}]
        return message

    # --------------------------------------------------------------------------------------------------- as the network

    async def repeat(self) -> None:
        """Telegram gives what was told before under the same numbers; here under new ones, which is worse."""
        again, self._updates.told = self._updates.told, []
        for one in again:
            self._updates.tell({key: value for key, value in one.items() if key != "update_id"})

    def away(self, gone: bool) -> None:
        """See `wire.Wire`."""
        self._network.gone = gone
        self._updates.news.set()

    def refuse(self, sends: int, retry_after_s: float) -> None:
        """See `wire.Wire`."""
        self._network.refuse(sends, retry_after_s)

    def lose(self, answers: int) -> None:
        """See `wire.Wire`."""
        self._network.lose(answers)

    def occupy(self, taken: bool, how: str = OTHER) -> None:
        """See `wire.ExclusiveWire`; and what whoever asks is told."""
        self._updates.taken = how if taken else ""
        self._updates.news.set()

    def _take_number(self) -> int:
        return next(self._numbers)

    def _now(self) -> int:
        return round(self._clock.now())


class _Updates:
    """What waits to be told, and what was told."""

    def __init__(self) -> None:
        self.waiting: list[dict[str, Any]] = []
        self.told: list[dict[str, Any]] = []
        self.news = asyncio.Event()
        self.asked, self.taken = False, ""  # whether somebody asks; what he is told where another program does
        self._next = 1_000

    def tell(self, update: dict[str, Any]) -> None:
        """Something happened."""
        self.waiting.append({"update_id": self._next, **update})
        self._next += 1
        self.news.set()

    def acknowledge(self, offset: int) -> None:
        """All below a number was taken."""
        self.told += [one for one in self.waiting if one["update_id"] < offset]
        del self.told[:-1_000]
        self.waiting = [one for one in self.waiting if one["update_id"] >= offset]


def _public(message: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if value is not None and key != "reply_to_message"}


def _chat(place: Place) -> dict[str, Any]:
    kind = "group" if int(place.id) < 0 else "private"
    return {"id": int(place.id), "type": kind, "title" if kind == "group" else "first_name": f"Chat {place.id}"}


def _user(sender: Sender) -> dict[str, Any]:
    return {"id": int(sender.id), "is_bot": False, "first_name": sender.name}


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _json(value: Any) -> Any:  # noqa: ANN401 - whatever the wire brings
    return json.loads(value) if isinstance(value, str) and value else value


def _ok(result: Any) -> web.Response:  # noqa: ANN401 - whatever the Bot API answers
    return web.json_response({"ok": True, "result": result})


def _failed(status: int, said: str, more: Mapping[str, Any] | None = None) -> web.Response:
    answer = {"ok": False, "error_code": status, "description": said}
    return web.json_response(answer | ({"parameters": dict(more)} if more else {}), status=status)


async def _arguments(request: web.Request) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    if request.content_type == "multipart/form-data":
        data = await request.post()
        for name, value in data.items():
            found[name] = (value.filename, value.file.read()) if isinstance(value, web.FileField) else value
        return found
    if request.content_type == "application/json":
        return dict(await request.json())
    return dict(await request.post()) | dict(request.query)
