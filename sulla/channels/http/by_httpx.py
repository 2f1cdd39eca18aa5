"""HTTP by the library httpx, with a bound on what one answer may hold: it reads each whole, however much a server
sends.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator

import httpx

from sulla.channels.http.bounds import MOST_ANSWER_BYTES, REDIRECTS


class BoundedTransport(httpx.AsyncBaseTransport):
    """Cuts off answers that are too long, and refuses compressed ones, whose length nobody knows beforehand. It lives
    as long as the library's client.

    Args:
        inner: what carries requests.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Carry a request.

        Raises:
            httpx.RemoteProtocolError: the answer is a redirect, or packed, although nothing but plain ones is asked
                for; or, while it is read, that it has too many bytes.
        """
        request.headers["accept-encoding"] = "identity"
        response = await self._inner.handle_async_request(request)
        if response.status_code in REDIRECTS:
            await response.aclose()
            raise httpx.RemoteProtocolError("the answer says to ask somewhere else")
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise httpx.RemoteProtocolError("the answer is packed, although that was not asked for")
        if isinstance(response.stream, httpx.AsyncByteStream):
            response.stream = _BoundedStream(response.stream)
        return response

    async def aclose(self) -> None:
        """Let go of all connections."""
        await self._inner.aclose()


class _BoundedStream(httpx.AsyncByteStream):
    def __init__(self, inner: httpx.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        async for chunk in self._inner:
            seen += len(chunk)
            if seen > MOST_ANSWER_BYTES:
                raise httpx.RemoteProtocolError(f"the answer has more than {MOST_ANSWER_BYTES} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


def bounded(trusted: ssl.SSLContext, connections: int) -> BoundedTransport:
    """What carries requests over the network.

    Args:
        trusted: by what servers are known.
        connections: the most at once.
    """
    limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
    return BoundedTransport(httpx.AsyncHTTPTransport(verify=trusted, limits=limits))
