"""OpenAI's API, and every server that speaks it: the SDK's keys, headers, transport and errors around our own
wire.

The SDK checks every chunk against its own types, which costs some fifty times what reading it costs; what it does for
each request takes a millisecond.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final
from urllib.parse import urlsplit

import httpx2
from openai import APIStatusError, AsyncOpenAI, DefaultAioHttpClient

from sulla.core.clock import Clock
from sulla.core.errors import ProviderError, ProviderKeyMissing, ProviderTransient
from sulla.core.ids import MakeId
from sulla.models.base import ChatRequest, Delta
from sulla.models.openai.chat import ChatReply
from sulla.models.openai.embeddings import PATH, embeddings_of, encode_embedding
from sulla.models.openai.errors import ADVICE, said_of, status_error
from sulla.models.openai.responses import ResponsesReply
from sulla.models.openai.wire import Form, OpenAiOptions, encode_request
from sulla.models.wire.advice import Advice
from sulla.models.wire.failures import no_connection, refused, retry_after_s, took_too_long
from sulla.models.wire.keys import check_key
from sulla.models.wire.reading import expect_events, read_reply

BASE_URL = "https://api.openai.com/v1"
CONNECT_S = 10.0
"""How long a connection may take; the service is there within a second or not at all."""

EMBED_S = 60.0
"""How long embeddings may take; a server of one's own may have to load the model first."""

_TIMEOUT: Final = httpx2.Timeout(None, connect=CONNECT_S)
"""The rest is for our own deadlines: the transport's would be set anew at every read."""

_PATHS: Final[dict[Form, str]] = {"chat": "/chat/completions", "responses": "/responses"}
_NO_KEY = "none"
"""Sent where there is no key: an empty one would make the SDK look for others in the environment."""


class _Wire(AsyncOpenAI):
    """The SDK's client with a way to its transport: its own builds each request and its headers anew, and looks at the
    platform for them.
    """

    @cached_property
    def _head(self) -> httpx2.Headers:
        every = {**self.default_headers, "Authorization": f"Bearer {self.api_key}", **_HEADERS}
        return httpx2.Headers({name: value for name, value in every.items() if isinstance(value, str)})

    async def send(self, path: str, body: bytes) -> httpx2.Response:
        """Send a body and return when the head of the answer is there.

        Raises:
            APIStatusError: the service refused it.
        """
        request = httpx2.Request(
            "POST",
            self._prepare_url(path),
            headers=self._head,
            content=body,
            extensions={"timeout": _TIMEOUT.as_dict()},
        )
        response = await self._client.send(request, stream=True)
        if response.is_success:
            return response
        await response.aread()
        raise self._make_status_error_from_response(response)


class OpenAiProvider:
    """Implements `models.Provider` and `models.Embedder`.

    Args:
        api_key: the key; empty for none, which OpenAI's own service refuses and a server of one's own seldom asks for.
        clock: for deadlines.
        make_id: names replies, and tool calls that come without an id.
        base_url: where the service is, with its version, e.g. ``http://127.0.0.1:8000/v1``.
        options: how this server differs; at OpenAI's own address the token limit goes by its newer name, and a tool
            that has to be called by its name.
        advice: what people are told to do where the service does not take the key, or has no such model.

    Raises:
        SettingsError: the key holds what no HTTP header can carry.
    """

    name = "openai"

    def __init__(
        self,
        api_key: str,
        clock: Clock,
        make_id: MakeId,
        *,
        base_url: str = BASE_URL,
        options: OpenAiOptions | None = None,
        advice: Advice = ADVICE,
    ) -> None:
        check_key("OPENAI_API_KEY", api_key)
        self._key = api_key
        self._advice = advice
        self._clock = clock
        self._make_id = make_id
        self._wants_key = urlsplit(base_url).hostname == urlsplit(BASE_URL).hostname
        options = options or OpenAiOptions()
        own = replace(options, limit_field="max_completion_tokens", choice="named")
        self._options = own if self._wants_key else options
        self._client = _Wire(
            api_key=api_key or _NO_KEY,
            base_url=base_url,
            max_retries=0,  # ours is the only retry (design §13)
            http_client=DefaultAioHttpClient(),
        )

    def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """See `models.Provider.stream`."""
        kind = ResponsesReply if self._options.form == "responses" else ChatReply
        reply = kind(request.model, self._make_id)
        return read_reply(lambda: self._open(request), reply, request, self._clock, (httpx2.HTTPError,))

    async def embed(self, model: str, texts: Sequence[str], timeout_s: float = EMBED_S) -> list[list[float]]:
        """See `models.Embedder.embed`."""
        if not texts:
            return []
        response = await self._post(PATH, encode_embedding(model, texts), model, timeout_s)
        try:
            async with self._clock.timeout(timeout_s):
                body = await response.aread()
        except (TimeoutError, httpx2.HTTPError) as error:
            raise self._unanswered(model, timeout_s, error) from error
        finally:
            await response.aclose()
        return embeddings_of(model, body, len(texts))

    async def close(self) -> None:
        """Let go of connections."""
        await self._client.close()

    async def _open(self, request: ChatRequest) -> httpx2.Response:
        """Send the request and wait for the answer's head.

        Raises:
            ProviderError: there is no answer, or it is not the beginning of a reply.
            InvalidInput: the history cannot be sent as it is.
        """
        body = encode_request(request, self._options)
        response = await self._post(_PATHS[self._options.form], body, request.model, request.timeout_s)
        await expect_events(response, request.model, str(self._client.base_url), "OPENAI_BASE_URL")
        return response

    async def _post(self, path: str, body: bytes, model: str, timeout_s: float) -> httpx2.Response:
        if self._wants_key and not self._key:
            raise ProviderKeyMissing(f"no key for the model {model!r}: set OPENAI_API_KEY")
        try:
            async with self._clock.timeout(timeout_s):
                return await self._client.send(path, body)
        except APIStatusError as error:
            raise self._refused(model, error) from error
        except (TimeoutError, httpx2.HTTPError) as error:
            raise self._unanswered(model, timeout_s, error) from error

    def _refused(self, model: str, error: APIStatusError) -> ProviderError:
        said = said_of(error.body) or error.message
        if self._key:
            said = said.replace(self._key, "***")
        wait_s = retry_after_s(error.response.headers, self._clock.now())
        kind = f"{error.code or ''} {error.type or ''}"
        means = status_error(model, error.status_code, kind, said, wait_s, self._advice)
        return refused(means, error.status_code, str(self._client.base_url))

    def _unanswered(self, model: str, timeout_s: float, error: Exception) -> ProviderTransient:
        if isinstance(error, TimeoutError):
            return took_too_long(model, timeout_s)
        nobody = (httpx2.ConnectError, httpx2.ConnectTimeout)
        return no_connection(model, str(self._client.base_url), "OPENAI_BASE_URL", error, *nobody)


# Compressed, a stream would come in lumps.
_HEADERS = {"Content-Type": "application/json", "Accept": "text/event-stream", "Accept-Encoding": "identity"}
