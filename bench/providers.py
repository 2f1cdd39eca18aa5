"""What a piece of a streamed reply costs, beside the least code that reads one.

The limit for Anthropic and for OpenAI's API is HTTP, events and JSON read by hand from a socket; the one for Ollama
reads lines by hand from the same transport (httpx), which nothing but another transport could make cheaper. All of them
pass on what a read brings before they read again; checks, deadlines and the whole message at the end are ours alone.
Every way in which services send has a bar; docs/inside/performance.md says what they are.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol
from urllib.parse import urlsplit

import httpx
import orjson

from bench.frame import Frame, Measure, Row
from bench.process import ready_url, running
from bench.stream_server import WORD
from sulla.core.ids import MessageId
from sulla.core.message import Message, Text
from sulla.host.system import SystemClock, random_id
from sulla.models.anthropic.provider import AnthropicProvider
from sulla.models.base import ChatRequest, Completed, Provider, TextDelta
from sulla.models.ollama.provider import OllamaProvider
from sulla.models.openai.provider import OpenAiProvider

NAME = "providers"
BURST = 8000
"""About the longest reply that the default settings allow."""
PACED = 300
ROUNDS = 25
"""A paced reply takes its time; more rounds would too."""

_REQUEST = ChatRequest("m", (), [Message(MessageId("m1"), "user", (Text("hello"),))])
_BODY = b'{"model":"m","max_tokens":8192,"stream":true,"messages":[{"role":"user","content":"hello"}]}'


class Reader(Protocol):
    """One contender."""

    async def read(self) -> str:
        """Ask once, and return the text, put together from what comes."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


class Ours:
    """A provider of Sulla's."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    async def read(self) -> str:
        """See `Reader`."""
        text = []
        last = None
        async for delta in self._provider.stream(_REQUEST):
            if isinstance(delta, TextDelta):
                text.append(delta.text)
            last = delta
        assert isinstance(last, Completed)
        return "".join(text)

    async def close(self) -> None:
        """See `Reader`."""
        await self._provider.close()


class BySocket:
    """HTTP/1.1, chunks, events and JSON by hand.

    Args:
        url: whom to ask.
        last: the data that ends a reply.
        text_of: the text in an event's JSON; empty for none.
    """

    def __init__(self, url: str, last: bytes, text_of: Callable[[dict[str, Any]], str]) -> None:
        self._url = urlsplit(url)
        self._last = last
        self._text_of = text_of
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def read(self) -> str:
        """See `Reader`."""
        return "".join([text async for text in self._texts()])

    async def _texts(self) -> AsyncGenerator[str, None]:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._url.hostname, self._url.port, limit=2**18)
        reader, writer = self._streams
        writer.write(
            f"POST {self._url.path} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(_BODY)}\r\n\r\n".encode() + _BODY
        )
        await reader.readuntil(b"\r\n\r\n")
        raw, rest = b"", b""
        while not raw.endswith(b"0\r\n\r\n"):
            raw += await reader.read(2**18)
            body, raw = _unchunked(raw)
            events = (rest + body).split(b"\n\n")
            rest = events.pop()
            text = []
            for event in events:
                data = event.partition(b"data: ")[2]
                if data != self._last and (piece := self._text_of(orjson.loads(data))):
                    text.append(piece)
            if text:
                yield "".join(text)

    async def close(self) -> None:
        """See `Reader`."""
        if self._streams is not None:
            self._streams[1].close()
            await self._streams[1].wait_closed()


class ByHttpx:
    """Lines and JSON by hand, over httpx."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client = httpx.AsyncClient()

    async def read(self) -> str:
        """See `Reader`."""
        return "".join([text async for text in self._texts()])

    async def _texts(self) -> AsyncGenerator[str, None]:
        rest = b""
        async with self._client.stream("POST", self._url, content=_BODY) as response:
            async for chunk in response.aiter_bytes():
                lines = (rest + chunk).split(b"\n")
                rest = lines.pop()
                if text := "".join([orjson.loads(line)["message"]["content"] for line in lines]):
                    yield text

    async def close(self) -> None:
        """See `Reader`."""
        await self._client.aclose()


