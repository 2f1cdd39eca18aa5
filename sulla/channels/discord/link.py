"""The library discord.py as a channel uses it: its HTTP interface with nothing tried a second time, and one session of
the gateway, of which the next event is read when somebody wants it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, Final

import aiohttp
import discord
import orjson
from discord.gateway import DiscordClientWebSocketResponse, DiscordWebSocket, ReconnectWebSocket
from discord.http import HTTPClient, Route
from yarl import URL

from sulla.channels.base import UNREADABLE, NotSent, Outcome, Resting, Unknown
from sulla.channels.http.bounds import MOST_ANSWER_BYTES
from sulla.channels.http.by_aiohttp import bounded
from sulla.core.errors import SullaError, Unauthorized, Unavailable

log = logging.getLogger(__name__)

CONNECT_S: Final = 10.0
ANSWER_S: Final = 30.0
_CLOSE_S: Final = 30.0
_TOO_MANY: Final = 429
_THEIRS: Final = 500
_NO_TOKEN: Final = 401
_WRONG_TOKEN: Final = 4004
_NO_INTENT: Final = 4014
_TOO_LONG: Final = 1009
_LOST: Final = (4007, 4009)
"""With these the gateway ends a session for good."""
_DEADLINES: Final = aiohttp.ClientTimeout(total=ANSWER_S, sock_connect=CONNECT_S)


class Refused(Exception):
    """Discord wants to be left alone, or has trouble of its own.

    Args:
        status: of HTTP.
        retry_after_s: when to come again; None where it does not say.
        of_place: whether it wants that of one chat alone.
    """

    def __init__(self, status: int, retry_after_s: float | None, *, of_place: bool = False) -> None:
        super().__init__(status)
        self.status = status
        self.retry_after_s = retry_after_s
        self.of_place = of_place


FAILURES: Final = (Refused, discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError)
"""All by which a call to Discord fails."""


class SessionLost(Exception):
    """The connection to the gateway ended.

    Args:
        for_good: whether its session cannot be gone on with.
    """

    def __init__(self, *, for_good: bool) -> None:
        super().__init__(for_good)
        self.for_good = for_good


class Client(discord.Client):
    """The library's client, which calls no handlers, keeps no members and no messages, and hands on what it hears.

    Args:
        api: where the HTTP interface is.
        content: whether it may read all that is said.
        hear: takes each message of the gateway, as it came.
    """

    def __init__(self, api: str, *, content: bool, hear: Callable[[str], None]) -> None:
        self._hear = hear
        self._api = api.rstrip("/")
        intents = discord.Intents(guilds=True, guild_messages=True, dm_messages=True, message_content=content)
        super().__init__(
            intents=intents,
            enable_debug_events=True,  # what came as it came is one of them
            max_messages=None,
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.none(),
            http_trace=_tracing(),
        )

    @property
    def http(self) -> HTTPClient:
        """The HTTP interface."""
        return self._interface

    @http.setter
    def http(self, made: HTTPClient) -> None:
        self._interface = _Interface(self._api, made)

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - the library's
        """See the library."""
        if event == "socket_raw_receive":
            self._hear(args[0])

    async def call(self, method: str, path: str, **more: Any) -> Any:  # noqa: ANN401 - JSON
        """Call the HTTP interface, once.

        Args:
            method, path: of HTTP; ``{name}`` in the path stands for a parameter.
            more: parameters of the path, and `json`, `params` or `form` as the library takes them.

        Raises:
            FAILURES: it failed.
        """
        body = {name: more.pop(name) for name in ("json", "params", "form") if name in more}
        return await self.http.request(Route(method, path, **more), **body)


class _Interface(HTTPClient):
    """The HTTP interface at an address that can be chosen, with deadlines."""

    def __init__(self, api: str, made: HTTPClient) -> None:
        super().__init__(made.loop, made.connector, http_trace=made.http_trace)
        self._api = api
        self._gateways: aiohttp.ClientSession | None = None
        """For connections to the gateway: the library reads messages of any length by its own."""

    async def request(self, route: Route, **kwargs: Any) -> Any:  # noqa: ANN401 - the library's
        """See the library."""
        route.url = route.url.replace(Route.BASE, self._api, 1)
        return await super().request(route, timeout=_DEADLINES, middlewares=(bounded,), **kwargs)

    async def ws_connect(self, url: str, *, compress: int = 0) -> aiohttp.ClientWebSocketResponse:
        """See the library; of one message no more is read than of an answer."""
        if self._gateways is None:
            self._gateways = aiohttp.ClientSession(
                timeout=_DEADLINES,
                cookie_jar=aiohttp.DummyCookieJar(),
                ws_response_class=DiscordClientWebSocketResponse,  # ends such that the session can be gone on with
            )
        return await self._gateways.ws_connect(
            url,
            max_msg_size=MOST_ANSWER_BYTES,
            timeout=aiohttp.ClientWSTimeout(ws_close=_CLOSE_S),
            autoclose=False,
            headers={"User-Agent": self.user_agent},
            compress=compress,
        )

    async def close(self) -> None:
        """See the library."""
        await super().close()
        if self._gateways is not None:
            await self._gateways.close()


def _tracing() -> aiohttp.TraceConfig:
    """Ends a request that the library would make again by itself: whether it is made again is decided elsewhere."""
    found = aiohttp.TraceConfig()

    async def look(_: aiohttp.ClientSession, __: SimpleNamespace, ended: aiohttp.TraceRequestEndParams) -> None:
        answer = ended.response
        if answer.status == _TOO_MANY or answer.status >= _THEIRS:
            said = await answer.read()
            # The others are counted for each chat: all that is sent to one goes to addresses below its own.
            of_place = answer.headers.get("X-RateLimit-Scope") in ("user", "shared")
            raise Refused(answer.status, _retry_s(said, answer.headers.get("Retry-After", "")), of_place=of_place)

    found.on_request_end.append(look)
    return found


def _retry_s(said: bytes, header: str) -> float | None:
    try:
        return float(orjson.loads(said)["retry_after"])
    except (ValueError, KeyError, TypeError):  # Discord's own guard answers with a page
        return float(header) if header.replace(".", "", 1).isdecimal() else None


class Event:
    """One event of the gateway.

    Args:
        name: as Discord calls it.
        data: what it says.
        seq: its number in the session.
    """

    __slots__ = ("data", "name", "seq")

    def __init__(self, name: str, data: dict[str, Any], seq: int) -> None:
        self.name, self.data, self.seq = name, data, seq


class Gateway:
    """One connection after the other to the gateway. It reads no further than it is asked: what was not read, the
    gateway sends again.

    Args:
        client: the library's, logged in; it hands on what it hears to `hear`.
    """

    def __init__(self, client: Callable[[], Client]) -> None:
        self._client = client
        self._socket: DiscordWebSocket | None = None
        self._heard: list[Event] = []

    def hear(self, message: str) -> None:
        """Something came from the gateway."""
        said = orjson.loads(message)
        if said.get("t") and isinstance(said.get("d"), dict):
            self._heard.append(Event(said["t"], said["d"], int(said.get("s") or 0)))

    def stands_at(self, session: str, seq: int) -> bool:
        """Whether the next event is the one behind a number of a session.

        Args:
            session, seq: them.
        """
        found = self._socket
        return found is not None and found.open and (found.session_id, found.sequence) == (session, seq)

    async def connect(self, url: str, session: str = "", seq: int = 0) -> None:
        """Connect anew.

        Args:
            url: the gateway's.
            session, seq: with what it goes on; without, a new one is begun.

        Raises:
            SessionLost, Unauthorized, Unavailable: it was not to be.
        """
        await self.close()
        try:
            self._socket = await DiscordWebSocket.from_client(
                self._client(),
                initial=True,
                gateway=URL(url),
                session=session or None,
                sequence=seq if session else None,
                resume=bool(session),
                compress=False,  # how long a message is shows when it is unpacked, which the library does whole
            )
        except (ReconnectWebSocket, *FAILURES) as error:
            raise self._ended(error) from None

    async def next(self) -> list[Event]:
        """The events of the next message of the gateway; none where it tells of nothing.

        Raises:
            SessionLost, Unauthorized, Unavailable: the connection ended.
        """
        if self._socket is None:
            raise Unavailable("the gateway is not connected")
        if not self._heard:
            try:
                await self._socket.poll_event()
            except (ReconnectWebSocket, *FAILURES) as error:
                raise self._ended(error) from None
            except UNREADABLE as error:
                # What it is about was heard before the library made objects of it.
                log.debug("discord.py does not understand an event: %s", type(error).__name__)
        found, self._heard = self._heard, []
        return found

    async def close(self) -> None:
        """Leave, so that the session can be gone on with."""
        found, self._socket, self._heard = self._socket, None, []
        if found is not None:
            await found.close(code=4000)

    def _ended(self, error: BaseException) -> Exception:
        code = self._socket.socket.close_code if self._socket is not None else None
        if code == _TOO_LONG:
            log.warning("a message of Discord's gateway has more than %d bytes: it is not read", MOST_ANSWER_BYTES)
        match error:
            case ReconnectWebSocket():
                return SessionLost(for_good=not error.resume or code in _LOST)
            case discord.ConnectionClosed() if error.code == _NO_INTENT:
                return Unauthorized(
                    "Discord does not let the bot read messages: allow Message Content Intent in its developer portal,"
                    " or leave options.message_content out"
                )
            case discord.ConnectionClosed() if error.code == _WRONG_TOKEN:
                return raised(discord.LoginFailure())
            case discord.ConnectionClosed():
                return Unavailable(f"Discord ended the connection ({error.code})")
            case _:
                return raised(error)


def raised(error: BaseException) -> SullaError:
    """What a failure is called here.

    Args:
        error: one of `FAILURES`.
    """
    match error:
        case discord.LoginFailure():
            return _unknown_token()
        case discord.HTTPException() if error.status == _NO_TOKEN:
            return _unknown_token()
        case Refused(status=status) if status == _TOO_MANY:
            return Unavailable("Discord wants to be left alone", retry_after_s=error.retry_after_s)
        case Refused() | discord.HTTPException():
            return Unavailable(f"Discord answered with {error.status}")
        case _:
            return Unavailable(f"Discord does not answer ({type(error).__name__})")


def outcome(error: BaseException) -> Outcome:
    """What came of a send that failed.

    Args:
        error: one of `FAILURES`.
    """
    match error:
        case Refused(status=status) if status == _TOO_MANY:
            rests: Resting = "place" if error.of_place else "account"
            return NotSent("it comes too fast", error.retry_after_s, rests=rests)
        case discord.HTTPException() if error.status == _NO_TOKEN:
            return NotSent("Discord does not know the token", 60.0)
        case discord.HTTPException():
            return NotSent(f"Discord refuses it: {error.text[:200] or error.status}", final=True)
        case aiohttp.ClientConnectorError():
            return NotSent(f"Discord cannot be reached ({type(error).__name__})")
        case _:
            return Unknown(f"Discord did not say ({type(error).__name__})")


def form_of(payload: dict[str, Any], name: str, content: bytes, mime: str) -> Sequence[dict[str, Any]]:
    """A message with a file, as the library's `form` takes it.

    Args:
        payload: the message.
        name, content, mime: the file's.
    """
    return [
        {"name": "payload_json", "value": orjson.dumps(payload).decode()},
        {
            "name": "files[0]",
            "value": content,
            "filename": name,
            "content_type": mime or "application/octet-stream",
        },
    ]


def _unknown_token() -> Unauthorized:
    return Unauthorized("Discord does not know the token: take it from the developer portal, and set it anew")
