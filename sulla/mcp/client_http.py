"""HTTP with a bound on what an answer may hold."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

import httpx2

MAX_ANSWER: Final = 4 * 1024 * 1024
"""Bytes of one answer, or of one event of a stream; a result that is read by a model has a hundredth of it."""


class Limited(httpx2.AsyncBaseTransport):
    """Cuts answers off that are too long, or that come packed: what they unpack to cannot be known.

    Args:
        inner: what carries requests.
    """

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Carry a request.

        Raises:
            httpx2.RemoteProtocolError: the answer is packed, although nothing but plain ones is asked for.
        """
        response = await self._inner.handle_async_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise httpx2.RemoteProtocolError("the answer is packed, although that was not asked for")
        streams = response.headers.get("content-type", "").startswith("text/event-stream")
        stream = response.stream
        if not streams and isinstance(stream, httpx2.AsyncByteStream):
            response.stream = _Counted(stream)
        return response

    async def aclose(self) -> None:
        """Let go of all connections."""
        await self._inner.aclose()


class _Counted(httpx2.AsyncByteStream):
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
