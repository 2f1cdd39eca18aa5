"""Discord, by the library discord.py. What people say comes by the gateway, whose session goes on over a restart; where
it is gone, what was said meanwhile is read from each chat's history.
"""

from __future__ import annotations

import hashlib
import logging
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any, Final

import aiohttp
import discord

from sulla.channels.base import (
    UNREADABLE,
    Account,
    Arrived,
    Attachment,
    Batch,
    Manners,
    Outcome,
    Place,
    Press,
    Said,
    SaidFile,
    Sender,
    Sent,
    Unknown,
)
from sulla.channels.discord.form import MOST_CHARS, formed, measured
from sulla.channels.discord.history import History
from sulla.channels.discord.link import ANSWER_S, CONNECT_S, FAILURES, Client, Event, Gateway, SessionLost, form_of
from sulla.channels.discord.link import outcome as outcome_of
from sulla.channels.discord.link import raised as raised_by
from sulla.channels.discord.position import Position
from sulla.channels.discord.reading import pressed, said, sender_of
from sulla.channels.discord.sessions import RESUMES_S, Sessions
from sulla.channels.discord.settings import DiscordOptions
from sulla.channels.kinds import Wanted
from sulla.core.clock import Clock
from sulla.core.errors import NotFound, SettingsError, Unavailable

log = logging.getLogger(__name__)

MANNERS: Final = Manners(
    most_chars=MOST_CHARS,
    sends_per_s=40.0,  # a bot may make 50 requests in a second,
    place_sends_per_s=1.0,  # and five in five seconds to one chat
    edits_per_s=0.5,  # in between are the typing signs
    most_buttons=25,
    button_chars=80,
    typing_s=9.0,  # it is shown for ten
    takes_key=True,
    most_file_bytes=10_000_000,
)
_PIECE: Final = 64 * 1024
_ROW: Final = 5
_MOST_DELETED: Final = 100
"""Messages that are deleted at once; Discord deletes no more."""
_NO_PREVIEWS: Final = 1 << 2
_QUIET: Final = 1 << 12
_EPHEMERAL: Final = 1 << 6
_NOBODY: Final = {"parse": list[str](), "replied_user": False}
"""Whom a message rings up, whatever stands in it."""
_FILES: Final = ("https://cdn.discordapp.com/", "https://media.discordapp.net/")
_EPOCH_MS: Final = 1_420_070_400_000
"""Discord's ids hold the milliseconds since then, times 2^22."""


def make(wanted: Wanted) -> DiscordChannel:
    """A channel of the kind `discord`; see `kinds.ChannelKind.make`.

    Raises:
        SettingsError: its options are another kind's.
    """
    if not isinstance(wanted.options, DiscordOptions):
        raise SettingsError(f"the channel {wanted.name!r} has no options of Discord's")
    return DiscordChannel(wanted.secrets["token"], wanted.options, wanted.clock)


