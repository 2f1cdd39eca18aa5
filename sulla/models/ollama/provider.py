"""Ollama's chat API: the SDK's address, key and transport around our own encoder and reader."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from typing import Final

import httpx
import orjson
from ollama import AsyncClient

from sulla.core.clock import Clock
from sulla.core.errors import ProviderTransient, ProviderUnreachable
from sulla.core.ids import MakeId
from sulla.models.base import ChatRequest, Delta
from sulla.models.ollama.answers import embeddings_of, encode_embedding, models_of
from sulla.models.ollama.probe import address
from sulla.models.ollama.wire import ADVICE, OllamaOptions, OllamaReply, encode_request, service_error
from sulla.models.wire.advice import Advice
from sulla.models.wire.failures import hung_up, no_answer, refused, retry_after_s, soon_again_s, took_too_long
from sulla.models.wire.reading import read_reply

CONNECT_S = 5.0
"""How long a connection may take; the service is on the same machine or the same network."""

EMBED_S = 120.0
"""How long embeddings may take; the model may have to be loaded first."""

LIST_S = 10.0
"""How long a list of models, or the rest of any short answer, may take."""

_TIMEOUT: Final = httpx.Timeout(None, connect=CONNECT_S)
"""The rest is for our own deadlines: the transport's would be set anew at every read."""

_BROKEN = (httpx.HTTPError, httpx.StreamError)
"""What the transport raises when a connection breaks."""


class _Wire(AsyncClient):
    """The SDK's client with a way to its transport: its own stream builds a checked model of every piece."""

    async def ask(self, method: str, path: str, body: bytes) -> httpx.Response:
        """Send a body and return when the head of the answer is there."""
        request = self._client.build_request(method, path, content=body or None, timeout=_TIMEOUT)
        response: httpx.Response = await self._client.send(request, stream=True)
        return response

    async def hang_up(self) -> None:
        """Let go of connections."""
        await self._client.aclose()


class OllamaProvider:
    """Implements `models.Provider`, `models.Embedder` and `models.ModelLister`.

    A model is not held to a tool that it has to call (`ollama_wire.encode_request`).

    Args:
        host: as in OLLAMA_HOST, e.g. ``127.0.0.1:11434``; empty for the default.
        clock: for deadlines.
        make_id: names replies and tool calls.
        options: what is sent with every request.
        advice: what people are told to do where the service has no such model.
    """

    name = "ollama"

    def __init__(
        self,
        host: str,
        clock: Clock,
        make_id: MakeId,
        options: OllamaOptions | None = None,
        advice: Advice = ADVICE,
    ) -> None:
        self._clock = clock
        self._make_id = make_id
        self._advice = advice
        self._options = options or OllamaOptions()
        self._address = address(host)
        self._wire = _Wire(self._address)

    def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """See `models.Provider.stream`."""
        reply = OllamaReply(request.model, self._make_id)
        return read_reply(lambda: self._open(request), reply, request, self._clock, _BROKEN)

    async def embed(self, model: str, texts: Sequence[str], timeout_s: float = EMBED_S) -> list[list[float]]:
        """See `models.Embedder.embed`."""
        if not texts:
            return []
        body = encode_embedding(model, texts, self._options)
        response = await self._ask("POST", "/api/embed", body, model, timeout_s)
        return embeddings_of(model, await self._all(response, model), len(texts))

    async def models(self) -> tuple[str, ...]:
        """See `models.ModelLister.models`."""
        response = await self._ask("GET", "/api/tags", b"", "any", LIST_S)
        return models_of(await self._all(response, "any"))

    async def close(self) -> None:
        """Let go of connections."""
        await self._wire.hang_up()

    async def _open(self, request: ChatRequest) -> httpx.Response:
        """Send the request and wait for the answer's head; a model may have to be loaded first.

        Raises:
            ProviderError: there is no answer, or it is not the beginning of a reply.
            InvalidInput: the history cannot be sent as it is.
        """
        body = encode_request(request, self._options)
        return await self._ask("POST", "/api/chat", body, request.model, request.timeout_s)

    async def _ask(self, method: str, path: str, body: bytes, model: str, timeout_s: float) -> httpx.Response:
        try:
            async with self._clock.timeout(timeout_s):
                response = await self._wire.ask(method, path, body)
                if response.is_success:
                    return response
                said = await response.aread()
        except (TimeoutError, *_BROKEN) as error:
            raise self._unanswered(model, timeout_s, error) from error
        wait_s = retry_after_s(response.headers, self._clock.now())
        status = response.status_code
        raise refused(service_error(model, status, _said(said), wait_s, self._advice), status, self._address)

    async def _all(self, response: httpx.Response, model: str) -> bytes:
        try:
            async with self._clock.timeout(LIST_S):
                return await response.aread()
        except (TimeoutError, *_BROKEN) as error:
            raise self._unanswered(model, LIST_S, error) from error
        finally:
            await response.aclose()

    def _unanswered(self, model: str, timeout_s: float, error: Exception) -> ProviderTransient:
        if isinstance(error, TimeoutError):
            return took_too_long(model, timeout_s)
        if hung_up(error):
            return no_answer(self._address, f"the model {model!r}")
        kind = (
            ProviderUnreachable if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)) else ProviderTransient
        )
        return kind(
            f"no Ollama at {self._address} for the model {model!r} ({str(error) or type(error).__name__}): "
            "start it with `ollama serve`, or check OLLAMA_HOST",
            retry_after_s=soon_again_s(self._address, error),
        )


def _said(body: bytes) -> str:
    """The service's words in a failed answer; all of it if it has no form that is known."""
    with suppress(orjson.JSONDecodeError):
        data = orjson.loads(body)
        if isinstance(data, dict) and isinstance(data.get("error"), str):
            return str(data["error"])
    return body.decode("utf-8", "replace")
