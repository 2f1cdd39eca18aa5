"""Ollama's chat API: the SDK's address, key and transport around our own encoder and reader."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import cast

import httpx
import orjson
from ollama import AsyncClient

from sulla.core.clock import Clock
from sulla.core.errors import ProviderProtocol, ProviderTransient
from sulla.core.ids import MakeId
from sulla.providers.base import ChatRequest, Delta
from sulla.providers.deadline import Deadline, drain, too_slow
from sulla.providers.ollama_probe import address
from sulla.providers.ollama_wire import OllamaOptions, OllamaReply, encode_request, service_error

CONNECT_S = 5.0
"""How long a connection may take; the service is on the same machine or the same network."""


class _Wire(AsyncClient):
    """The SDK's client with a way to its transport: its own stream builds a checked model of every piece."""

    async def post(self, path: str, body: bytes, timeout: httpx.Timeout) -> httpx.Response:
        """Send a body and return when the head of the answer is there."""
        request = self._client.build_request("POST", path, content=body, timeout=timeout)
        response: httpx.Response = await self._client.send(request, stream=True)
        return response

    async def hang_up(self) -> None:
        """Let go of connections."""
        await self._client.aclose()


class OllamaProvider:
    """Keeps `providers.Provider`.

    Args:
        host: as in OLLAMA_HOST, e.g. ``127.0.0.1:11434``; empty for the default.
        clock: for deadlines.
        make_id: names replies and tool calls.
        options: what is sent with every request.
    """

    name = "ollama"

    def __init__(self, host: str, clock: Clock, make_id: MakeId, options: OllamaOptions | None = None) -> None:
        self._clock = clock
        self._make_id = make_id
        self._options = options or OllamaOptions()
        self._address = address(host)
        self._wire = _Wire(self._address)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """See `providers.Provider.stream`."""
        body = encode_request(request, self._options)
        until = self._clock.elapsed() + request.timeout_s
        response = await self._open(request, body)
        deadline = Deadline(self._clock, until - self._clock.elapsed(), response.aclose)
        reply = OllamaReply(request.model, self._make_id)
        try:
            async with aclosing(cast(AsyncGenerator[bytes, None], response.aiter_bytes())) as chunks:
                async for chunk in chunks:
                    if deadline.passed:
                        break
                    deltas = reply.feed(chunk)
                    if reply.completed:
                        await drain(chunks, self._clock, httpx.HTTPError, httpx.StreamError)
                    for delta in deltas:
                        yield delta
            if deadline.passed and not reply.completed:
                raise too_slow(request)
            reply.end()
        except (httpx.HTTPError, httpx.StreamError) as error:
            if deadline.passed:
                raise too_slow(request) from error
            raise ProviderProtocol(
                f"the connection to {self._address} broke in the middle of the reply of the model "
                f"{request.model!r} ({error or type(error).__name__}); nothing of it counts"
            ) from error
        finally:
            await deadline.stop()
            await response.aclose()

    async def close(self) -> None:
        """Let go of connections."""
        await self._wire.hang_up()

    async def _open(self, request: ChatRequest, body: bytes) -> httpx.Response:
        """Send the request and wait for the answer's head; a model may have to be loaded first.

        Raises:
            ProviderError: there is no answer, or it is not the beginning of a reply.
        """
        try:
            async with self._clock.timeout(request.timeout_s):
                timeout = httpx.Timeout(request.timeout_s, connect=CONNECT_S)
                response = await self._wire.post("/api/chat", body, timeout)
                if response.is_success:
                    return response
                said = await response.aread()
        except (TimeoutError, httpx.ReadTimeout) as error:
            raise too_slow(request) from error
        except httpx.HTTPError as error:
            raise ProviderTransient(
                f"no Ollama at {self._address} for the model {request.model!r} ({error or type(error).__name__}): "
                "start it with `ollama serve`, or check OLLAMA_HOST"
            ) from error
        raise service_error(request.model, response.status_code, _said(said))


def _said(body: bytes) -> str:
    """The service's words in a failed answer; all of it if it has no form that is known."""
    with suppress(orjson.JSONDecodeError):
        data = orjson.loads(body)
        if isinstance(data, dict) and isinstance(data.get("error"), str):
            return str(data["error"])
    return body.decode("utf-8", "replace")