class DiscordChannel:
    """Keeps `base.Channel` for one bot.

    Args:
        token: the bot's.
        options: what the settings say.
        clock: all time.
    """

    manners: Final = MANNERS

    def __init__(self, token: str, options: DiscordOptions, clock: Clock) -> None:
        self._token = token
        self._options = options
        self._clock = clock
        self._gateway = Gateway(lambda: self._client)
        self._client = Client(options.api, content=options.message_content, hear=self._gateway.hear)
        self._sessions = Sessions(self._client, self._gateway, clock)
        self._history = History(self._client)
        self._files: aiohttp.ClientSession | None = None
        self._account = Account("", "")
        self._closed = False

    async def open(self) -> Account:
        """See `base.Channel`."""
        try:
            await self._client.login(self._token)
        except FAILURES as error:
            raise raised_by(error) from None
        me = self._client.user
        if me is None:
            raise Unavailable("Discord does not say who the bot is")
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S, sock_read=ANSWER_S)
        self._files = aiohttp.ClientSession(timeout=timeout, cookie_jar=aiohttp.DummyCookieJar())
        self._account = Account(str(me.id), me.name)
        return self._account

    async def close(self) -> None:
        """See `base.Channel`."""
        if self._closed:
            return
        self._closed = True
        with suppress(*FAILURES):
            await self._gateway.close()
        await self._client.close()
        if self._files is not None:
            await self._files.close()

    # ---------------------------------------------------------------------------------------------------- receiving

    async def first_cursor(self) -> str:
        """A new session: whatever comes from now on is told in it."""
        since = max(0, round(self._clock.now() * 1_000) - _EPOCH_MS) << 22
        at = Position("", 0, "", since, {})
        try:
            await self._sessions.begin(at)
        except SessionLost:
            raise Unavailable("Discord ended the connection") from None
        return at.cursor()

    async def receive(self, cursor: str) -> AsyncIterator[Batch]:
        """See `base.Channel`. It goes on with the session of the cursor; where that is gone, it begins another and
        reads what private chats have in between. Of servers the new session says which chats have something.
        """
        at, fruitless = Position.of(cursor), 0
        while not self._closed:
            before = at.seq
            try:
                async for batch in self._session(at):
                    yield batch
            except SessionLost as lost:
                fruitless = fruitless + 1 if at.seq == before else 0
                if at.session and (lost.for_good or fruitless > len(RESUMES_S)):
                    at.session, fruitless = "", 0
                elif fruitless and not self._closed:
                    await self._rest(at, fruitless)

    async def _rest(self, at: Position, fruitless: int) -> None:
        if not at.session:
            raise Unavailable("Discord ends the connection")
        await self._clock.sleep(RESUMES_S[fruitless - 1])

    async def _session(self, at: Position) -> AsyncIterator[Batch]:
        """What comes until the connection ends, which it does by `SessionLost`."""
        begun = not at.session or self._gateway.stands_at(at.session, at.seq)
        if not self._gateway.stands_at(at.session, at.seq):
            await self._sessions.connect(at)
        if begun:  # Discord has said that it is ready
            yield Batch((), at.cursor())
        async for batch in self._chats(at):
            yield batch
        while not self._closed:
            for event in await self._gateway.next():
                async for batch in self._told(event, at):
                    yield batch
            if not begun:
                begun = True
                yield Batch((), at.cursor())

    async def acknowledge(self, cursor: str) -> None:
        """The cursor says it all."""

    async def _told(self, event: Event, at: Position) -> AsyncIterator[Batch]:
        """What an event means, as batches; the last of them is behind it. One that cannot be read is passed over."""
        found, unread = list[Arrived](), 0
        try:
            if event.name == "GUILD_CREATE":
                async for batch in self._server(event.data, at):
                    yield batch
            else:
                found = await self._meant(event, at)
        except UNREADABLE as error:
            log.warning("the event %d of Discord's could not be read: %s", event.seq, type(error).__name__)
            unread = 1
        at.seq = event.seq
        if found or unread:
            yield Batch(tuple(found), at.cursor(), unread)

    async def _server(self, data: Mapping[str, Any], at: Position) -> AsyncIterator[Batch]:
        """What the chats of a server have that was not read."""
        for chat in [*(data.get("channels") or ()), *(data.get("threads") or ())]:
            self._history.knows(chat)
            if int(chat.get("last_message_id") or 0) > at.behind(str(chat["id"])):
                async for batch in self._read_on(str(chat["id"]), str(data["id"]), at):
                    yield batch

    async def _meant(self, event: Event, at: Position) -> list[Arrived]:
        """What an event means that tells of one thing."""
        data = event.data
        if event.name in ("MESSAGE_CREATE", "MESSAGE_UPDATE"):
            return await self._message(data, at, edited=event.name == "MESSAGE_UPDATE")
        if event.name in ("MESSAGE_DELETE", "MESSAGE_DELETE_BULK"):
            return [
                gone
                for id_ in (data.get("ids") or [data["id"]])[:_MOST_DELETED]
                if (gone := await self._deleted(data, str(id_)))
            ]
        if event.name == "INTERACTION_CREATE" and data.get("channel_id"):
            press = pressed(data, await self._place(data))
            return [press] if press is not None else []
        return []

    async def _message(self, message: Mapping[str, Any], at: Position, *, edited: bool = False) -> list[Arrived]:
        chat, private = str(message["channel_id"]), not message.get("guild_id")
        found = said(message, await self._place(message), self._account, edited=edited)
        if not edited:
            own = str((message.get("author") or {}).get("id")) == self._account.id
            self._history.wrote(str(message["id"]), "" if own else sender_of(message).id)
            at.has(chat, int(message["id"]), private=private)
        return [found] if found is not None else []

    async def _deleted(self, data: Mapping[str, Any], message_id: str) -> Arrived | None:
        """Discord does not say who wrote what is deleted: it is remembered, or in a private chat asked for."""
        sender = await self._history.author(message_id, str(data["channel_id"]), private=not data.get("guild_id"))
        return Arrived(await self._place(data), Sender(sender), message_id, "delete") if sender else None

    async def _place(self, data: Mapping[str, Any]) -> Place:
        chat = str(data["channel_id"])
        if not data.get("guild_id"):
            return Place(chat)
        parent = await self._history.parent(chat)
        return Place(parent, chat, "group") if parent else Place(chat, kind="group")

    async def _chats(self, at: Position) -> AsyncIterator[Batch]:
        """What private chats have that the session before did not tell."""
        while at.left:
            async for batch in self._read_on(at.left[0], "", at):
                yield batch
            at.left.pop(0)

    async def _read_on(self, chat: str, guild: str, at: Position) -> AsyncIterator[Batch]:
        """What a chat has behind what was read there."""
        while page := await self._history.behind(chat, at.behind(chat)):
            found, unread = list[Arrived](), 0
            for message in page:
                about = message | {"channel_id": chat} | ({"guild_id": guild} if guild else {})
                try:
                    found += await self._message(about, at)
                except UNREADABLE as error:
                    log.warning("a message of Discord's history could not be read: %s", type(error).__name__)
                    unread += 1
                    at.has(chat, int(message["id"]), private=not guild)
            if found or unread:
                yield Batch(tuple(found), at.cursor(), unread)

    # ------------------------------------------------------------------------------------------------------- sending

    def measure(self, text: str, *exact: str) -> int:
        """See `base.Channel`."""
        return measured(text, *exact)

    async def send(self, place: Place, said: Said) -> Outcome:
        """See `base.Channel`."""
        try:
            sent = await self._post(place, json=_payload(said) | _nonce(said.key) | _reply(said.reply_to))
        except FAILURES as error:
            return outcome_of(error)
        return Sent(str(sent["id"]))

    async def edit(self, place: Place, ref: str, said: Said) -> Outcome:
        """See `base.Channel`."""
        path = "/channels/{channel_id}/messages/{message_id}"
        changed = _payload(said)
        changed.pop("flags")
        try:
            await self._client.call("PATCH", path, channel_id=_chat(place), message_id=ref, json=changed)
        except FAILURES as error:
            return outcome_of(error)
        return Sent(ref)

    async def delete(self, place: Place, ref: str) -> Outcome:
        """See `base.Channel`."""
        path = "/channels/{channel_id}/messages/{message_id}"
        try:
            await self._client.call("DELETE", path, channel_id=_chat(place), message_id=ref)
        except discord.NotFound:
            return Sent(ref)
        except FAILURES as error:
            return outcome_of(error)
        return Sent(ref)

    async def send_file(self, place: Place, file: SaidFile) -> Outcome:
        """See `base.Channel`."""
        payload = _payload(Said(file.caption)) if file.caption.strip() else {"allowed_mentions": _NOBODY}
        payload |= _nonce(file.key) | {"attachments": [{"id": 0, "filename": file.name}]}
        try:
            sent = await self._post(place, form=form_of(payload, file.name, file.content, file.mime))
        except FAILURES as error:
            return outcome_of(error)
        return Sent(str(sent["id"]))

    async def looked_up(self, place: Place, key: str) -> Outcome:
        """Discord knows a key when a message comes with it again, and cannot be asked for it."""
        return Unknown("Discord cannot be asked")

    async def typing(self, place: Place) -> None:
        """See `base.Channel`."""
        try:
            await self._client.call("POST", "/channels/{channel_id}/typing", channel_id=_chat(place))
        except FAILURES as error:
            raise raised_by(error) from None

    async def answer_press(self, press: Press, text: str) -> None:
        """See `base.Channel`. Whoever pressed sees it alone."""
        id_, _, token = press.id.partition("/")
        data = {"content": text[:MOST_CHARS], "flags": _EPHEMERAL, "allowed_mentions": _NOBODY}
        path = "/interactions/{interaction_id}/{webhook_token}/callback"
        try:
            await self._client.call(
                "POST", path, interaction_id=id_, webhook_token=token, json={"type": 4, "data": data}
            )
        except FAILURES as error:
            raise raised_by(error) from None

    async def fetch(self, attachment: Attachment) -> AsyncIterator[bytes]:
        """See `base.Channel`."""
        own = self._options.api.partition("/api")[0] + "/"
        if self._files is None or not attachment.handle.startswith((*_FILES, own)):
            raise NotFound("the file is not at Discord, or the channel is not open")
        try:
            async with self._files.get(attachment.handle, allow_redirects=False) as answer:
                if answer.status != 200:
                    raise NotFound(f"Discord does not give it: {answer.status}")
                async for piece in answer.content.iter_chunked(_PIECE):
                    yield piece
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise Unavailable(f"Discord broke off: {type(error).__name__}") from None

    async def _post(self, place: Place, **body: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
        found: Mapping[str, Any] = await self._client.call(
            "POST", "/channels/{channel_id}/messages", channel_id=_chat(place), **body
        )
        return found


def _chat(place: Place) -> str:
    return place.topic or place.id


def _payload(said: Said) -> dict[str, Any]:
    rows = [said.buttons[at : at + _ROW] for at in range(0, len(said.buttons), _ROW)]
    buttons = [
        {"type": 1, "components": [{"type": 2, "style": 2, "label": one.label, "custom_id": one.token} for one in row]}
        for row in rows
    ]
    flags = _NO_PREVIEWS | (_QUIET if said.quiet else 0)
    content = formed(said.text, said.exact)
    return {"content": content, "allowed_mentions": _NOBODY, "components": buttons, "flags": flags}


def _nonce(key: str) -> dict[str, Any]:
    """By which Discord knows a message again for some minutes."""
    if not key:
        return {}
    short = urlsafe_b64encode(hashlib.sha256(key.encode()).digest())[:24].decode()
    return {"nonce": short, "enforce_nonce": True}


def _reply(message_id: str) -> dict[str, Any]:
    if not message_id.isdecimal():
        return {}
    return {"message_reference": {"message_id": message_id, "fail_if_not_exists": False}}
