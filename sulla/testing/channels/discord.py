"""A fake of Discord over HTTP and WebSocket, which is kept by its own rules: ids that hold the time, nonces that make
two sends one for some minutes, histories, sessions of the gateway that can be gone on with, 429 with `retry_after`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from aiohttp import web

from sulla.channels.base import AttachmentKind, Channel, Place, Sender
from sulla.channels.discord.settings import DiscordOptions
from sulla.channels.kinds import Wanted
from sulla.core.clock import Clock
from sulla.host.system import SystemClock
from sulla.testing.channels.blocks import discord_blocks
from sulla.testing.channels.discord_forms import (
    DM,
    TEXT,
    THREAD,
    answered,
    cut,
    failed,
    message_of,
    press_of,
    public,
    rung_by,
    sent,
    server_of,
    user_of,
    wrong_with,
)
from sulla.testing.channels.discord_gateway import FakeGateway
from sulla.testing.channels.network import Crowded, Network
from sulla.testing.channels.wire import Seen

TOKEN: Final = "MTIzNDU2Nzg5.GfakeA.token-of-a-bot-that-nobody-has-000000"
BOT: Final = {"id": "123456789", "username": "sulla", "discriminator": "0000", "avatar": None, "bot": True}
GUILD: Final = "900"
NONCE_S: Final = 300.0
"""So long a nonce is known."""
PATIENCE_S: Final = 20.0
EPOCH_MS: Final = 1_420_070_400_000
_VOICE: Final = 1 << 13
_MIMES: Final[Mapping[AttachmentKind, str]] = {"picture": "image/png", "voice": "audio/ogg", "file": "text/plain"}

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class DiscordWire(Crowded):
    """Keeps `wire.Wire` for Discord.

    Args:
        clock: all time.
        content: whether the bot wants to read all that is said.
    """

    secret = TOKEN

    def __init__(self, clock: Clock, *, content: bool = False) -> None:
        self._clock = clock
        self._content = content
        self._chats: dict[str, dict[str, Any]] = {}
        """Every chat, with its messages."""
        self._files: dict[str, bytes] = {}
        self._nonces: dict[tuple[str, str], tuple[float, dict[str, Any]]] = {}
        self._network = Network(clock)
        self._runner: web.AppRunner | None = None
        self._last_id = 0
        self.gateway = FakeGateway(TOKEN, BOT, self._guild)
        self.gateway.allows_content = content
        self.typing = 0
        self.answers: list[str] = []
        """What was said to presses."""
        self.rung: list[str] = []
        """Whom messages of the bot rang up."""

    @property
    def fastest_s(self) -> float:
        """See `wire.Wire`."""
        return self._network.fastest_s

    @property
    def api(self) -> str:
        """Where the HTTP interface is."""
        return f"{self._base}/api/v10"

    @property
    def _base(self) -> str:
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}" if self._runner is not None else ""

    # ------------------------------------------------------------------------------------------------------ the wire

    async def start(self) -> None:
        """See `wire.Wire`."""

        @web.middleware
        async def gate(request: web.Request, handler: Handler) -> web.StreamResponse:
            return await self._gate(request, handler)

        app = web.Application(client_max_size=60_000_000, middlewares=[gate])
        api, messages = "/api/v10", "/api/v10/channels/{chat}/messages"
        app.router.add_get(f"{api}/users/@me", self._me)
        app.router.add_get(f"{api}/oauth2/applications/@me", self._application)
        app.router.add_get(f"{api}/gateway/bot", self._where)
        app.router.add_get(f"{api}/channels/{{chat}}", self._chat_of)
        app.router.add_get(messages, self._history)
        app.router.add_post(messages, self._post)
        app.router.add_patch(f"{messages}/{{id}}", self._patch)
        app.router.add_delete(f"{messages}/{{id}}", self._remove)
        app.router.add_post(f"{api}/channels/{{chat}}/typing", self._types)
        app.router.add_post(f"{api}/interactions/{{id}}/{{token}}/callback", self._answered)
        app.router.add_get("/attachments/{id}", self._file)
        app.router.add_get("/gateway/", self.gateway.serve)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.gateway.url = f"ws{self._base.removeprefix('http')}/gateway/"

    async def stop(self) -> None:
        """See `wire.Wire`."""
        self.gateway.cut()
        if self._runner is not None:
            await self._runner.cleanup()

    def channel(self, *, secret: str | None = None) -> Channel:
        """See `wire.Wire`."""
        from sulla.channels.discord.channel import make

        options = DiscordOptions(api=self.api, message_content=self._content)
        return make(Wanted("dc", options, {"token": secret or TOKEN}, self._clock))

    async def _gate(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if self._network.gone:
            return cut(request)
        if request.path.startswith("/api/") and "/interactions/" not in request.path:
            if request.headers.get("Authorization") != f"Bot {TOKEN}":
                return failed(401, 0, "401: Unauthorized")
            if request.path.endswith("/messages") or "/messages/" in request.path:
                return await self._limited(request, handler)
        return await handler(request)

    async def _limited(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.match_info["chat"] not in self._chats:
            return failed(404, 10003, "Unknown Channel")
        if request.method in ("POST", "PATCH"):
            if (rest_s := self._network.refuses(request.match_info["chat"])) is not None:
                more = {"Retry_After": str(round(rest_s)), "X_RateLimit_Scope": self._network.scope}
                return answered({"message": "You are being rate limited.", "retry_after": rest_s}, 429, **more)
            self._network.paced(request.match_info["chat"])
        answer = await handler(request)
        if request.method == "POST" and answer.status < 300 and self._network.loses():
            return cut(request)
        return answer

    async def _me(self, _: web.Request) -> web.Response:
        return answered(BOT)

    async def _application(self, _: web.Request) -> web.Response:
        about = {"id": BOT["id"], "name": "sulla", "description": "", "icon": None, "flags": 0, "owner": BOT}
        return answered(
            about | {"bot_public": False, "bot_require_code_grant": False, "verify_key": "0" * 64, "team": None}
        )

    async def _where(self, _: web.Request) -> web.Response:
        limit = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}
        return answered({"url": self.gateway.url, "shards": 1, "session_start_limit": limit})

    async def _chat_of(self, request: web.Request) -> web.Response:
        chat = self._chats.get(request.match_info["chat"])
        return answered(public(chat)) if chat else failed(404, 10003, "Unknown Channel")

    async def _history(self, request: web.Request) -> web.Response:
        after, limit = int(request.query.get("after", 0)), int(request.query.get("limit", 50))
        every = [one for one in self._messages(request) if int(one["id"]) > after][:limit]
        return answered([{k: v for k, v in one.items() if k != "guild_id"} for one in reversed(every)])

    async def _post(self, request: web.Request) -> web.Response:
        said, files = await sent(request)
        if wrong := wrong_with(said, files):
            return failed(400, 50035, wrong)
        chat = self._chats[request.match_info["chat"]]
        known = (chat["id"], str(said.get("nonce")))
        if said.get("enforce_nonce") and known in self._nonces:
            at_s, first = self._nonces[known]
            if self._clock.elapsed() - at_s < NONCE_S:
                return answered(first)
        message = self._made(chat, BOT, str(said.get("content") or ""))
        message["components"] = said.get("components") or []
        message["attachments"] = [self._attached(name, content, "file") for name, content in files]
        chat["messages"].append(message)
        self.rung += rung_by(said)
        if said.get("enforce_nonce"):
            self._nonces[known] = (self._clock.elapsed(), message)
        self.gateway.tell("MESSAGE_CREATE", dict(message) | {"nonce": said.get("nonce")})
        return answered(message)

    async def _patch(self, request: web.Request) -> web.Response:
        said, _ = await sent(request)
        found = self._own(request)
        if found is None:
            return failed(404, 10008, "Unknown Message")
        if wrong := wrong_with(said, ()):
            return failed(400, 50035, wrong)
        found |= {name: said[name] for name in ("content", "components") if name in said}
        found["edited_timestamp"] = self._now()
        self.rung += rung_by(said)
        self.gateway.tell("MESSAGE_UPDATE", dict(found))
        return answered(found)

    async def _remove(self, request: web.Request) -> web.Response:
        found = self._own(request)
        if found is None:
            return failed(404, 10008, "Unknown Message")
        self._messages(request).remove(found)
        self._gone(found)
        return web.Response(status=204)

    async def _types(self, _: web.Request) -> web.Response:
        self.typing += 1
        return web.Response(status=204)

    async def _answered(self, request: web.Request) -> web.Response:
        said = await request.json()
        self.answers.append(str(said["data"]["content"]))
        return web.Response(status=204)

    async def _file(self, request: web.Request) -> web.Response:
        content = self._files.get(request.match_info["id"])
        return web.Response(body=content) if content is not None else web.Response(status=404)

    def _messages(self, request: web.Request) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._chats[request.match_info["chat"]]["messages"]
        return found

    def _own(self, request: web.Request) -> dict[str, Any] | None:
        wanted = request.match_info["id"]
        every = self._messages(request)
        return next((one for one in every if one["id"] == wanted and one["author"] == BOT), None)

    # ----------------------------------------------------------------------------------------------------- as people

    def place(self, number: int, *, group: bool = False) -> Place:
        """See `wire.Wire`."""
        id_ = str((70_000 if group else 60_000) + number)
        about = {"type": TEXT, "guild_id": GUILD, "name": "room", "position": 0, "permission_overwrites": []}
        people = {"type": DM, "recipients": [user_of(self.person(number))]}
        self._chats.setdefault(id_, {"id": id_, "messages": [], **(about if group else people)})
        return Place(id_, kind="group" if group else "private")

    def thread(self, number: int) -> Place:
        """A thread of a group.

        Args:
            number: as of `place`; the same for the thread.
        """
        parent, id_ = self.place(number, group=True).id, str(80_000 + number)
        about = {"type": THREAD, "guild_id": GUILD, "name": "thread", "parent_id": parent}
        self._chats.setdefault(id_, {"id": id_, "messages": [], **about})
        return Place(parent, id_, "group")

    def person(self, number: int) -> Sender:
        """See `wire.Wire`."""
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
    ) -> str:
        """See `wire.Wire`. Of what came before it was there Discord tells a bot nothing: they wait for it."""
        async with SystemClock().timeout(PATIENCE_S):
            await self.gateway.begun.wait()
        chat = self._chats[place.topic or place.id]
        said = "" if forwarded else f"<@{BOT['id']}> {text}" if mentions else text
        message = self._made(chat, user_of(sender), said)
        message["mentions"] = [BOT] if mentions else []
        if reply_to:
            message["type"] = 19
            message["message_reference"] = {"type": 0, "message_id": reply_to, "channel_id": chat["id"]}
            found = next((one for one in chat["messages"] if one["id"] == reply_to), None)
            message["referenced_message"] = dict(found) if found else None
        if forwarded:
            message["message_reference"] = {"type": 1, "message_id": "1", "channel_id": "1"}
            passed = {
                name: message[name] for name in ("type", "embeds", "timestamp", "edited_timestamp", "attachments")
            }
            message["message_snapshots"] = [{"message": passed | {"content": text, "mentions": [], "flags": 0}}]
        for name, content, kind in files:
            message["attachments"].append(self._attached(name, content, kind))
        voices = [one for one in message["attachments"] if "waveform" in one]
        told = [message]
        if voices and len(voices) < len(message["attachments"]):  # a voice note stands alone
            message["attachments"] = [one for one in message["attachments"] if one not in voices]
            told.append(self._made(chat, user_of(sender), "") | {"attachments": voices})
        for one in told:
            one["flags"] = _VOICE if any("waveform" in file for file in one["attachments"]) else 0
            chat["messages"].append(one)
            self.gateway.tell("MESSAGE_CREATE", dict(one))
        return str(message["id"])

    async def nonsense(self, place: Place, sender: Sender, text: str) -> bool:
        """See `wire.Wire`; the history has it, too."""
        chat = self._chats[place.topic or place.id]
        chat["messages"].append(made := self._made(chat, user_of(sender), text) | {"message_snapshots": text})
        self.gateway.tell("MESSAGE_CREATE", dict(made))
        return True

    async def edit(self, place: Place, sender: Sender, message_id: str, text: str) -> bool:
        """See `wire.Wire`."""
        found = next(one for one in self._chats[place.topic or place.id]["messages"] if one["id"] == message_id)
        found |= {"content": text, "edited_timestamp": self._now()}
        self.gateway.tell("MESSAGE_UPDATE", dict(found))
        return True

    async def delete(self, place: Place, sender: Sender, message_id: str) -> bool:
        """See `wire.Wire`."""
        every = self._chats[place.topic or place.id]["messages"]
        found = next(one for one in every if one["id"] == message_id)
        every.remove(found)
        self._gone(found)
        return True

    async def press(self, place: Place, sender: Sender, ref: str, token: str) -> bool:
        """See `wire.Wire`."""
        chat = self._chats[place.topic or place.id]
        found = next((one for one in chat["messages"] if one["id"] == ref), None) or self._made(chat, BOT, "")
        interaction = press_of(self._take_id(), chat, user_of(sender), found, token)
        self.gateway.tell("INTERACTION_CREATE", interaction)
        return True

    def seen(self, place: Place) -> Sequence[Seen]:
        """See `wire.Wire`."""
        chat = self._chats.get(place.topic or place.id, {"messages": ()})
        return [self._seen(one) for one in chat["messages"] if one["author"] == BOT]

    def raw(self, place: Place) -> list[str]:
        """The daemon's messages there, as they were written."""
        return [str(one["content"]) for one in self._chats[place.topic or place.id]["messages"] if one["author"] == BOT]

    def _seen(self, one: Mapping[str, Any]) -> Seen:
        buttons = {button["label"]: button["custom_id"] for row in one["components"] for button in row["components"]}
        file = self._files[one["attachments"][0]["id"]] if one["attachments"] else None
        return Seen(str(one["id"]), str(one["content"]), buttons, file, discord_blocks(one["content"]))

    # --------------------------------------------------------------------------------------------------- as the network

    async def repeat(self) -> None:
        """See `wire.Wire`: under new numbers, which is worse than what Discord does."""
        self.gateway.repeat()

    def away(self, gone: bool) -> None:
        """See `wire.Wire`."""
        self._network.gone = self.gateway.gone = gone
        if gone:
            self.gateway.cut()

    def refuse(self, sends: int, retry_after_s: float) -> None:
        """See `wire.Wire`."""
        self._network.refuse(sends, retry_after_s)

    def lose(self, answers: int) -> None:
        """See `wire.Wire`."""
        self._network.lose(answers)

    # ------------------------------------------------------------------------------------------------------- private

    def _guild(self) -> dict[str, Any]:
        return server_of(GUILD, [one for one in self._chats.values() if one.get("guild_id")])

    def _made(self, chat: Mapping[str, Any], author: Mapping[str, Any], text: str) -> dict[str, Any]:
        return message_of(self._take_id(), chat, author, text, self._now())

    def _attached(self, name: str, content: bytes, kind: AttachmentKind) -> dict[str, Any]:
        id_ = self._take_id()
        self._files[id_] = content
        url = f"{self._base}/attachments/{id_}"
        about = {"id": id_, "filename": name, "size": len(content), "url": url, "proxy_url": url}
        return (
            about | {"content_type": _MIMES[kind]} | ({"waveform": "", "duration_secs": 1} if kind == "voice" else {})
        )

    def _gone(self, message: Mapping[str, Any]) -> None:
        where = {name: message[name] for name in ("channel_id", "guild_id") if name in message}
        self.gateway.tell("MESSAGE_DELETE", {"id": message["id"], **where})

    def _take_id(self) -> str:
        self._last_id = max(self._last_id + 1, (round(self._clock.now() * 1_000) - EPOCH_MS) << 22)
        return str(self._last_id)

    def _now(self) -> str:
        return datetime.fromtimestamp(self._clock.now() + self._last_id % 4096 / 1e6, UTC).isoformat()
