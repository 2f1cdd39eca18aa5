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
from sulla.testing.script import Asked, Failure, Reply, Script
from sulla.testing.wire import WireRequest, WireResponse, WireServer


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
        if isinstance(answer, Failure) and not answer.in_stream:
            await response.whole(answer.status, orjson.dumps({"error": answer.message}))
            return "failed"
        await response.start(200, {"content-type": "application/x-ndjson"})
        if isinstance(answer, Failure):
            await response.send(orjson.dumps({"error": answer.message}, option=orjson.OPT_APPEND_NEWLINE))
            await response.end()
            return "failed"
        sent = 0
        for place, line in enumerate(_lines(answer, body)):
            if answer.hold and place == answer.hold_after:
                await self._released[answer.hold].wait()
            if answer.delay_s:
                await self._clock.sleep(answer.delay_s)
            if answer.cut_after is not None and sent + len(line) >= answer.cut_after:
                await response.send(line[: answer.cut_after - sent])
                if answer.cut_how == "end":
                    await response.end()
                else:
                    response.cut()
                return "cut"
            await response.send(line)
            sent += len(line)
        await response.end()
        return "failed" if answer.broken else "done"


def _asked(body: JsonObject) -> Asked:
    results = 0
    messages = body.get("messages")
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, dict):
            if message.get("role") == "user":
                return Asked(str(message.get("content")), results)
            results += message.get("role") == "tool"
    return Asked("", results)


def _lines(reply: Reply, body: JsonObject) -> Iterator[bytes]:
    """A streamed reply, line by line."""
    for name, text in (("thinking", reply.thinking), ("content", reply.text)):
        size = max(1, -(-len(text) // max(1, reply.pieces)))
        for start in range(0, len(text), size):
            yield _line(body, {name: text[start : start + size]})
    if reply.broken:
        yield reply.broken.encode()
        return
    if reply.tools:
        calls: list[Json] = [{"function": {"name": tool.name, "arguments": tool.args}} for tool in reply.tools]
        yield _line(body, {"tool_calls": calls})
    counts: JsonObject = {"prompt_eval_count": len(orjson.dumps(body)) // 4, "eval_count": len(reply.text) // 4 + 1}
    yield _line(body, {}, {"done": True, "done_reason": reply.stop or "stop", **counts})


def _line(body: JsonObject, message: JsonObject, rest: JsonObject | None = None) -> bytes:
    line: JsonObject = {
        "model": body.get("model"),
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": "", **message},
        "done": False,
        **(rest or {}),
    }
    return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
