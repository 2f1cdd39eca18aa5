"""Anthropic's Messages API: the SDK's keys, headers, transport and errors around our own encoder and reader.

The SDK checks every event against its whole union of types, which costs three quarters of what a token costs on its way
to a client; what it does for each request takes a millisecond; its default transport costs two to three times as much
as the aiohttp one.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from functools import cached_property
from typing import Final

import httpx2
from anthropic import APIStatusError, AsyncAnthropic, DefaultAioHttpClient

from sulla.core.clock import Clock
from sulla.core.errors import ProviderError, ProviderKeyMissing, ProviderTransient
from sulla.core.jsontypes import FrozenJson
from sulla.models.anthropic.errors import ADVICE, status_error
from sulla.models.anthropic.reply import AnthropicReply, count_of
from sulla.models.anthropic.wire import RequestEncoder
from sulla.models.base import ChatRequest, Delta
from sulla.models.wire.advice import Advice
from sulla.models.wire.failures import no_connection, refused, retry_after_s, took_too_long
from sulla.models.wire.keys import check_key
from sulla.models.wire.reading import expect_events, read_reply

BASE_URL = "https://api.anthropic.com"
CONNECT_S = 10.0
"""How long a connection may take; the service is there within a second or not at all."""

_TIMEOUT: Final = httpx2.Timeout(None, connect=CONNECT_S)
"""The rest is for our own deadlines: the transport's would be set anew at every read."""


class _Wire(AsyncAnthropic):
    """The SDK's client with a way to its transport: its own builds each request and its headers anew, and looks at the
    platform for them.
    """

    @cached_property
    def _head(self) -> httpx2.Headers:
        return httpx2.Headers({name: value for name, value in self.default_headers.items() if isinstance(value, str)})

    async def send(self, path: str, body: bytes, headers: dict[str, str], *, streaming: bool) -> httpx2.Response:
        """Send a body and return when the head of the answer is there, or without `streaming` all of it.

        Raises:
            APIStatusError: the service refused it.
        """
        head = self._head.copy()
        head.update(headers)
        request = httpx2.Request(
            "POST", self._prepare_url(path), headers=head, content=body, extensions={"timeout": _TIMEOUT.as_dict()}
        )
        response = await self._client.send(request, stream=streaming)
        if response.is_success:
            return response
        await response.aread()
        raise self._make_status_error_from_response(response)


class AnthropicProvider:
    """Implements `models.Provider` and `models.TokenCounter`.

    Args:
        api_key: the key; empty for none, which fails at the first request.
        clock: for deadlines.
        base_url: where the service is.
        extra: top-level fields for every request, e.g. ``{"thinking": {"type": "adaptive"}}``.
        advice: what people are told to do where the service does not take the key, or has no such model.

    Raises:
        SettingsError: the key holds what no HTTP header can carry.
    """

    name = "anthropic"

    def __init__(
        self,
        api_key: str,
        clock: Clock,
        *,
        base_url: str = BASE_URL,
        extra: FrozenJson | None = None,
        advice: Advice = ADVICE,
    ) -> None:
        check_key("ANTHROPIC_API_KEY", api_key)
        self._key = api_key
        self._advice = advice
        self._clock = clock
        self._encoder = RequestEncoder(extra)
        self._client = _Wire(
            api_key=api_key or "none",  # an empty one would make the SDK look for others in the environment
            base_url=base_url,
            max_retries=0,  # ours is the only retry (design §13)
            http_client=DefaultAioHttpClient(),
            open_telemetry=False,
        )

    def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """See `models.Provider.stream`."""
        reply = AnthropicReply(request.model)
        return read_reply(lambda: self._open(request), reply, request, self._clock, (httpx2.HTTPError,))

    async def count_tokens(self, request: ChatRequest) -> int:
        """See `models.TokenCounter.count_tokens`. It counts against a rate limit of its own."""
        body = self._encoder.encode_count(request)
        response = await self._post(request, "/v1/messages/count_tokens", body, streaming=False)
        try:
            return count_of(request.model, response.content)
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Let go of connections."""
        await self._client.close()

    async def _open(self, request: ChatRequest) -> httpx2.Response:
        """Send the request and wait for the answer's head.

        Raises:
            ProviderError: there is no answer, or it is not the beginning of a reply.
            InvalidInput: the history cannot be sent as it is.
        """
        response = await self._post(request, "/v1/messages", self._encoder.encode(request), streaming=True)
        await expect_events(response, request.model, str(self._client.base_url), "ANTHROPIC_BASE_URL")
        return response

    async def _post(self, request: ChatRequest, path: str, body: bytes, *, streaming: bool) -> httpx2.Response:
        if not self._key:
            raise ProviderKeyMissing(f"no key for the model {request.model!r}: set ANTHROPIC_API_KEY")
        try:
            async with self._clock.timeout(request.timeout_s):
                return await self._client.send(path, body, _STREAM_HEADERS if streaming else {}, streaming=streaming)
        except APIStatusError as error:
            raise self._refused(request, error) from error
        except (TimeoutError, httpx2.HTTPError) as error:
            raise self._unanswered(request, error) from error

    def _unanswered(self, request: ChatRequest, error: Exception) -> ProviderTransient:
        if isinstance(error, TimeoutError):
            return took_too_long(request.model, request.timeout_s)
        nobody = (httpx2.ConnectError, httpx2.ConnectTimeout)
        return no_connection(request.model, str(self._client.base_url), "ANTHROPIC_BASE_URL", error, *nobody)

    def _refused(self, request: ChatRequest, error: APIStatusError) -> ProviderError:
        said = (error.api_message or error.message).replace(self._key, "***")
        wait_s = retry_after_s(error.response.headers, self._clock.now())
        means = status_error(request.model, error.status_code, str(error.type or ""), said, wait_s, self._advice)
        return refused(means, error.status_code, str(self._client.base_url))


# Compressed, a stream would come in lumps.
_STREAM_HEADERS = {"Accept": "text/event-stream", "Accept-Encoding": "identity"}
