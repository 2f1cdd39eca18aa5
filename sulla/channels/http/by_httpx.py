"""HTTP by the library httpx, with a bound on what one answer may hold, and on how long it may take: the library reads
each whole, however much a server sends, and waits anew for each of its pieces.
"""

from __future__ import annotations

import ssl

import httpx

from sulla.channels.http.bounds import MOST_ANSWER_BYTES, REDIRECTS
from sulla.core.clock import Clock


class AnswerTooSlow(httpx.ReadTimeout):
    """An answer did not come to its end in time."""


class BoundedTransport(httpx.AsyncBaseTransport):
    """Reads each answer whole before anybody has it. Gives up those that are too long or too slow, and refuses
    compressed ones, whose length nobody knows beforehand. It lives as long as the library's client.

    Args:
        inner: what carries requests.
        clock: for the deadline.
        whole_s: how long an answer may take as a whole, from the question on, in seconds.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport, clock: Clock, whole_s: float) -> None:
        self._inner = inner
        self._clock = clock
        self._whole_s = whole_s

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Carry a request.

        Raises:
            AnswerTooSlow: the answer did not come to its end in time.
            httpx.RemoteProtocolError: the answer is a redirect, or packed, although nothing but plain ones is asked
                for; or it has too many bytes.
        """
        request.headers["accept-encoding"] = "identity"
        try:
            async with self._clock.timeout(self._whole_s):
                return await self._answer(request)
        except TimeoutError:
            raise AnswerTooSlow(f"the answer did not come to its end within {self._whole_s:g} s") from None

    async def aclose(self) -> None:
        """Let go of all connections."""
        await self._inner.aclose()

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)
        told = response.stream
        if not isinstance(told, httpx.AsyncByteStream):
            raise httpx.RemoteProtocolError("the answer cannot be waited for")
        try:
            if response.status_code in REDIRECTS:
                raise httpx.RemoteProtocolError("the answer says to ask somewhere else")
            if response.headers.get("content-encoding", "identity") != "identity":
                raise httpx.RemoteProtocolError("the answer is packed, although that was not asked for")
            response.stream = httpx.ByteStream(await _whole(told))
        finally:
            await told.aclose()
        return response


async def _whole(told: httpx.AsyncByteStream) -> bytes:
    pieces, size = list[bytes](), 0
    async for piece in told:
        size += len(piece)
        if size > MOST_ANSWER_BYTES:
            raise httpx.RemoteProtocolError(f"the answer has more than {MOST_ANSWER_BYTES} bytes")
        pieces.append(piece)
    return b"".join(pieces)


def bounded(trusted: ssl.SSLContext, connections: int, clock: Clock, whole_s: float) -> BoundedTransport:
    """What carries requests over the network.

    Args:
        trusted: by what servers are known.
        connections: the most at once.
        clock, whole_s: see `BoundedTransport`.
    """
    limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
    return BoundedTransport(httpx.AsyncHTTPTransport(verify=trusted, limits=limits), clock, whole_s)
