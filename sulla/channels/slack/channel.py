"""Slack's Web API and its socket mode, by the library slack-sdk."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from sulla.channels.base import (
    Account,
    Attachment,
    Batch,
    Manners,
    NotSent,
    Outcome,
    Place,
    Press,
    Resting,
    Said,
    SaidFile,
    Sent,
    Unknown,
)
from sulla.channels.http.by_aiohttp import bounded, not_elsewhere
from sulla.channels.kinds import Wanted
from sulla.channels.slack.cursor import Cursor, cursor_of
from sulla.channels.slack.failing import FAILURES, outcome_of, raised, word_of
from sulla.channels.slack.form import MOST_CHARS, fallback, formed, measured
from sulla.channels.slack.missed import Missed
from sulla.channels.slack.settings import SlackOptions
from sulla.channels.slack.socket import QUIET, Socket
from sulla.core.clock import Clock
from sulla.core.errors import NotFound, SettingsError, Unavailable

MANNERS: Final = Manners(
    most_chars=MOST_CHARS,
    sends_per_s=4.0,  # Slack's rate limits: several hundred messages in a minute for a workspace,
    place_sends_per_s=1.0,  # and one in a second for a channel
    edits_per_s=1 / 3,
    all_edits_per_s=0.8,  # `chat.update` is of the third tier: 50 in a minute, of all messages together
    threads_apart=False,
    most_buttons=10,
    button_chars=75,
    tells_sent=True,
    most_file_bytes=50_000_000,
)
CONNECT_S: Final = 10.0
ANSWER_S: Final = 30.0
LOOK_S: Final = 2.0
"""How often it is seen whether the connection is still there; it is gone when it is gone twice."""
REACH_BACK_S: Final = 300
"""What was said so long before an app is read for the first time counts as new, as Slack itself tells it so long."""
MOST_BATCH: Final = 100
MARK: Final = "sulla_said"
"""The kind of metadata in which a message's key stands."""
_PAGES: Final = 5
_PAGE: Final = 200
_MOST_CAPTION: Final = 1_000
"""With a file, whose caption goes in the address that is asked for."""
_PIECE: Final = 64 * 1024
_FILE: Final = "file:"
"""Before the id of a file, where the id of a message is asked for: Slack names none."""


def make(wanted: Wanted) -> SlackChannel:
    """A channel of the kind `slack`; see `kinds.ChannelKind.make`.

    Raises:
        SettingsError: its options are another kind's, or its tokens are not what they should be.
    """
    if not isinstance(wanted.options, SlackOptions):
        raise SettingsError(f"the channel {wanted.name!r} has no options of Slack's")
    for name, begins in (("bot_token", "xoxb-"), ("app_token", "xapp-")):
        if not wanted.secrets[name].startswith(begins):
            raise SettingsError(
                f"the {name} of {wanted.name!r} does not begin with {begins}: docs/channels.md says where it is"
            )
    return SlackChannel(wanted.options, wanted.secrets, wanted.clock)


