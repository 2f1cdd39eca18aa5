"""A fake of Slack: its Web API over HTTP and its socket mode over a WebSocket, by its own rules: what is not
acknowledged is told again on the next connection, and messages that nobody listened to are in the history alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from email.utils import formatdate
from itertools import count
from typing import Any, Final

from aiohttp import WSMsgType, web

from sulla.channels.base import AttachmentKind, Channel, Place, Sender
from sulla.channels.kinds import Wanted
from sulla.channels.slack.settings import SlackOptions
from sulla.core.clock import Clock
from sulla.testing.channels.network import Crowded, Network
from sulla.testing.channels.slack_events import Events, cut
from sulla.testing.channels.slack_files import Files
from sulla.testing.channels.slack_form import refusal, seen_blocks, seen_text
from sulla.testing.channels.wire import Seen

BOT_TOKEN: Final = "xoxb-1000000000-2000000000-fakeTokenOfNobody"
APP_TOKEN: Final = "xapp-1-A0FAKE-3000000000-fakeTokenOfNobody"
BOT: Final = "U0SULLA"
MOST_PAGE: Final = 200
_SENDS: Final = ("chat.postMessage", "chat.update", "files.completeUploadExternal")

Message = dict[str, Any]


class SlackWire(Crowded):
    """Keeps `wire.Wire` for Slack.

    Args:
        clock: all time.
    """

    secret = BOT_TOKEN
    typing = 0

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.events = Events()
        self.files = Files()
        self._channels: dict[str, list[Message]] = {}
        """Every message of each channel, by the time of its saying."""
        self._failures: dict[str, list[tuple[dict[str, Any], int]]] = {}
        self._numbers = count(1)
        self._network = Network(clock)
        self._runner: web.AppRunner | None = None
        self._port = 0
        self.asked: list[str] = []
        """The methods that were called, in order."""
        self.whispers: list[tuple[str, str]] = []
        """What was said to one person alone."""

    @property
    def fastest_s(self) -> float:
        """See `wire.Wire`."""
        return self._network.fastest_s

    @property
    def api(self) -> str:
        """Where its Web API is."""
        return f"http://127.0.0.1:{self._port}/api/"

    # ------------------------------------------------------------------------------------------------------ the wire

    async def start(self) -> None:
        """See `wire.Wire`."""
        app = web.Application(client_max_size=60_000_000)
        app.router.add_get("/link", self._link)
        app.router.add_get("/files/{id}", self.files.download)
        app.router.add_post("/upload/{id}", self.files.upload)
        app.router.add_route("*", "/api/{method}", self._method)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        self.files.begin(f"http://127.0.0.1:{self._port}", BOT_TOKEN)

    async def stop(self) -> None:
        """See `wire.Wire`."""
        self.events.abort()
        if self._runner is not None:
            await self._runner.cleanup()

    def channel(self, *, secret: str | None = None) -> Channel:
        """See `wire.Wire`."""
        from sulla.channels.slack.channel import make

        secrets = {"bot_token": secret or BOT_TOKEN, "app_token": APP_TOKEN}
        return make(Wanted("chat", SlackOptions(api=self.api), secrets, self._clock))

    async def _method(self, request: web.Request) -> web.StreamResponse:
        if self._network.gone:
            cut(request)
            return web.Response()
        name = request.match_info["method"]
        args = await _arguments(request)
        self.asked.append(name)
        token = APP_TOKEN if name == "apps.connections.open" else BOT_TOKEN
        if (args.pop("token", None) or request.headers.get("Authorization", "")[len("Bearer ") :]) != token:
            return self._failed("invalid_auth")
        handle = getattr(self, "_on_" + name.replace(".", "_").lower(), None)
        if handle is None:
            return self._failed("unknown_method")
        if self._failures.get(name):
            body, wait_s = self._failures[name].pop()
            return self._answer({"ok": False, **body}, 429 if wait_s else 200, {"Retry-After": str(wait_s)})
        if name in _SENDS:
            if (rest_s := self._network.refuses(str(args.get("channel")))) is not None:
                return self._answer(
                    {"ok": False, "error": "ratelimited"}, 429, {"Retry-After": f"{max(1, round(rest_s))}"}
                )
            self._network.paced(str(args.get("channel") or args.get("channel_id")))
        answer: web.Response = handle(args)
        if name in ("chat.postMessage", "files.completeUploadExternal") and self._network.loses():
            cut(request)
        return answer

    async def _link(self, request: web.Request) -> web.StreamResponse:
        if self._network.gone or request.query.get("ticket") != "fake":
            cut(request)
            return web.Response()
        async with self.events.connected(request) as socket:
            async for message in socket:
                if message.type == WSMsgType.TEXT:
                    self.events.acknowledged(str(json.loads(message.data)["envelope_id"]))
        return socket

    def _on_auth_test(self, args: Mapping[str, Any]) -> web.Response:
        return self._ok(
            {"url": "https://fake.slack.com/", "team": "Fake", "user": "sulla", "user_id": BOT, "bot_id": "B1"}
        )

    def _on_apps_connections_open(self, args: Mapping[str, Any]) -> web.Response:
        return self._ok({"url": f"ws://127.0.0.1:{self._port}/link?ticket=fake"})

    def _on_users_conversations(self, args: Mapping[str, Any]) -> web.Response:
        names, at = sorted(self._channels), int(args.get("cursor") or 0)
        size = min(int(args["limit"]), MOST_PAGE)
        more = {"response_metadata": {"next_cursor": str(at + size) if len(names) > at + size else ""}}
        return self._ok({"channels": [{"id": one, "is_im": one[0] == "D"} for one in names[at : at + size]]} | more)

    def _on_conversations_history(self, args: Mapping[str, Any]) -> web.Response:
        if args["channel"] not in self._channels:
            return self._failed("channel_not_found")
        every = [one for one in self._channels[args["channel"]] if one.get("thread_ts") in (None, one["ts"])]
        oldest, latest = float(args.get("oldest") or 0), str(args.get("cursor") or args.get("latest") or "9" * 10)
        found = [one for one in every if float(one["ts"]) > oldest and float(one["ts"]) < float(latest)][::-1]
        page = found[: min(int(args["limit"]), MOST_PAGE)]
        more = len(found) > len(page)
        answer = {"messages": self._told(page, args), "has_more": more}
        return self._ok(answer | {"response_metadata": {"next_cursor": page[-1]["ts"] if more else ""}})

    def _on_conversations_replies(self, args: Mapping[str, Any]) -> web.Response:
        every = [
            one for one in self._channels.get(args["channel"], []) if args["ts"] in (one["ts"], one.get("thread_ts"))
        ]
        if not every:
            return self._failed("thread_not_found")
        at, oldest = int(args.get("cursor") or 0), float(args.get("oldest") or 0)
        found = [one for one in every if float(one["ts"]) > oldest or one["ts"] == args["ts"]]
        size = min(int(args["limit"]), MOST_PAGE)
        more = len(found) > at + size
        answer = {"messages": self._told(found[at : at + size], args), "has_more": more}
        return self._ok(answer | {"response_metadata": {"next_cursor": str(at + size) if more else ""}})

    def _told(self, page: Sequence[Message], args: Mapping[str, Any]) -> list[Message]:
        hidden = () if args.get("include_all_metadata") in (True, "1", "true", 1) else ("metadata",)
        return [{key: value for key, value in one.items() if key not in hidden} for one in page]

    def _on_chat_postmessage(self, args: Mapping[str, Any]) -> web.Response:
        if why := refusal(args):
            return self._failed(why)
        return self._ok(
            self._add(args, {"text": args["text"], "blocks": args["blocks"], "metadata": args.get("metadata")})
        )

    def _on_chat_update(self, args: Mapping[str, Any]) -> web.Response:
        found = self._own(args)
        if found is None or (why := refusal(args)):
            return self._failed("message_not_found" if found is None else why)
        found["text"], found["blocks"] = args["text"], args["blocks"]
        return self._ok({"ts": found["ts"], "channel": args["channel"], "text": found["text"]})

    def _on_chat_delete(self, args: Mapping[str, Any]) -> web.Response:
        if (found := self._own(args)) is None:
            return self._failed("message_not_found")
        self._channels[args["channel"]].remove(found)
        return self._ok({"ts": found["ts"]})

    def _on_chat_postephemeral(self, args: Mapping[str, Any]) -> web.Response:
        self.whispers.append((str(args["user"]), str(args["text"])))
        return self._ok({"message_ts": self._moment()})

    def _on_files_getuploadurlexternal(self, args: Mapping[str, Any]) -> web.Response:
        if int(args["length"]) <= 0:
            return self._failed("invalid_arguments")
        about = self.files.keep(str(args["filename"]), b"", "file")
        return self._ok({"file_id": about["id"], "upload_url": about["url_private"].replace("/files/", "/upload/")})

    def _on_files_completeuploadexternal(self, args: Mapping[str, Any]) -> web.Response:
        files = [self.files.found(one["id"]) for one in json.loads(args["files"])]
        said = args.get("initial_comment")
        blocks = None if said else args["blocks"]
        if not said and refusal({"text": "file", "blocks": blocks}):
            return self._failed("invalid_blocks")
        self._add({**args, "channel": args["channel_id"]}, {"text": said or "", "blocks": blocks, "files": files})
        return self._ok({"files": [{"id": one["id"], "title": one["name"]} for one in files]})

    def _on_files_info(self, args: Mapping[str, Any]) -> web.Response:
        found = self.files.found(str(args["file"]))
        return self._ok({"file": found}) if found else self._failed("file_not_found")

    def _on_files_delete(self, args: Mapping[str, Any]) -> web.Response:
        if not self.files.forget(str(args["file"])):
            return self._failed("file_deleted")
        for every in self._channels.values():
            every[:] = [one for one in every if args["file"] not in [file["id"] for file in one.get("files", [])]]
        return self._ok({})

    def _own(self, args: Mapping[str, Any]) -> Message | None:
        every = self._channels.get(str(args["channel"]), [])
        return next((one for one in every if one["ts"] == args["ts"] and one["user"] == BOT), None)

    def _add(self, args: Mapping[str, Any], what: Message) -> Message:
        made = {
            "type": "message",
            "ts": self._moment(),
            "user": BOT,
            "bot_id": "B1",
            "thread_ts": args.get("thread_ts"),
            **what,
        }
        made = {key: value for key, value in made.items() if value is not None}
        self._keep_message(str(args["channel"]), made)
        return {"ts": made["ts"], "channel": args["channel"], "message": made}

    def _keep_message(self, channel: str, made: Message) -> None:
        every = self._channels.setdefault(channel, [])
        every.append(made)
        for one in every if made.get("thread_ts") else ():
            if one["ts"] == made["thread_ts"] and one is not made:
                one |= {
                    "thread_ts": one["ts"],
                    "latest_reply": made["ts"],
                    "reply_count": one.get("reply_count", 0) + 1,
                }
                made["parent_user_id"] = one["user"]

    def _ok(self, answer: Mapping[str, Any]) -> web.Response:
        return self._answer({"ok": True, **answer})

    def _failed(self, word: str) -> web.Response:
        return self._answer({"ok": False, "error": word})

    def _answer(
        self, body: Mapping[str, Any], status: int = 200, more: Mapping[str, str] | None = None
    ) -> web.Response:
        headers = {"Date": formatdate(self._clock.now(), usegmt=True), **(more or {})}
        return web.json_response(dict(body), status=status, headers=headers)

    # ----------------------------------------------------------------------------------------------------- as people

    def place(self, number: int, *, group: bool = False) -> Place:
        """See `wire.Wire`."""
        return Place(f"C{1_000 + number}", kind="group") if group else Place(f"D{1_000 + number}")

    def person(self, number: int) -> Sender:
        """See `wire.Wire`."""
        return Sender(f"U{1_000 + number}", f"U{1_000 + number}")

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
        """See `wire.Wire`."""
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        made: Message = {"type": "message", "ts": self._moment(), "user": sender.id, "text": text}
        if mentions:
            made["text"] = f"<@{BOT}> {text}"
        if reply_to or place.topic:
            made["thread_ts"] = reply_to or place.topic
        if forwarded:
            made |= {"text": "", "attachments": [{"is_share": True, "text": text, "author_name": "Somebody"}]}
        if files:
            made |= {"subtype": "file_share", "files": [self.files.keep(*one) for one in files]}
        self._keep_message(place.id, made)
        await self._tell(place, made | {"event_ts": made["ts"]}, missable=True)
        return str(made["ts"])

    async def nonsense(self, place: Place, sender: Sender, text: str) -> bool:
        """See `wire.Wire`."""
        await self.command(place, Sender(sender.id, text), "<!| >")
        return True

    async def edit(self, place: Place, sender: Sender, message_id: str, text: str) -> bool:
        """See `wire.Wire`."""
        found = next(one for one in self._channels[place.id] if one["ts"] == message_id)
        before, now = dict(found), self._moment()
        found |= {"text": text, "edited": {"user": sender.id, "ts": now}}
        more = {"message": dict(found), "previous_message": before, "ts": now, "event_ts": now, "hidden": True}
        await self._tell(place, {"type": "message", "subtype": "message_changed", **more})
        return True

    async def delete(self, place: Place, sender: Sender, message_id: str) -> bool:
        """See `wire.Wire`."""
        found = next(one for one in self._channels[place.id] if one["ts"] == message_id)
        self._channels[place.id].remove(found)
        now = self._moment()
        more = {"deleted_ts": message_id, "previous_message": found, "ts": now, "event_ts": now, "hidden": True}
        await self._tell(place, {"type": "message", "subtype": "message_deleted", **more})
        return True

    async def press(self, place: Place, sender: Sender, ref: str, token: str) -> bool:
        """See `wire.Wire`."""
        found = next((one for one in self._channels.get(place.id, []) if one["ts"] == ref), {})
        around = {"type": "message", "message_ts": ref, "channel_id": place.id, "thread_ts": found.get("thread_ts")}
        action = {"type": "button", "action_id": "a", "value": token, "action_ts": self._moment()}
        payload = {"type": "block_actions", "user": {"id": sender.id, "name": sender.name}, "actions": [action]}
        await self.events.tell("interactive", payload | {"container": around, "channel": {"id": place.id}})
        return True

    async def command(self, place: Place, sender: Sender, text: str) -> None:
        """Somebody types the app's slash command."""
        named = {"command": "/sulla", "text": text, "trigger_id": self._moment(), "user_name": sender.name}
        await self.events.tell("slash_commands", named | {"channel_id": place.id, "user_id": sender.id})

    def seen(self, place: Place) -> Sequence[Seen]:
        """See `wire.Wire`."""
        return [self._seen(one) for one in self._channels.get(place.id, []) if one["user"] == BOT]

    def _seen(self, one: Mapping[str, Any]) -> Seen:
        rows = [block["elements"] for block in one.get("blocks", []) if block["type"] == "actions"]
        buttons = {button["text"]["text"]: button["value"] for row in rows for button in row}
        file = self.files.content(one["files"][0]["id"]) if one.get("files") else None
        return Seen(str(one["ts"]), seen_text(one), buttons, file, seen_blocks(one))

    async def _tell(self, place: Place, event: Message, *, missable: bool = False) -> None:
        event |= {"channel": place.id, "channel_type": "im" if place.kind == "private" else "channel"}
        payload = {"type": "event_callback", "event": event, "event_id": f"Ev{next(self._numbers)}"}
        await self.events.tell("events_api", payload, missable=missable)

    # -------------------------------------------------------------------------------------------------- as the network

    async def repeat(self) -> None:
        """See `wire.Wire`."""
        await self.events.repeat()

    async def refresh(self) -> None:
        """Slack wants another connection, as it does every few hours."""
        await self.events.refresh()

    def away(self, gone: bool) -> None:
        """See `wire.Wire`."""
        self._network.gone = gone
        if gone:
            self.events.abort()

    def fail(self, method: str, body: Mapping[str, Any], *, times: int = 1, retry_after_s: int = 0) -> None:
        """The next calls of a method fail with these words; with a time after which they may be made again as 429."""
        self._failures.setdefault(method, []).extend([(dict(body), retry_after_s)] * times)

    def messages(self, place: Place) -> Sequence[Message]:
        """All that was said at a place, as the service keeps it."""
        return self._channels.get(place.id, [])

    def refuse(self, sends: int, retry_after_s: float) -> None:
        """See `wire.Wire`."""
        self._network.refuse(sends, retry_after_s)

    def lose(self, answers: int) -> None:
        """See `wire.Wire`."""
        self._network.lose(answers)

    def _moment(self) -> str:
        return f"{int(self._clock.now())}.{next(self._numbers):06}"


async def _arguments(request: web.Request) -> dict[str, Any]:
    if request.content_type == "application/json":
        found = dict(await request.json())
    else:
        found = dict(request.query) | dict(await request.post())
    blocks = found.get("blocks")
    return found | ({"blocks": json.loads(blocks)} if isinstance(blocks, str) else {})
