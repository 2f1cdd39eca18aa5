"""Asks a homeserver, by the library mautrix, and says what a failure means."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from typing import Any, Final

import aiohttp
from aiohttp import ClientHandlerType, ClientRequest, ClientResponse
from mautrix.api import HTTPAPI, MediaPath, Method, Path, PathBuilder
from mautrix.errors import MatrixConnectionError, MatrixError, MatrixRequestError, MatrixResponseError

from sulla.channels.base import NotSent, Outcome, Unknown
from sulla.channels.http.bounds import WHOLE_S
from sulla.channels.http.by_aiohttp import bounded, not_elsewhere
from sulla.channels.matrix.rooms import STATE, mapping
from sulla.core.errors import NotFound, SullaError, Unauthorized, Unavailable

FAILURES: Final = (MatrixError, aiohttp.ClientError, TimeoutError, ValueError, SullaError)
"""What asking may raise: the library's, its connection's, and what is no JSON."""
CONNECT_S: Final = 10.0
ANSWER_S: Final = 30.0
MOST_EVENTS: Final = 50
"""Of one room, in one answer."""
PAGE: Final = 100
"""Events that are asked for at once."""
_PIECE: Final = 64 * 1024
_CONNECTIONS: Final = 16
_HTTP_REFUSED: Final = 400
_HTTP_UNAUTHORIZED: Final = 401
_HTTP_GONE: Final = 404
_HTTP_TOO_FAST: Final = 429
_HTTP_BROKEN: Final = 500
_REFUSED_S: Final = 60.0
_NEVER_SENT: Final = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
"""With these the homeserver has got nothing."""
_KINDS: Final = ("m.room.message", "m.reaction", "m.room.redaction", "m.room.encrypted")


def _filter(limit: int) -> str:
    nothing: Mapping[str, Any] = {"types": []}
    room = {
        "timeline": {"limit": limit, "types": [*_KINDS, *STATE], "lazy_load_members": True},
        "state": {"types": list(STATE), "lazy_load_members": True},
        "ephemeral": nothing,
        "account_data": nothing,
    }
    return json.dumps({"room": room, "presence": nothing, "account_data": nothing}, separators=(",", ":"))


_ALL: Final = _filter(MOST_EVENTS)
_ROOMS: Final = _filter(1)


class Homeserver:
    """One account's connection. It lives from `open` to `close` of its channel.

    Args:
        address: of the client-server API.
        token: the account's.
        poll_s: how long a sync may wait, in seconds.
    """

    def __init__(self, address: str, token: str, poll_s: int) -> None:
        self._poll_s = poll_s
        self._token = token
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=_CONNECTIONS),
            timeout=aiohttp.ClientTimeout(total=poll_s + WHOLE_S, sock_connect=CONNECT_S, sock_read=poll_s + ANSWER_S),
            middlewares=(_heed_rest, bounded),
        )
        self._api = HTTPAPI(address, token, client_session=self._session, default_retry_count=0)

    async def close(self) -> None:
        """Let go of everything; what waits for an answer fails."""
        await self._session.close()

    def fresh(self) -> str:
        """A transaction of its own."""
        return self._api.get_txn_id()

    async def ask(
        self,
        method: Method,
        path: PathBuilder,
        content: dict[str, Any] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Mapping[str, Any]:
        """Ask for something.

        Args:
            method, path, content, query: of the request.

        Raises:
            one of `FAILURES`.
        """
        found = await self._api.request(method, path, content, query_params=query, sensitive=content is not None)
        if not isinstance(found, Mapping):
            raise MatrixResponseError("the answer is no object")
        return found

    async def sync(self, since: str, *, events: bool = True) -> Mapping[str, Any]:
        """What is new; without a place to begin, how the rooms are now.

        Args:
            since: what `next_batch` of the last one said.
            events: whether what was said there is wanted.
        """
        where = {"since": since, "timeout": str(self._poll_s * 1_000)} if since else {"timeout": "0"}
        where["filter"] = _ALL if events else _ROOMS
        return await self.ask(Method.GET, Path.v3.sync, query=where)

    async def page(self, room_id: str, start: str, end: str) -> Mapping[str, Any]:
        """Events of a room, onwards.

        Args:
            room_id, start, end: which, by tokens of syncs.
        """
        kinds = json.dumps({"types": [*_KINDS, "m.room.member"], "lazy_load_members": True})
        where = {"from": start, "to": end, "dir": "f", "limit": str(PAGE), "filter": kinds}
        return await self.ask(Method.GET, Path.v3.rooms[room_id].messages, query=where)

    async def last_of(self, room_id: str, sender: str) -> Mapping[str, Any]:
        """The last messages of somebody in a room, the newest first."""
        whose = json.dumps({"senders": [sender], "types": ["m.room.message"]})
        where = {"dir": "b", "limit": str(PAGE), "filter": whose}
        return await self.ask(Method.GET, Path.v3.rooms[room_id].messages, query=where)

    async def event(self, room_id: str, event_id: str) -> Mapping[str, Any] | None:
        """An event; None where there is none that the account may see."""
        return await self._known(Path.v3.rooms[room_id].event[event_id])

    async def encryption(self, room_id: str) -> bool:
        """Whether a room is encrypted."""
        return await self._known(Path.v3.rooms[room_id].state["m.room.encryption"]) is not None

    async def name(self, user_id: str) -> str:
        """What somebody is called."""
        found = await self._known(Path.v3.profile[user_id].displayname)
        name = mapping(found).get("displayname")
        return name if isinstance(name, str) else ""

    async def upload(self, name: str, mime: str, content: bytes) -> str:
        """Give a file to the homeserver; its address there."""
        found = await self._api.request(
            Method.POST, MediaPath.v3.upload, content, {"Content-Type": mime}, query_params={"filename": name}
        )
        return str(mapping(found)["content_uri"])

    async def pieces(self, address: str) -> AsyncGenerator[bytes, None]:
        """A file's content.

        Raises:
            NotFound: it is gone.
            Unavailable: the homeserver does not give it.
        """
        where = self._api.get_download_url(address, authenticated=True)
        try:
            async with self._session.get(
                where,
                headers={"Authorization": f"Bearer {self._token}"},
                middlewares=(not_elsewhere,),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S, sock_read=ANSWER_S),
            ) as answer:
                if answer.status >= _HTTP_BROKEN:
                    raise Unavailable(f"the homeserver answered with {answer.status}")
                if answer.status >= _HTTP_REFUSED:
                    raise NotFound(f"the homeserver does not give it: {answer.status}")
                async for piece in answer.content.iter_chunked(_PIECE):
                    yield piece
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Unavailable(f"the homeserver broke off: {type(error).__name__}") from None

    async def _known(self, path: PathBuilder) -> Mapping[str, Any] | None:
        try:
            return await self.ask(Method.GET, path)
        except MatrixRequestError as error:
            if refused_for_good(error):
                return None
            raise


def raised(error: Exception) -> SullaError:
    """What a failure is called here; none of the library's words, but the homeserver's code.

    Args:
        error: one of `FAILURES`.
    """
    match error:
        case SullaError():
            return error
        case MatrixRequestError() if error.http_status == _HTTP_UNAUTHORIZED:
            return Unauthorized("the homeserver does not know the access token: make another, and set it anew")
        case MatrixRequestError():
            return Unavailable(f"the homeserver answered with {error.http_status} {error.errcode or ''}".rstrip())
        case MatrixResponseError() | ValueError():
            return Unavailable("what is at `homeserver` does not answer as one: give the address of its API")
        case _:
            return Unavailable(f"the homeserver does not answer ({type(error.__cause__ or error).__name__})")


def outcome_of(error: Exception) -> Outcome:
    """What came of a send that failed.

    Args:
        error: one of `FAILURES`.
    """
    match error:
        case SullaError():
            return NotSent(error.message, error.retry_after_s)
        case MatrixRequestError() if error.http_status == _HTTP_UNAUTHORIZED:
            return NotSent("the homeserver does not know the access token", _REFUSED_S)
        case MatrixRequestError() if _refuses(error):
            return NotSent(f"the homeserver refuses it: {error.errcode} {error.message or ''}"[:300], final=True)
        case MatrixConnectionError() if isinstance(error.__cause__, _NEVER_SENT):
            return NotSent(f"the homeserver cannot be reached ({type(error.__cause__).__name__})")
        case _:
            return Unknown(f"the homeserver did not say ({type(error.__cause__ or error).__name__})")


def _refuses(error: MatrixRequestError) -> bool:
    """Whether the homeserver itself says no, and not something before it."""
    return _HTTP_REFUSED <= error.http_status < _HTTP_BROKEN and bool(error.errcode)


def refused_for_good(error: Exception) -> bool:
    """Whether asking again is of no use.

    Args:
        error: one of `FAILURES`.
    """
    return isinstance(error, MatrixRequestError) and _refuses(error) and error.http_status != _HTTP_UNAUTHORIZED


def is_gone(error: Exception) -> bool:
    """Whether the homeserver says that there is no such thing.

    Args:
        error: one of `FAILURES`.
    """
    return isinstance(error, MatrixRequestError) and _refuses(error) and error.http_status == _HTTP_GONE


async def _heed_rest(request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
    """The library does not tell for how long the homeserver wants to be left alone."""
    answer = await handler(request)
    if answer.status != _HTTP_TOO_FAST:
        return answer
    after = answer.headers.get("Retry-After", "")
    try:
        rest_s = float(after) if after else mapping(await answer.json(content_type=None))["retry_after_ms"] / 1_000
    except (ValueError, KeyError, TypeError):
        rest_s = ANSWER_S
    answer.release()
    raise Unavailable("the homeserver wants to be left alone", retry_after_s=max(0.5, min(rest_s, 3_600.0)))
