"""A fake of a Matrix homeserver, as far as an account that talks needs one: the client-server API over HTTP, by its own
rules. A transaction is one event however often it is sent; a sync tells the last events of a room and where the others
are; files want the account's token; too fast is 429.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from aiohttp import web

from sulla.channels.base import AttachmentKind, Channel, Place, Sender
from sulla.channels.kinds import Wanted
from sulla.channels.matrix.settings import MatrixOptions
from sulla.core.clock import Clock
from sulla.testing.channels.blocks import page_blocks
from sulla.testing.channels.matrix_rooms import BOT, NAME, Rooms
from sulla.testing.channels.network import Network
from sulla.testing.channels.wire import Seen

TOKEN: Final = "syt_c3VsbGE_fake-token-of-an-account_that-nobody-has"
MOST_EVENT_BYTES: Final = 65_536
MOST_FILE_BYTES: Final = 50_000_000
BUTTONS: Final = "sulla.buttons"
_CLIENT: Final = "/_matrix/client/v3"
_ROOM: Final = _CLIENT + "/rooms/{room}"
_KINDS: Final[Mapping[AttachmentKind, str]] = {"picture": "m.image", "voice": "m.audio", "file": "m.file"}
_MARK: Final = re.compile(r"<[^>]*>")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class MatrixWire:
    """Keeps `wire.Wire` for Matrix.

    Args:
        clock: all time.
        poll_s: how long the channel lets a sync wait, in seconds.
    """

    secret = TOKEN

    def __init__(self, clock: Clock, *, poll_s: int = 1) -> None:
        self._clock = clock
        self._poll_s = poll_s
        self._files: dict[str, bytes] = {}
        self._network = Network(clock)
        self._runner: web.AppRunner | None = None
        self._port = 0
        self.rooms = Rooms(clock)
        self.typing = 0
        self.invites: tuple[str, ...] = ()
        """What the channel's option of that name says."""
        self.reasons: dict[str, str] = {}
        """Why the account left rooms."""

    @property
    def fastest_s(self) -> float:
        """See `wire.Wire`."""
        return self._network.fastest_s

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._port}"

    # ------------------------------------------------------------------------------------------------------ the wire

    async def start(self) -> None:
        """See `wire.Wire`."""
        app = web.Application(client_max_size=60_000_000)
        routes: Sequence[tuple[str, str, Handler]] = (
            ("GET", f"{_CLIENT}/account/whoami", self._whoami),
            ("GET", f"{_CLIENT}/profile/{{user}}/displayname", self._name),
            ("GET", f"{_CLIENT}/sync", self._sync),
            ("GET", f"{_ROOM}/messages", self._messages),
            ("GET", f"{_ROOM}/event/{{event}}", self._event),
            ("GET", f"{_ROOM}/state/{{type}}", self._state),
            ("GET", f"{_ROOM}/joined_members", self._members),
            ("PUT", f"{_ROOM}/send/{{type}}/{{txn}}", self._send),
            ("PUT", f"{_ROOM}/redact/{{event}}/{{txn}}", self._redact),
            ("PUT", f"{_ROOM}/typing/{{user}}", self._typing),
            ("POST", f"{_ROOM}/{{deed:join|leave}}", self._move),
            ("GET", "/_matrix/client/v1/media/config", self._config),
            ("GET", "/_matrix/client/v1/media/download/{server}/{file}", self._file),
            ("POST", "/_matrix/media/v3/upload", self._upload),
        )
        for method, path, handler in routes:
            app.router.add_route(method, path, self._guarded(handler))
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """See `wire.Wire`."""
        self.rooms.news.set()
        if self._runner is not None:
            await self._runner.cleanup()

    def channel(self, *, secret: str | None = None) -> Channel:
        """See `wire.Wire`."""
        from sulla.channels.matrix.channel import make

        options = MatrixOptions(homeserver=self.address, poll_s=self._poll_s, invites=self.invites)
        return make(Wanted("mx", options, {"token": secret or TOKEN}, self._clock))

    def _guarded(self, handler: Handler) -> Handler:
        async def guarded(request: web.Request) -> web.StreamResponse:
            if self._network.gone:
                return _cut_off(request)
            if request.headers.get("Authorization") != f"Bearer {TOKEN}":
                return _failed(401, "M_UNKNOWN_TOKEN", "Unrecognised access token")
            if "room" in request.match_info and request.match_info["room"] not in self.rooms.rooms:
                return _failed(403, "M_FORBIDDEN", "you are not in the room")
            return await handler(request)

        return guarded

    async def _whoami(self, request: web.Request) -> web.StreamResponse:
        return web.json_response({"user_id": BOT, "device_id": "D1", "is_guest": False})

    async def _name(self, request: web.Request) -> web.StreamResponse:
        return web.json_response({"displayname": NAME})

    async def _config(self, request: web.Request) -> web.StreamResponse:
        return web.json_response({"m.upload.size": MOST_FILE_BYTES})

    async def _sync(self, request: web.Request) -> web.StreamResponse:
        since = int(request.query.get("since", "s0")[1:])
        limit = json.loads(request.query["filter"])["room"]["timeline"]["limit"]
        await self.rooms.wait(since, int(request.query.get("timeout", "0")) / 1_000 if since else 0)
        if self._network.gone:
            return _cut_off(request)
        return web.json_response(self.rooms.sync(since, limit))

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        wanted = json.loads(request.query.get("filter", "{}"))

        def fits(event: dict[str, Any]) -> bool:
            return all(event[name] in wanted.get(f"{name}s", [event[name]]) for name in ("type", "sender"))

        return web.json_response(self.rooms.page(request.match_info["room"], request.query, fits))

    async def _event(self, request: web.Request) -> web.StreamResponse:
        found = self.rooms.find(request.match_info["room"], request.match_info["event"])
        return web.json_response(found) if found else _failed(404, "M_NOT_FOUND", "Event not found.")

    async def _state(self, request: web.Request) -> web.StreamResponse:
        kind = request.match_info["type"]
        every = [one for _, one in self.rooms.rooms[request.match_info["room"]].events if one["type"] == kind]
        return web.json_response(every[-1]["content"]) if every else _failed(404, "M_NOT_FOUND", "Event not found.")

    async def _members(self, request: web.Request) -> web.StreamResponse:
        members = self.rooms.rooms[request.match_info["room"]].members
        return web.json_response({"joined": {one: {} for one, how in members.items() if how == "join"}})

    async def _send(self, request: web.Request) -> web.StreamResponse:
        room_id, kind, content = request.match_info["room"], request.match_info["type"], await request.json()
        if kind == "m.room.message":
            if (rest_s := self._network.refuses()) is not None:
                return _failed(429, "M_LIMIT_EXCEEDED", "Too Many Requests", retry_after_ms=round(rest_s * 1_000))
            self._network.paced(room_id)
        if len(json.dumps(content, ensure_ascii=False).encode()) > MOST_EVENT_BYTES - 2_000:
            return _failed(413, "M_TOO_LARGE", "event too large")
        if self.rooms.rooms[room_id].members.get(BOT) != "join":
            return _failed(403, "M_FORBIDDEN", "you are not in the room")
        once = room_id, kind, request.match_info["txn"]
        if once not in self.rooms.sent:
            self.rooms.sent[once] = self.rooms.add(room_id, kind, BOT, content)
        if kind == "m.room.message" and self._network.loses():
            return await _broken_off(request)
        return web.json_response({"event_id": self.rooms.sent[once]})

    async def _redact(self, request: web.Request) -> web.StreamResponse:
        room_id, event_id = request.match_info["room"], request.match_info["event"]
        if self.rooms.find(room_id, event_id) is None:
            return _failed(404, "M_NOT_FOUND", "Event not found.")
        return web.json_response({"event_id": self.rooms.redact(room_id, event_id, BOT)})

    async def _typing(self, request: web.Request) -> web.StreamResponse:
        self.typing += 1
        return web.json_response({})

    async def _move(self, request: web.Request) -> web.StreamResponse:
        room_id, deed, said = request.match_info["room"], request.match_info["deed"], await request.json()
        self.reasons[room_id] = str(said.get("reason") or "")
        self.rooms.member(room_id, BOT, deed)
        return web.json_response({"room_id": room_id})

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        return web.json_response({"content_uri": self._keep(await request.read())})

    async def _file(self, request: web.Request) -> web.StreamResponse:
        content = self._files.get(f"mxc://{request.match_info['server']}/{request.match_info['file']}")
        return web.Response(body=content) if content is not None else _failed(404, "M_NOT_FOUND", "Not found")

    def _keep(self, content: bytes) -> str:
        address = f"mxc://example.org/file{len(self._files)}"
        self._files[address] = content
        return address

    # ----------------------------------------------------------------------------------------------------- as people

    def place(self, number: int, *, group: bool = False) -> Place:
        """See `wire.Wire`; in a private room is the person of its number."""
        if group:
            room_id = f"!group{number}:example.org"
            others = [self.person(one).id for one in range(4)]
        else:
            room_id, others = f"!room{number}:example.org", [self.person(number).id]
        self.rooms.have(room_id, dict.fromkeys((BOT, *others), "join"))
        return Place(room_id, kind="group" if group else "private")

    def person(self, number: int) -> Sender:
        """See `wire.Wire`."""
        return Sender(f"@person{number}:example.org", f"Person {number}")

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
        """See `wire.Wire`. Matrix knows no forwarded words but those that are cited."""
        text = "\n".join(f"> {line}" for line in text.split("\n")) if forwarded else text
        content: dict[str, Any] = {"msgtype": "m.text", "body": f"{NAME}: {text}" if mentions else text}
        content["m.mentions"] = {"user_ids": [BOT]} if mentions else {}
        relates: dict[str, Any] = {}
        if place.topic:
            relates = {"rel_type": "m.thread", "event_id": place.topic, "is_falling_back": not reply_to}
        if reply_to:
            relates["m.in_reply_to"] = {"event_id": reply_to}
        if relates:
            content["m.relates_to"] = relates
        said = ""
        for number, (name, body, kind) in enumerate(files):
            about = {"msgtype": _KINDS[kind], "filename": name, "url": self._keep(body), "info": {"size": len(body)}}
            voice: dict[str, Any] = {"org.matrix.msc3245.voice": {}} if kind == "voice" else {}
            said = self.rooms.add(
                place.id,
                "m.room.message",
                sender.id,
                {**content, **about, **voice, "body": name if number else content["body"]},
            )
        return said or self.rooms.add(place.id, "m.room.message", sender.id, content)

    async def nonsense(self, place: Place, sender: Sender, text: str) -> bool:
        """See `wire.Wire`."""
        self.rooms.add(place.id, "m.room.message", sender.id, {"msgtype": [text], "body": {"m.text": text}})
        return False

    async def edit(self, place: Place, sender: Sender, message_id: str, text: str) -> bool:
        """See `wire.Wire`."""
        new = {"msgtype": "m.text", "body": text, "m.mentions": {}}
        relates = {"rel_type": "m.replace", "event_id": message_id}
        changed = {**new, "body": f"* {text}", "m.new_content": new, "m.relates_to": relates}
        self.rooms.add(place.id, "m.room.message", sender.id, changed)
        return True

    async def delete(self, place: Place, sender: Sender, message_id: str) -> bool:
        """See `wire.Wire`."""
        self.rooms.redact(place.id, message_id, sender.id)
        return True

    async def press(self, place: Place, sender: Sender, ref: str, token: str) -> bool:
        """See `wire.Wire`; a forger reacts with whatever he likes."""
        every = (self.rooms.find(room_id, ref) for room_id in self.rooms.rooms)
        asked: Mapping[str, Any] = next((one for one in every if one is not None), {"content": {}})
        signs = [sign for sign, one in asked["content"].get(BUTTONS, {}).items() if one["token"] == token]
        relates = {"rel_type": "m.annotation", "event_id": ref, "key": signs[0] if signs else token}
        self.rooms.add(place.id, "m.reaction", sender.id, {"m.relates_to": relates})
        return True

    def seen(self, place: Place) -> Sequence[Seen]:
        """See `wire.Wire`."""
        room = self.rooms.rooms.get(place.id)
        events = [one for _, one in room.events if one["type"] == "m.room.message"] if room is not None else []
        own = {one["event_id"]: one["content"] for one in events if one["sender"] == BOT and one["content"]}
        shown: dict[str, Mapping[str, Any]] = {}
        for event_id, content in own.items():
            relates = content.get("m.relates_to", {})
            if relates.get("rel_type") != "m.replace":
                shown[event_id] = content
            elif relates["event_id"] in shown:
                shown[relates["event_id"]] = content["m.new_content"]
        return [self._seen(event_id, content) for event_id, content in shown.items()]

    def _seen(self, event_id: str, content: Mapping[str, Any]) -> Seen:
        rich = content.get("formatted_body")
        text = html.unescape(_MARK.sub("", rich)).strip("\n") if rich else content["body"]
        buttons = {one["label"]: one["token"] for one in content.get(BUTTONS, {}).values()}
        file = self._files.get(content.get("url", ""))
        return Seen(event_id, text, buttons, file, page_blocks(rich or ""))

    # --------------------------------------------------------------------------------------------------- as the network

    async def repeat(self) -> None:
        """Syncs tell again what they have told, as where a homeserver lost how far somebody was."""
        for room_id, room in self.rooms.rooms.items():
            for at, event in list(room.events):
                if at <= self.rooms.told and event["sender"] != BOT:
                    self.rooms.put(room_id, event)

    def away(self, gone: bool) -> None:
        """See `wire.Wire`."""
        self._network.gone = gone
        self.rooms.news.set()

    def refuse(self, sends: int, retry_after_s: float) -> None:
        """See `wire.Wire`."""
        self._network.refuse(sends, retry_after_s)

    def lose(self, answers: int) -> None:
        """See `wire.Wire`."""
        self._network.lose(answers)


def _failed(status: int, code: str, said: str, **more: int) -> web.Response:
    return web.json_response({"errcode": code, "error": said, **more}, status=status)


def _cut_off(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def _broken_off(request: web.Request) -> web.StreamResponse:
    """An answer that begins, and does not end. (One that does not begin is asked for again by the library.)"""
    answer = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "100"})
    await answer.prepare(request)
    await answer.write(b"{")
    assert request.transport is not None
    request.transport.close()
    return answer