class SlackChannel:
    """Keeps `base.Channel` for one app in one workspace.

    Args:
        options: what the settings say.
        secrets: `bot_token` and `app_token`.
        clock: all time.
    """

    manners: Final = MANNERS

    def __init__(self, options: SlackOptions, secrets: Mapping[str, str], clock: Clock) -> None:
        self._api = options.api.rstrip("/") + "/"
        self._tokens = secrets
        self._clock = clock
        self._session: aiohttp.ClientSession | None = None
        self._web: AsyncWebClient | None = None
        self._account = Account("", "")
        self._url = ""
        """Where to connect to, which Slack gives for one time."""
        self._began_s = 0.0
        self._socket: Socket | None = None
        self._untold: list[str] = []
        """What was handed on and Slack was not told of."""
        self._closed = False

    async def open(self) -> Account:
        """See `base.Channel`. The socket is connected when it is read: a second one would get half of what comes."""
        timeout = aiohttp.ClientTimeout(total=ANSWER_S, connect=CONNECT_S)
        self._session = aiohttp.ClientSession(timeout=timeout, middlewares=(bounded,))
        token = self._tokens["bot_token"]
        # Its retries would send a second time what may have arrived.
        web = AsyncWebClient(token, self._api, session=self._session, logger=QUIET, retry_handlers=[])
        try:
            me = await web.auth_test()
        except FAILURES as error:
            raise raised(error) from None
        self._account = Account(str(me["user_id"]), str(me.get("user") or ""))
        self._began_s = self._clock.now()
        with suppress(ValueError, TypeError):
            self._began_s = parsedate_to_datetime(str(me.headers.get("Date"))).timestamp()
        self._web = web
        self._url = await self._new_url()
        return self._account

    async def close(self) -> None:
        """See `base.Channel`."""
        self._closed = True
        await self._hang_up()
        if self._session is not None:
            await self._session.close()

    async def first_cursor(self) -> str:
        """See `base.Channel`; by Slack's own clock."""
        return str(Cursor(f"{int(self._began_s) - REACH_BACK_S}.000000"))

    async def receive(self, cursor: str) -> AsyncIterator[Batch]:
        """See `base.Channel`. First comes what the history has behind the cursor, then what the socket brings."""
        at, gone, first = cursor_of(cursor), 0, True
        socket = await self._connected()
        yield Batch((), cursor)
        while not self._closed:
            if first or socket.missed:
                first = socket.missed = False
                async for batch in self._caught_up(at):
                    at = cursor_of(batch.cursor)
                    yield batch
            taken, unread = socket.take(MOST_BATCH), socket.take_unread()
            if taken or unread:
                gone, arrived = 0, tuple(one.arrived for one in taken)
                at = at.behind(arrived, (one.moment for one in taken))
                self._untold = [one.id for one in taken]
                yield Batch(arrived, str(at), unread)
                continue
            socket.news.clear()
            with suppress(TimeoutError):
                async with self._clock.timeout(LOOK_S):
                    await socket.news.wait()
            gone = gone + 1 if await socket.is_lost() else 0  # once while the library changes to another connection
            socket.raise_broken()
            if gone > 1 and not self._closed:
                raise Unavailable("the connection to Slack ended")

    async def acknowledge(self, cursor: str) -> None:
        """See `base.Channel`."""
        untold, self._untold = self._untold, []
        if self._socket is not None and untold:
            await self._socket.acknowledge(untold)

    def measure(self, text: str, *exact: str) -> int:
        """See `base.Channel`: the form is plain text, and what it looks like is within its own bounds."""
        return measured(text, *exact)

    async def send(self, place: Place, said: Said) -> Outcome:
        """See `base.Channel`."""
        return await self._sent(
            self._open().chat_postMessage(
                channel=place.id,
                thread_ts=place.topic or None,
                unfurl_links=False,
                unfurl_media=False,
                **_message(said),
            ),
            rests="unsaid",  # it may come too fast for its channel, or all do for the workspace
        )

    async def edit(self, place: Place, ref: str, said: Said) -> Outcome:
        """See `base.Channel`."""
        if ref.startswith(_FILE):
            return NotSent("a file cannot be edited", final=True)
        return await self._sent(self._open().chat_update(channel=place.id, ts=ref, **_message(said)))

    async def delete(self, place: Place, ref: str) -> Outcome:
        """See `base.Channel`."""
        web = self._open()
        if ref.startswith(_FILE):
            return await self._sent(
                web.files_delete(file=ref.removeprefix(_FILE)), ref, ("file_deleted", "file_not_found")
            )
        return await self._sent(web.chat_delete(channel=place.id, ts=ref), ref, ("message_not_found",))

    async def send_file(self, place: Place, file: SaidFile) -> Outcome:
        """See `base.Channel`. Nobody sees it before the last of the library's three steps, so a first one that fails
        has sent nothing; but it does not say which one did.
        """
        return await self._sent(
            self._open().files_upload_v2(
                content=file.content,
                filename=file.name,
                title=file.name,
                channel=place.id,
                thread_ts=place.topic or None,
                blocks=json.dumps(_captioned(file)),
            )
        )

    async def looked_up(self, place: Place, key: str) -> Outcome:
        """See `base.Channel`: a message has its key in its metadata, and that of a file, which may have none, in its
        block's name.
        """
        web, cursor = self._open(), None
        for _ in range(_PAGES):
            what: dict[str, Any] = {"channel": place.id, "include_all_metadata": True, "limit": _PAGE, "cursor": cursor}
            try:
                if place.topic:
                    page = await web.conversations_replies(ts=place.topic, **what)
                else:
                    page = await web.conversations_history(**what)
            except FAILURES as error:
                return Unknown(f"Slack cannot be asked ({word_of(error) or type(error).__name__})")
            for one in page.get("messages") or []:
                if one.get("user") == self._account.id and key in _keys(one):
                    return Sent(str(one["ts"]))
            cursor = (page.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return NotSent("Slack does not have it")
        return Unknown("too much was said since")

    async def typing(self, place: Place) -> None:
        """Slack has no such sign for apps, but in threads of its assistants."""

    async def answer_press(self, press: Press, text: str) -> None:
        """See `base.Channel`: in words that only he sees."""
        channel, user, *topic = press.id.split(" ")
        try:
            await self._open().chat_postEphemeral(
                channel=channel, user=user, text=fallback(text), thread_ts=topic[0] if topic else None
            )
        except FAILURES as error:
            raise raised(error) from None

    async def fetch(self, attachment: Attachment) -> AsyncIterator[bytes]:
        """See `base.Channel`. The token goes to Slack's own hosts alone, wherever a file says that it is."""
        web = self._open()
        try:
            about = (await web.files_info(file=attachment.handle)).get("file") or {}
        except FAILURES as error:
            raise NotFound(f"Slack does not give it: {word_of(error)}") if word_of(error) else raised(error) from None
        url = str(about.get("url_private_download") or about.get("url_private") or "")
        if not self._is_slacks(url) or self._session is None:
            raise NotFound("it is not kept at Slack but elsewhere")
        headers = {"Authorization": f"Bearer {self._tokens['bot_token']}"}
        try:
            async with self._session.get(url, headers=headers, middlewares=(not_elsewhere,)) as answer:
                if answer.status != 200:
                    raise NotFound(f"Slack does not give it ({answer.status}): the app needs the scope files:read")
                async for piece in answer.content.iter_chunked(_PIECE):
                    yield piece
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise Unavailable(f"Slack broke off: {type(error).__name__}") from None

    # ------------------------------------------------------------------------------------------------------- private

    def _open(self) -> AsyncWebClient:
        if self._web is None:
            raise Unavailable("the channel is not open")
        return self._web

    async def _new_url(self) -> str:
        try:
            return str((await self._open().apps_connections_open(app_token=self._tokens["app_token"]))["url"])
        except FAILURES as error:
            raise raised(error, "app_token") from None

    async def _connected(self) -> Socket:
        await self._hang_up()
        url, self._url = self._url or await self._new_url(), ""
        self._socket = socket = Socket(self._open(), self._tokens["app_token"], self._account, url)
        try:
            async with self._clock.timeout(CONNECT_S):
                await socket.connect()
        except TimeoutError:
            await self._hang_up()
            raise Unavailable("Slack's socket cannot be reached") from None
        return socket

    async def _hang_up(self) -> None:
        socket, self._socket = self._socket, None
        self._untold = []
        if socket is not None:
            await socket.close()

    async def _caught_up(self, at: Cursor) -> AsyncIterator[Batch]:
        """What was missed. The cursor goes on with the last of it: before that other channels lack something."""
        behind, last, unread = at, None, 0
        async for found in Missed(self._open(), self._account, self._clock).since(at):
            behind, unread = behind.behind(found.arrived, found.moments), unread + found.unread
            if found.arrived:
                if last is not None:
                    yield Batch(last, str(at))
                last = found.arrived
        if last is not None or behind != at:
            yield Batch(last or (), str(behind), unread)

    async def _sent(
        self,
        call: Awaitable[AsyncSlackResponse],
        ref: str = "",
        gone: tuple[str, ...] = (),
        rests: Resting = "account",
    ) -> Outcome:
        """What came of a call that changes something at Slack."""
        try:
            answer = await call
        except FAILURES as error:
            return Sent(ref) if word_of(error) in gone else outcome_of(error, rests)
        files = answer.get("files")
        return Sent(ref or str(answer.get("ts") or "") or f"{_FILE}{files[0]['id'] if files else ''}")

    def _is_slacks(self, url: str) -> bool:
        ours, theirs = urlsplit(self._api), urlsplit(url)
        host, own = theirs.hostname or "", ours.hostname or ""
        return theirs.scheme == ours.scheme and (host == own or host.endswith(f".{own}"))


def _message(said: Said) -> dict[str, Any]:
    blocks = formed(said.text, said.exact)
    if said.buttons:
        blocks.append(
            {"type": "actions", "elements": [_button(one.token, one.label, at) for at, one in enumerate(said.buttons)]}
        )
    marked = {"metadata": {"event_type": MARK, "event_payload": {"key": said.key}}} if said.key else {}
    return {"text": fallback(said.text, said.exact), "blocks": blocks, **marked}


def _captioned(file: SaidFile) -> list[dict[str, Any]]:
    """What stands with a file; its name where nothing is said, since the key has to stand somewhere."""
    (block,) = formed(file.caption[:_MOST_CAPTION].strip() or file.name or "file")
    return [block | ({"block_id": file.key} if file.key else {})]


def _keys(message: Mapping[str, Any]) -> set[str]:
    """Under which keys a message was sent."""
    payload = (message.get("metadata") or {}).get("event_payload") or {}
    named = (payload.get("key"), *(one.get("block_id") for one in message.get("blocks") or []))
    return {str(one) for one in named if one}


def _button(token: str, label: str, at: int) -> dict[str, Any]:
    text = {"type": "plain_text", "text": label[: MANNERS.button_chars], "emoji": False}
    return {"type": "button", "text": text, "value": token, "action_id": f"{MARK}_{at}"}
