"""Telegram's Bot API, by the library python-telegram-bot."""

from __future__ import annotations

import json
import logging
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from operator import itemgetter
from typing import Any, Final
from urllib.parse import urlencode

import httpx
import telegram
from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup, LinkPreviewOptions, MessageEntity, ReplyParameters
from telegram import error as failures
from telegram.request import HTTPXRequest

from sulla.channels.base import (
    UNREADABLE,
    Account,
    Arrived,
    Attachment,
    Batch,
    Manners,
    NotSent,
    Outcome,
    Place,
    Press,
    Refusal,
    Said,
    SaidFile,
    Sent,
    Unknown,
)
from sulla.channels.http.bounds import WHOLE_S
from sulla.channels.http.by_httpx import AnswerTooSlow, bounded
from sulla.channels.kinds import Wanted
from sulla.channels.machine.cutting import beginning
from sulla.channels.telegram.form import formed, measured
from sulla.channels.telegram.reading import WANTED, arrived_of
from sulla.channels.telegram.settings import TelegramOptions
from sulla.core.clock import Clock
from sulla.core.errors import NotFound, SettingsError, SullaError, Unauthorized, Unavailable

log = logging.getLogger(__name__)

MANNERS: Final = Manners(
    most_chars=4_096,
    sends_per_s=25.0,  # the Bot API's limits page: about 30 messages in a second,
    place_sends_per_s=1.0,  # and one in a second to one chat;
    group_sends_per_s=1 / 3,  # a group takes 20 in a minute, edits among them
    edits_per_s=0.5,  # in between are the typing signs
    threads_apart=False,
    most_buttons=8,
    button_chars=60,
    typing_s=4.5,  # it is shown for five
    most_file_bytes=50_000_000,
)
CONNECT_S: Final = 10.0
ANSWER_S: Final = 30.0
LATE_S: Final = 10.0
"""How much longer than it waits a look may stay with Telegram whose program is gone."""
_PIECE: Final = 64 * 1024
_MOST_CAPTION: Final = 1_024
_MOST_UPDATES: Final = 100
_MOST_NUMBER: Final = 2**53
_CONNECTIONS: Final = 16
_NEVER_SENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""With these the service has got nothing."""


def make(wanted: Wanted) -> TelegramChannel:
    """A channel of the kind `telegram`; see `kinds.ChannelKind.make`.

    Raises:
        SettingsError: its options are another kind's.
    """
    if not isinstance(wanted.options, TelegramOptions):
        raise SettingsError(f"the channel {wanted.name!r} has no options of Telegram's")
    return TelegramChannel(wanted.secrets["token"], wanted.options, wanted.clock)


class TelegramChannel:
    """Keeps `base.Channel` for one bot.

    Args:
        token: the bot's.
        options: what the settings say.
        clock: all time.
    """

    manners: Final = MANNERS

    def __init__(self, token: str, options: TelegramOptions, clock: Clock) -> None:
        self._options = options
        self._api = options.api.rstrip("/")
        self._trusted = httpx.create_ssl_context()  # once: reading all authorities takes a while each time
        self._polls = _request(self._trusted, clock, options.poll_s)
        try:
            self._bot = Bot(
                token,
                f"{self._api}/bot",
                f"{self._api}/file/bot",
                request=_request(self._trusted, clock),
                get_updates_request=self._polls,  # opened and closed with it
            )
        except failures.InvalidToken:
            raise SettingsError("the token is none of Telegram's: take it from @BotFather") from None
        self._files: httpx.AsyncClient | None = None
        self._account = Account("", "")
        self._closed = False

    async def open(self) -> Account:
        """See `base.Channel`."""
        try:
            await self._bot.initialize()
            me = await self._bot.get_me()
        except telegram.error.TelegramError as error:
            raise _raised(error) from None
        self._files = httpx.AsyncClient(verify=self._trusted, timeout=httpx.Timeout(ANSWER_S, connect=CONNECT_S))
        self._account = Account(str(me.id), me.username or "")
        return self._account

    async def close(self) -> None:
        """See `base.Channel`."""
        if self._closed:
            return
        self._closed = True
        with suppress(telegram.error.TelegramError):
            await self._bot.shutdown()
        if self._files is not None:
            await self._files.aclose()

    async def first_cursor(self) -> str:
        """Telegram holds what came within a day and was not taken: all of it counts."""
        return ""

    async def receive(self, cursor: str) -> AsyncIterator[Batch]:
        """See `base.Channel`. The cursor is the number of the last update; to ask for what is behind it tells Telegram
        that it may forget it.
        """
        offset = int(cursor) + 1 if cursor else None
        wait_s = 0  # the first look says whether Telegram is there
        while not self._closed:
            found = await self._updates(offset, wait_s)
            if isinstance(found, Refusal):
                wait_s = 0
                yield Batch((), cursor, refusal=found)
                continue
            batch = self._read(found) if found else Batch((), cursor)
            offset, cursor = int(batch.cursor) + 1 if batch.cursor else None, batch.cursor
            yield batch
            wait_s = self._options.poll_s

    async def _updates(self, offset: int | None, wait_s: int) -> dict[int, Mapping[str, Any]] | Refusal:
        """The next updates by their numbers, as the Bot API writes them: the library makes objects of all of them or of
        none, and one that is newer than it would be the first in line for ever.

        Args:
            offset: the first that is wanted; None for the first that is held.
            wait_s: how long Telegram waits for one.
        """
        wanted = {"limit": _MOST_UPDATES, "timeout": wait_s, "allowed_updates": json.dumps(WANTED)}
        asked = urlencode(wanted if offset is None else wanted | {"offset": offset})
        try:
            found: Any = await self._polls.post(f"{self._bot.base_url}/getUpdates?{asked}")
            numbered = sorted(((_number(one), one) for one in found), key=itemgetter(0))
            return dict(numbered[:_MOST_UPDATES])  # the rest is told again, as it was not asked for
        except failures.Conflict as error:
            if "webhook" in error.message.lower():
                return Refusal("a webhook is set for this bot, and gets its messages: take it out with deleteWebhook")
            return Refusal("another program reads this bot's messages", self._options.poll_s + LATE_S)
        except telegram.error.TelegramError as error:
            raise _raised(error) from None
        except UNREADABLE as error:
            raise Unavailable(f"Telegram answered what is no list of updates ({type(error).__name__})") from None

    def _read(self, updates: Mapping[int, Mapping[str, Any]]) -> Batch:
        """What some updates mean; one that cannot be read is passed over."""
        arrived: list[Arrived] = []
        unread = 0
        for number, update in updates.items():
            try:
                if (one := arrived_of(update, self._account)) is not None:
                    arrived.append(one)
            except UNREADABLE as error:
                log.warning("the update %d of Telegram's could not be read: %s", number, type(error).__name__)
                unread += 1
        return Batch(tuple(arrived), str(max(updates)), unread)

    async def acknowledge(self, cursor: str) -> None:
        """The next question for updates says it."""

    def measure(self, text: str, *exact: str) -> int:
        """See `base.Channel`."""
        return measured(text, *exact)

    async def send(self, place: Place, said: Said) -> Outcome:
        """See `base.Channel`."""
        text, entities = _form(said)
        try:
            sent = await self._bot.send_message(
                place.id,
                text,
                entities=entities,
                reply_markup=_buttons(said),
                message_thread_id=int(place.topic) if place.topic else None,
                reply_parameters=_reply(said.reply_to),
                link_preview_options=LinkPreviewOptions(is_disabled=True),
                disable_notification=said.quiet or None,
            )
        except telegram.error.TelegramError as error:
            return _outcome(error)
        return Sent(str(sent.message_id))

    async def edit(self, place: Place, ref: str, said: Said) -> Outcome:
        """See `base.Channel`."""
        text, entities = _form(said)
        try:
            await self._bot.edit_message_text(
                text,
                place.id,
                int(ref),
                entities=entities,
                reply_markup=_buttons(said),
                link_preview_options=LinkPreviewOptions(is_disabled=True),
            )
        except failures.BadRequest as error:
            return Sent(ref) if "not modified" in str(error).lower() else _outcome(error)
        except telegram.error.TelegramError as error:
            return _outcome(error)
        return Sent(ref)

    async def delete(self, place: Place, ref: str) -> Outcome:
        """See `base.Channel`."""
        try:
            await self._bot.delete_message(place.id, int(ref))
        except failures.BadRequest as error:
            return Sent(ref) if "not found" in str(error).lower() else _outcome(error)
        except telegram.error.TelegramError as error:
            return _outcome(error)
        return Sent(ref)

    async def send_file(self, place: Place, file: SaidFile) -> Outcome:
        """See `base.Channel`."""
        caption, entities = _form(Said(beginning(file.caption, _MOST_CAPTION, measured)))
        try:
            sent = await self._bot.send_document(
                place.id,
                file.content,
                caption=caption or None,
                caption_entities=entities,
                filename=file.name,
                message_thread_id=int(place.topic) if place.topic else None,
            )
        except telegram.error.TelegramError as error:
            return _outcome(error)
        return Sent(str(sent.message_id))

    async def looked_up(self, place: Place, key: str) -> Outcome:
        """The Bot API cannot tell."""
        return Unknown("Telegram cannot be asked")

    async def typing(self, place: Place) -> None:
        """See `base.Channel`."""
        try:
            await self._bot.send_chat_action(
                place.id, "typing", message_thread_id=int(place.topic) if place.topic else None
            )
        except telegram.error.TelegramError as error:
            raise _raised(error) from None

    async def answer_press(self, press: Press, text: str) -> None:
        """See `base.Channel`."""
        try:
            await self._bot.answer_callback_query(press.id, text[:200])
        except telegram.error.TelegramError as error:
            raise _raised(error) from None

    async def fetch(self, attachment: Attachment) -> AsyncIterator[bytes]:
        """See `base.Channel`."""
        try:
            file = await self._bot.get_file(attachment.handle)
        except failures.BadRequest as error:
            raise NotFound(f"Telegram does not give it: {error.message}") from None
        except telegram.error.TelegramError as error:
            raise _raised(error) from None
        if self._files is None or not file.file_path:
            raise Unavailable("the channel is not open, or Telegram gives no file")
        try:
            async with self._files.stream("GET", file.file_path) as answer:
                if answer.status_code != httpx.codes.OK:
                    raise NotFound(f"Telegram does not give it: {answer.status_code}")
                async for piece in answer.aiter_bytes(_PIECE):
                    yield piece
        except httpx.HTTPError as error:
            raise Unavailable(f"Telegram broke off: {type(error).__name__}") from None


def _number(update: Mapping[str, Any]) -> int:
    """By which an update is known; it becomes the cursor.

    Raises:
        UNREADABLE: it has none.
    """
    number = update["update_id"]
    if type(number) is not int or not 0 < number <= _MOST_NUMBER:
        raise ValueError("update_id is no number of an update")
    return number


def _request(trusted: ssl.SSLContext, clock: Clock, waits_s: float = 0.0) -> HTTPXRequest:
    """What asks Telegram, which may wait so many seconds beside with an answer."""
    return HTTPXRequest(
        connection_pool_size=_CONNECTIONS,
        read_timeout=waits_s + ANSWER_S,
        write_timeout=waits_s + ANSWER_S,
        connect_timeout=CONNECT_S,
        httpx_kwargs={"transport": bounded(trusted, _CONNECTIONS, clock, waits_s + WHOLE_S)},
    )


def _form(said: Said) -> tuple[str, list[MessageEntity]]:
    made = formed(said.text, said.exact)
    return made.text, [
        MessageEntity(one.kind, one.offset, one.length, url=one.url or None, language=one.language or None)
        for one in made.spans
    ]


def _buttons(said: Said) -> InlineKeyboardMarkup | None:
    if not said.buttons:
        return None
    return InlineKeyboardMarkup([[InlineKeyboardButton(one.label, callback_data=one.token)] for one in said.buttons])


def _reply(message_id: str) -> ReplyParameters | None:
    return ReplyParameters(int(message_id), allow_sending_without_reply=True) if message_id.isdecimal() else None


def _raised(error: telegram.error.TelegramError) -> SullaError:
    """What a failure is called here. The library's words are passed on only where Telegram said them."""
    match error:
        case failures.InvalidToken() | failures.Forbidden():
            return Unauthorized("Telegram does not know the token: take it from @BotFather, and set it anew")
        case failures.RetryAfter():
            return Unavailable("Telegram wants to be left alone", retry_after_s=_retry_s(error))
        case failures.NetworkError() if isinstance(error.__cause__, AnswerTooSlow):
            return Unavailable(f"Telegram does not come to an end: {error.__cause__}")
        case failures.NetworkError():
            return Unavailable(f"Telegram does not answer ({type(error.__cause__ or error).__name__})")
        case _:
            return Unavailable(f"Telegram answered with {type(error).__name__}")


def _outcome(error: telegram.error.TelegramError) -> Outcome:
    """What came of a send that failed."""
    match error:
        case failures.RetryAfter():
            return NotSent("it comes too fast", _retry_s(error), rests="unsaid")  # of the chat, or of all
        case failures.BadRequest() | failures.Forbidden() | failures.ChatMigrated():
            return NotSent(f"Telegram refuses it: {error.message}", final=True)
        case failures.InvalidToken():
            return NotSent("Telegram does not know the token", 60.0)
        case failures.NetworkError() if isinstance(error.__cause__, _NEVER_SENT):
            return NotSent(f"Telegram cannot be reached ({type(error.__cause__).__name__})")
        case _:
            return Unknown(f"Telegram did not say ({type(error.__cause__ or error).__name__})")


def _retry_s(error: failures.RetryAfter) -> float:
    after = error.retry_after
    return float(after if isinstance(after, int | float) else after.total_seconds())