def _unchunked(raw: bytes) -> tuple[bytes, bytes]:
    """The content of whole chunks, and what is left; of the last chunk, all is left."""
    found = []
    start = 0
    while (end := raw.find(b"\r\n", start)) >= 0:
        size = int(raw[start:end], 16)
        if size == 0 or len(raw) < end + 4 + size:
            break
        found.append(raw[end + 2 : end + 2 + size])
        start = end + 4 + size
    return b"".join(found), raw[start:]


def _anthropic_text(event: dict[str, Any]) -> str:
    delta = event.get("delta")
    return str(delta.get("text", "")) if isinstance(delta, dict) else ""


def _openai_text(event: dict[str, Any]) -> str:
    choices = event["choices"]
    return choices[0]["delta"].get("content") or "" if choices else ""


@dataclass(frozen=True, slots=True)
class _Duel:
    """One provider against its limit."""

    name: str
    limit_name: str
    ours: Callable[[str], Provider]
    limit: Callable[[str], Reader]
    paced_bar: float
    queued_bar: float
    burst_bar: float


_DUELS = (
    _Duel(
        "anthropic",
        "by hand from a socket",
        lambda url: AnthropicProvider("key", SystemClock(), base_url=url),
        lambda url: BySocket(f"{url}/v1/messages", b"", _anthropic_text),
        1.5,
        2.0,
        2.0,
    ),
    _Duel(
        "ollama",
        "by hand over httpx",
        lambda url: OllamaProvider(url, SystemClock(), random_id),
        lambda url: ByHttpx(f"{url}/api/chat"),
        1.5,
        1.5,
        1.5,
    ),
    _Duel(
        "openai",
        "by hand from a socket",
        lambda url: OpenAiProvider("", SystemClock(), random_id, base_url=url),
        lambda url: BySocket(f"{url}/chat/completions", b"[DONE]", _openai_text),
        1.5,
        2.0,
        2.0,
    ),
)


def run(frame: Frame) -> list[Row]:
    """Read replies in each of the server's ways; processor time of this process in µs per piece of text."""
    with running(["-m", "bench.stream_server"]) as process, asyncio.Runner() as runner:
        url = ready_url(process)
        return [
            row
            for duel in _DUELS
            for mode, pieces, bar in (
                ("paced", PACED, duel.paced_bar),
                ("queued", BURST, duel.queued_bar),
                ("burst", BURST, duel.burst_bar),
            )
            for row in _measure(frame, runner, duel, f"{url}/{mode}/{pieces}", bar)
        ]


def _measure(frame: Frame, runner: asyncio.Runner, duel: _Duel, url: str, bar: float) -> list[Row]:
    mode, pieces = url.split("/")[-2:]
    ours, limit = f"{duel.name}, {mode}", f"{duel.limit_name}, {duel.name}, {mode}"
    readers: dict[str, Reader] = {limit: duel.limit(url), ours: Ours(duel.ours(url))}

    async def cost(reader: Reader) -> float:
        begun = time.process_time_ns()
        text = await reader.read()
        spent = time.process_time_ns() - begun
        assert text == WORD * int(pieces)
        return spent / 1000 / int(pieces)

    measures: dict[str, Measure] = {name: partial(_run, runner, cost, reader) for name, reader in readers.items()}
    found = frame.compare(measures, "µs", min(frame.rounds, ROUNDS))
    for reader in readers.values():
        runner.run(reader.close())
    return [found.row(limit), found.row(ours, limit, bar)]


def _run(runner: asyncio.Runner, cost: Callable[[Reader], Coroutine[object, object, float]], reader: Reader) -> float:
    return runner.run(cost(reader))
