"""HTTP with a bound on what an answer may hold, and on how long a farewell may take."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Final

import httpx2

MAX_ANSWER: Final = 4 * 1024 * 1024
"""Bytes of one answer, or of one event of a stream; a result that is read by a model has a hundredth of it."""
LEAVE_S: Final = 1.0
"""How long a server may take to hear that a session is over: it is told out of politeness alone."""
SESSION_GONE: Final = 404
REFUSED: Final = 300
"""The least status that is no answer to a message."""
HINTS: Final = {
    401: ": it wants a key, or another one, in `headers`",
    403: ": it does not allow this with the key in `headers`",
    404: ": there is no server at this address",
    **dict.fromkeys((301, 302, 303, 307, 308), ": it has moved; name the new address as `url`"),
}
"""What to do about some."""


def refusal(status: int) -> str:
    """What an HTTP status says of a message of ours, and what to do about it; empty if it was taken."""
    return f"its address answered with HTTP {status}{HINTS.get(status, '')}" if status >= REFUSED else ""


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Cuts off answers that are too long, keeps redirects from being followed, and refuses compressed answers, whose
    length nobody knows beforehand.

    Args:
        inner: what carries requests.
        heard: is told the status of each answer to a message.
    """

    def __init__(self, inner: httpx2.AsyncBaseTransport, heard: Callable[[int], None]) -> None:
        self._inner = inner
        self._heard = heard

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Carry a request.

        Raises:
            httpx2.RemoteProtocolError: the answer is packed, although nothing but plain ones is asked for.
        """
        if request.method == "DELETE":
            request.extensions = {**request.extensions, "timeout": httpx2.Timeout(LEAVE_S).as_dict()}
        response = await self._inner.handle_async_request(request)
        # The library would go on to an address of the same server by itself, and take the headers along.
        response.headers.pop("location", None)
        if request.method == "POST":
            self._heard(response.status_code)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise httpx2.RemoteProtocolError("the answer is packed, although that was not asked for")
        streams = response.headers.get("content-type", "").startswith("text/event-stream")
        stream = response.stream
        if not streams and isinstance(stream, httpx2.AsyncByteStream):
            response.stream = _BoundedStream(stream)
        return response

    async def aclose(self) -> None:
        """Let go of all connections."""
        await self._inner.aclose()


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        async for chunk in self._inner:
            seen += len(chunk)
            if seen > MAX_ANSWER:
                raise httpx2.RemoteProtocolError(f"the answer has more than {MAX_ANSWER} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
