"""Looks in Slack's history for what was said while nobody listened: Slack tells again for some minutes only."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final, NamedTuple

from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from sulla.channels.base import UNREADABLE, Account, Arrived
from sulla.channels.slack.cursor import Cursor, just_behind, order
from sulla.channels.slack.failing import FAILURES, raised, rest_s, word_of
from sulla.channels.slack.reading import said_of
from sulla.core.clock import Clock
from sulla.core.errors import Unavailable

log = logging.getLogger(__name__)

PAGE: Final = 200
NEWEST: Final = 100
"""Of each channel's messages are looked at, also those from before: there may be answers below them."""
MOST_CHANNELS: Final = 2_000
"""In which is looked."""
MOST_RESTS: Final = 10
"""How often one question is asked again because Slack wanted to be left alone before."""
_KINDS: Final = "im,mpim,public_channel,private_channel"
_CLOSED: Final = frozenset({"channel_not_found", "not_in_channel", "thread_not_found", "is_archived"})
"""Where the daemon is no more, and misses nothing."""

Ask = Callable[..., Awaitable[AsyncSlackResponse]]
Message = dict[str, Any]


class Found(NamedTuple):
    """One page of what was missed, in order."""

    arrived: tuple[Arrived, ...]
    moments: tuple[str, ...]
    """When, also of what means nothing."""
    unread: int
    """Messages of it that could not be read."""


class Missed:
    """Looks once.

    Args:
        web: the library's client of the Web API.
        account: the app's bot.
        clock: all time.
    """

    def __init__(self, web: AsyncWebClient, account: Account, clock: Clock) -> None:
        self._web = web
        self._account = account
        self._clock = clock

    async def since(self, cursor: Cursor) -> AsyncIterator[Found]:
        """What was said behind a cursor: one channel after the other, in each the oldest first, then the threads.

        Raises:
            Unauthorized, Unavailable: as Slack says.
        """
        threads = dict.fromkeys(cursor.threads)
        for channel in await self._channels():
            newest, more = await self._page(channel, None, None, NEWEST)
            for one in newest[::-1]:
                threads.pop(thread := f"{channel}:{one['ts']}", None)  # it is seen here whether it has any news
                if order(str(one.get("latest_reply") or "")) > order(cursor.moment):
                    threads[thread] = None
            missed = [one for one in newest if order(str(one["ts"])) > order(cursor.moment)]
            if not more or len(missed) < len(newest):
                yield self._read(channel, missed[::-1])
                continue
            async for page in self._history(channel, cursor.moment):
                yield self._read(channel, page)
        for thread in threads:
            channel, _, topic = thread.partition(":")
            async for page in self._replies(channel, topic, cursor.moment):
                yield self._read(channel, page)

    def _read(self, channel: str, page: list[Message]) -> Found:
        arrived: list[Arrived] = []
        unread = 0
        for message in page:
            try:
                if (one := said_of(message, channel, self._account)) is not None:
                    arrived.append(one)
            except UNREADABLE as error:
                log.warning("a message of Slack's history could not be read: %s", type(error).__name__)
                unread += 1
        return Found(tuple(arrived), tuple(str(one["ts"]) for one in page), unread)

    async def _channels(self) -> list[str]:
        found: list[str] = []
        cursor = None
        while True:
            more = {"types": _KINDS, "exclude_archived": True, "limit": PAGE, "cursor": cursor}
            answer = await self._ask(self._web.users_conversations, **more)
            found += [str(one["id"]) for one in (answer.get("channels") if answer else None) or ()]
            cursor = _next(answer)
            if not cursor:
                return found
            if len(found) >= MOST_CHANNELS:
                log.warning(
                    "the Slack app is in more than %d channels: in the others it is not seen what was missed",
                    MOST_CHANNELS,
                )
                return found

    async def _history(self, channel: str, oldest: str) -> AsyncIterator[list[Message]]:
        """Slack gives the newest first: where there are several pages they are counted, and then read from behind."""
        edges: list[str] = []
        latest = None
        while True:
            page, more = await self._page(channel, oldest, latest, PAGE)
            if not more or not page:
                break
            edges.append(latest or just_behind(str(page[0]["ts"])))
            latest = str(page[-1]["ts"])
        if page:
            yield page[::-1]
        for edge in reversed(edges):
            page, _ = await self._page(channel, oldest, edge, PAGE)
            yield page[::-1]

    async def _page(
        self, channel: str, oldest: str | None, latest: str | None, limit: int
    ) -> tuple[list[Message], bool]:
        what = {"channel": channel, "oldest": oldest, "latest": latest, "limit": limit}
        answer = await self._ask(self._web.conversations_history, **what)
        found = _messages(answer)
        more = bool(answer and answer.get("has_more")) or len(found) > limit
        return found[:limit], more  # what was not asked for is asked for next

    async def _replies(self, channel: str, topic: str, oldest: str) -> AsyncIterator[list[Message]]:
        """Slack gives the oldest first, and what they answer before it, each time."""
        cursor = None
        while True:
            what = {"channel": channel, "ts": topic, "oldest": oldest, "limit": PAGE, "cursor": cursor}
            answer = await self._ask(self._web.conversations_replies, **what)
            page = [one for one in _messages(answer) if order(str(one["ts"])) > order(oldest) and one["ts"] != topic]
            for at in range(0, len(page), PAGE):
                yield page[at : at + PAGE]
                await self._clock.sleep(0)  # others come to their turn in between
            cursor = _next(answer)
            if not cursor:
                return

    async def _ask(self, ask: Ask, **what: object) -> AsyncSlackResponse | None:
        """Slack's answer; None where the daemon is no more. While Slack wants to be left alone it waits: to begin anew
        would ask the same again.
        """
        for _ in range(MOST_RESTS):
            try:
                return await ask(**what)
            except FAILURES as error:
                if word_of(error) in _CLOSED:
                    return None
                if (wait_s := rest_s(error)) is None:
                    raise raised(error) from None
                await self._clock.sleep(wait_s)
        raise Unavailable("Slack wants to be left alone", retry_after_s=60.0)


def _messages(answer: AsyncSlackResponse | None) -> list[Message]:
    """The messages of a page; what has no moment is none."""
    found = (answer.get("messages") if answer is not None else None) or ()
    return [one for one in found if isinstance(one, dict) and isinstance(one.get("ts"), str)]


def _next(answer: AsyncSlackResponse | None) -> str:
    data = answer.get("response_metadata") if answer is not None else None
    return str(data.get("next_cursor") or "") if isinstance(data, dict) else ""
