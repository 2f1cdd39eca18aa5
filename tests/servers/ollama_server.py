"""A fake of Ollama's chat API on a real socket, by the same scripts as the other fakes."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from types import TracebackType
from typing import Self

import orjson

from sulla.core.clock import Clock
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json, JsonObject
from tests.servers.playing import Event, cut, play
from tests.servers.script import Asked, Failure, Reply, Script
from tests.servers.wire import WireRequest, WireResponse, WireServer


class FakeOllama:
    """Answers by a script while its block lasts.

    Args:
        script: what to say.
        clock: for delays.
        models: what it says it has.
    """

    def __init__(self, script: Script, clock: Clock, models: tuple[str, ...] = ("fake:1b",)) -> None:
        self._script = script
        self._clock = clock
        self._models = models
        self._server = WireServer(self._handle)
        self._released: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.requests: list[JsonObject] = []
        """The body of every chat request, in order."""
        self.ended: list[str] = []
        """How each ended: ``done``, ``failed``, ``cut`` or ``left``."""

    def release(self, name: str) -> None:
        """Let replies that stand still at `name` go on, now and later."""
        self._released[name].set()

    @property
    def url(self) -> str:
        """What OLLAMA_HOST has to be."""
        return self._server.url

    async def __aenter__(self) -> Self:
        await self._server.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._server.__aexit__(kind, error, trace)

    async def _handle(self, request: WireRequest, response: WireResponse) -> None:
        if (request.method, request.path) == ("GET", "/api/tags"):
            models: list[Json] = [{"model": name, "name": name, "size": 1, "digest": "0"} for name in self._models]
            await response.whole(200, orjson.dumps({"models": models}))
        elif (request.method, request.path) == ("POST", "/api/chat"):
            body: JsonObject = orjson.loads(request.body)
            self.requests.append(body)
            how = "left"
            try:
                how = await self._chat(body, response)
            finally:
                self.ended.append(how)
        elif (request.method, request.path) == ("POST", "/api/embed"):
            await self._embed(orjson.loads(request.body), response)
        else:
            await response.whole(404, b'{"error":"no such route"}')

    async def _chat(self, body: JsonObject, response: WireResponse) -> str:
        if body.get("model") not in self._models:
            await response.whole(404, orjson.dumps({"error": f"model '{body.get('model')}' not found"}))
            return "failed"
        try:
            answer = self._script.answer(_asked(body))
        except InvalidInput as error:
            answer = Failure(400, message=error.message)
        if isinstance(answer, Failure):
            raw = orjson.dumps({"error": answer.message})
            if not answer.in_stream:
                headers = {"retry-after": answer.retry_after} if answer.retry_after else {}
                await response.whole(answer.status, raw, headers)
                return "failed"
            answer = Reply(broken=f"{raw.decode()}\n")
        await response.start(200, {"content-type": "application/x-ndjson"})
        return await play(lines(answer, body), answer, response, self._clock, self._hold)

    async def _hold(self, name: str) -> None:
        await self._released[name].wait()

    async def _embed(self, body: JsonObject, response: WireResponse) -> None:
        if body.get("model") not in self._models:
            await response.whole(404, orjson.dumps({"error": f"model '{body.get('model')}' not found"}))
            return
        texts = body.get("input")
        vectors: list[Json] = [_place(str(text)) for text in (texts if isinstance(texts, list) else [texts])]
        await response.whole(200, orjson.dumps({"model": body.get("model"), "embeddings": vectors}))


def _place(text: str) -> Json:
    """The fake's rule: how often each vowel stands in a text."""
    return [float(text.lower().count(vowel)) for vowel in "aeiou"]


def _asked(body: JsonObject) -> Asked:
    results = 0
    messages = body.get("messages")
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, dict):
            if message.get("role") == "user":
                return Asked(str(message.get("content")), results)
            results += message.get("role") == "tool"
    return Asked("", results)


def lines(reply: Reply, body: JsonObject) -> Iterator[Event]:
    """A streamed reply, line by line.

    Args:
        reply: what to say.
        body: the request.
    """
    for piece in cut(reply.thinking, reply.pieces):
        yield Event(_line(body, {"thinking": piece}))
    for piece in cut(reply.text, reply.pieces):
        yield Event(_line(body, {"content": piece}), shows_text=True)
    if reply.broken:
        yield Event(reply.broken.encode())
        return
    if reply.tools:
        calls: list[Json] = [
            {"function": {"name": tool.name, "arguments": tool.raw or tool.args}} for tool in reply.tools
        ]
        yield Event(_line(body, {"tool_calls": calls}))
    counts: JsonObject = {"prompt_eval_count": len(orjson.dumps(body)) // 4, "eval_count": len(reply.text) // 4 + 1}
    yield Event(_line(body, {}, {"done": True, "done_reason": reply.stop or "stop", **counts}))


def _line(body: JsonObject, message: JsonObject, rest: JsonObject | None = None) -> bytes:
    line: JsonObject = {
        "model": body.get("model"),
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": "", **message},
        "done": False,
        **(rest or {}),
    }
    return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
