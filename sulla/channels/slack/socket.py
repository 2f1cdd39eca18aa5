"""Slack's socket: what comes by it, and what Slack is told of that."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, cast

from aiohttp import ClientError, ClientSession, ClientWebSocketResponse, WebSocketError, WSCloseCode, WSMessage
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.web.async_client import AsyncWebClient

from sulla.channels.base import UNREADABLE, Account, Arrived
from sulla.channels.http.bounds import MOST_ANSWER_BYTES
from sulla.channels.slack.reading import arrived_of, moment_of
from sulla.core.errors import Unavailable

log = logging.getLogger(__name__)

PING_S: Final = 10.0
"""How often the library sees whether the connection lives; by itself it looks twice as often. Where it has no answer
for four times as long, the connection is lost."""
MOST_WAITING: Final = 200
"""Things that came and were not taken. Messages beyond that are read from the history, so Slack need not tell them
again; of all else it is left to do so."""
QUIET: Final = logging.getLogger("slack_sdk.kept_still")
"""The library writes its failures down, with addresses that are secrets; what they mean is raised here."""
QUIET.setLevel(logging.CRITICAL)


class _Wide:
    """The library's session, by which a message of the socket may be as long as an answer of any service: by itself it
    reads 4 MiB.

    Args:
        made: the library's.
    """

    def __init__(self, made: ClientSession) -> None:
        self._made = made

    @property
    def closed(self) -> bool:
        """Whether it is."""
        return self._made.closed

    async def close(self) -> None:
        """See the library."""
        await self._made.close()

    async def ws_connect(self, url: str, **more: Any) -> ClientWebSocketResponse:  # noqa: ANN401 - the library's
        """See the library."""
        made: ClientWebSocketResponse = await self._made.ws_connect(url, max_msg_size=MOST_ANSWER_BYTES, **more)
        return made


class Envelope(NamedTuple):
    """One thing that came by the socket."""

    id: str
    """By which Slack is told that it was taken."""
    arrived: Arrived
    moment: str
    """When, as a timestamp of Slack's; empty where it is not in the history."""


class Socket:
    """One connection, which the library makes anew when Slack asks for that. It lives from `connect` to `close`.

    Args:
        web: the library's client of the Web API.
        app_token: the app-level token.
        account: the app's bot.
        url: where Slack wants to be connected to.
    """

    def __init__(self, web: AsyncWebClient, app_token: str, account: Account, url: str) -> None:
        self._account = account
        self._waiting: deque[Envelope] = deque()
        self.news = asyncio.Event()
        """Something came, or the connection ended."""
        self.missed = False
        """Whether more was told than there was room for: it is in the history."""
        self._unread = 0
        # It would try for ever to connect again, and tell nobody but the log.
        self._client = SocketModeClient(
            app_token,
            QUIET,
            web,
            auto_reconnect_enabled=False,
            ping_interval=PING_S,
            on_error_listeners=[self._over],
            on_close_listeners=[self._over],
        )
        self._client.wss_uri = url
        self._client.aiohttp_client_session = cast("ClientSession", _Wide(self._client.aiohttp_client_session))
        self._broke = ""
        self._client.socket_mode_request_listeners.append(self._hear)

    async def connect(self) -> None:
        """Connect; the library tries until it is cancelled."""
        await self._client.connect()  # type: ignore[no-untyped-call]  # the library says nothing of it

    async def is_lost(self) -> bool:
        """Whether there is no connection now, or nothing whole came by it for long, not even what each ping is answered
        with: a message that comes a byte at a time keeps the connection busy, and has no end.
        """
        session = self._client.current_session
        return session is None or session.closed or await self._client.is_ping_pong_failing()

    def raise_broken(self) -> None:
        """Say why no more comes, where that is known.

        Raises:
            Unavailable: a message was too long.
        """
        if self._broke:
            raise Unavailable(self._broke)

    def take(self, most: int) -> list[Envelope]:
        """What waits, in order; no more than so many."""
        return [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]

    def take_unread(self) -> int:
        """How many that came since the last time could not be read."""
        unread, self._unread = self._unread, 0
        return unread

    async def acknowledge(self, ids: Sequence[str]) -> None:
        """Tell Slack that some were taken.

        Raises:
            Unavailable: it could not be told.
        """
        self.raise_broken()
        try:
            for one in ids:
                await self._client.send_socket_mode_response({"envelope_id": one})
        except (ClientError, OSError, RuntimeError) as error:
            raise Unavailable(f"Slack's socket broke ({type(error).__name__})") from None

    async def close(self) -> None:
        """Let go of it."""
        self.news.set()
        client = self._client
        with suppress(ClientError, OSError):
            await client.close()  # type: ignore[no-untyped-call]  # as above
        ending = (client.message_processor, client.current_session_monitor, client.message_receiver)
        await asyncio.gather(*(one for one in ending if one is not None), return_exceptions=True)

    async def _hear(self, client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        """Something came. Nothing is awaited before it stands in line, so the order stays."""
        try:
            arrived = arrived_of(request.type, request.payload, self._account)
            moment = moment_of(request.type, request.payload)
        except UNREADABLE as error:
            log.warning("what Slack told could not be read: %s", type(error).__name__)
            arrived, moment = None, ""
            self._unread += 1
        # Once something is missed nothing later that is in the history comes this way before it was read there: else
        # the cursor would go past it.
        self.missed = self.missed or len(self._waiting) >= MOST_WAITING
        if arrived is not None and len(self._waiting) < MOST_WAITING and not (self.missed and moment):
            self._waiting.append(Envelope(request.envelope_id, arrived, moment))
        elif arrived is None or _is_in_history(arrived):
            with suppress(Unavailable):  # then it is told again, which does no harm
                await self.acknowledge([request.envelope_id])
        self.news.set()

    async def _over(self, message: WSMessage) -> None:
        error = message.data
        if isinstance(error, WebSocketError) and error.code == WSCloseCode.MESSAGE_TOO_BIG:
            # Without its end nobody knows its envelope, so it cannot be taken; Slack tells it some times, and no more.
            self._broke = f"Slack's socket told a message of more than {MOST_ANSWER_BYTES} bytes: it is not read"
            log.warning("%s (%s)", self._broke, error)
        self.news.set()


def _is_in_history(arrived: Arrived) -> bool:
    """Whether the history of its channel tells it: neither answers in threads nor what becomes of messages is there."""
    return arrived.kind == "message" and not arrived.reply_to
