"""Anthropic's Messages API: the SDK's keys, transport and errors around our own encoder and reader.

The SDK checks every event against its whole union of types, which costs three quarters of what a token costs on its way
to a client; its default transport costs two to three times as much as the aiohttp one.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

import httpx2
from anthropic import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AsyncAnthropic,
    AsyncStream,
    DefaultAioHttpClient,
)

from sulla.core.clock import Clock
from sulla.core.errors import ProviderError, ProviderProtocol, ProviderTransient, ProviderUnauthorized, SettingsError
from sulla.core.jsontypes import FrozenJson
from sulla.providers.anthropic_errors import retry_after_s, status_error
from sulla.providers.anthropic_reply import AnthropicReply
from sulla.providers.anthropic_wire import RequestEncoder
from sulla.providers.base import ChatRequest, Delta
from sulla.providers.deadline import Deadline, drain, too_slow

BASE_URL = "https://api.anthropic.com"
CONNECT_S = 10.0
"""How long a connection may take; the service is there within a second or not at all."""


class AnthropicProvider:
    """Keeps `providers.Provider`.

    Args:
        api_key: the key; empty for none, which fails at the first request.
        clock: for deadlines.
        base_url: where the service is.
        extra: top-level fields for every request, e.g. ``{"thinking": {"type": "adaptive"}}``.

    Raises:
        SettingsError: the key holds what no HTTP header can carry.
    """

    name = "anthropic"

    def __init__(
        self, api_key: str, clock: Clock, *, base_url: str = BASE_URL, extra: FrozenJson | None = None
    ) -> None:
        if not (api_key.isascii() and api_key.isprintable()) or " " in api_key:
            raise SettingsError("ANTHROPIC_API_KEY holds blanks or other characters that no key has: set it again")
        self._key = api_key
        self._clock = clock
        self._encoder = RequestEncoder(extra)
        self._client = AsyncAnthropic(
            api_key=api_key or "none",  # an empty one would make the SDK look for others in the environment
            base_url=base_url,
            max_retries=0,  # ours is the only retry (design §13)
            http_client=DefaultAioHttpClient(),
            open_telemetry=False,
        )

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """See `providers.Provider.stream`."""
        if not self._key:
            raise ProviderUnauthorized(f"no key for the model {request.model!r}: set ANTHROPIC_API_KEY")
        body = self._encoder.encode(request)
        until = self._clock.elapsed() + request.timeout_s
        response = await self._open(request, body)
        deadline = Deadline(self._clock, until - self._clock.elapsed(), response.aclose)
        reply = AnthropicReply(request.model)
        try:
            async with aclosing(response.aiter_bytes()) as chunks:
                async for chunk in chunks:
                    if deadline.passed:
                        break
                    deltas = reply.feed(chunk)
                    if reply.completed:
                        await drain(chunks, self._clock, httpx2.HTTPError)
                    for delta in deltas:
                        yield delta
            if deadline.passed and not reply.completed:
                raise too_slow(request)
            reply.end()
        except httpx2.HTTPError as error:
            if deadline.passed:
                raise too_slow(request) from error
            raise ProviderProtocol(
                f"the connection broke in the middle of the reply of the model {request.model!r} ({_why(error)}); "
                "nothing of it counts"
            ) from error
        finally:
            await deadline.stop()
            await response.aclose()

    async def close(self) -> None:
        """Let go of connections."""
        await self._client.close()

    async def _open(self, request: ChatRequest, body: bytes) -> httpx2.Response:
        """Send the request and wait for the answer's head.

        Raises:
            ProviderError: there is no answer, or it is not the beginning of a reply.
        """
        streaming: bool = True  # typed so that mypy sees the raw response among what `post` may return
        try:
            async with self._clock.timeout(request.timeout_s):
                response = await self._client.post(
                    "/v1/messages",
                    cast_to=httpx2.Response,
                    content=body,
                    # Compressed, a stream would come in lumps.
                    options={"headers": _HEADERS, "timeout": httpx2.Timeout(request.timeout_s, connect=CONNECT_S)},
                    stream=streaming,
                    stream_cls=AsyncStream[object],
                )
        except (TimeoutError, APITimeoutError) as error:
            raise too_slow(request) from error
        except APIStatusError as error:
            raise self._refused(request, error) from error
        except (APIConnectionError, httpx2.HTTPError) as error:
            raise ProviderTransient(
                f"no connection to {self._client.base_url} for the model {request.model!r} ({_why(error)}): check the "
                "network and ANTHROPIC_BASE_URL"
            ) from error
        if not isinstance(response, httpx2.Response):
            raise TypeError(f"the SDK gave a {type(response).__name__} where a raw response was asked for")
        kind = response.headers.get("content-type", "nothing")
        if not kind.startswith("text/event-stream"):
            await response.aclose()
            raise ProviderProtocol(
                f"{self._client.base_url} answered the model {request.model!r} with {kind!r} where an event stream was "
                "expected: check ANTHROPIC_BASE_URL"
            )
        return response

    def _refused(self, request: ChatRequest, error: APIStatusError) -> ProviderError:
        said = (error.api_message or error.message).replace(self._key, "***")
        wait_s = retry_after_s(error.response.headers, self._clock.now())
        return status_error(request.model, error.status_code, str(error.type or ""), said, wait_s)


_HEADERS = {"Accept": "text/event-stream", "Accept-Encoding": "identity"}


def _why(error: Exception) -> str:
    """The innermost words about a failed connection; the outer ones only say that it failed."""
    while isinstance(error.__cause__, Exception):
        error = error.__cause__
    return str(error) or type(error).__name__
