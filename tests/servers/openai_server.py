"""A fake of OpenAI's API on a real socket, in both of its forms, by the same scripts as the other fakes."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from types import TracebackType
from typing import Self

import orjson

from sulla.core.clock import Clock
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json, JsonObject
from tests.servers.openai_stream import (
    asked_of,
    chat_events,
    error_body,
    error_event,
    fault_of,
    responses_events,
)
from tests.servers.playing import play
from tests.servers.script import Failure, Reply, Script
from tests.servers.wire import WireRequest, WireResponse, WireServer

_FORMS = {"/v1/chat/completions": chat_events, "/v1/responses": responses_events}


class FakeOpenAi:
    """Answers by a script while its block lasts.

    Args:
        script: what to say.
        clock: for delays.
        key: the only key that is let in; empty lets all in.
        models: what it says it has.
    """

    def __init__(self, script: Script, clock: Clock, *, key: str = "", models: tuple[str, ...] = ("fake:1b",)) -> None:
        self._script = script
        self._clock = clock
        self._key = key
        self._models = models
        self._server = WireServer(self._handle)
        self._released: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.requests: list[JsonObject] = []
        """The body of every request for a reply, in order."""
        self.headers: list[Mapping[str, str]] = []
        """What came with them."""
        self.ended: list[str] = []
        """How each ended: ``done``, ``failed``, ``cut`` or ``left``."""

    @property
    def url(self) -> str:
        """What OPENAI_BASE_URL has to be."""
        return f"{self._server.url}/v1"

    async def __aenter__(self) -> Self:
        await self._server.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._server.__aexit__(kind, error, trace)

    def release(self, name: str) -> None:
        """Let replies that stand still at `name` go on, now and later."""
        self._released[name].set()

    async def _handle(self, request: WireRequest, response: WireResponse) -> None:
        if self._key and request.headers.get("authorization") != f"Bearer {self._key}":
            await _refuse(response, Failure(401, "invalid_api_key", "Incorrect API key provided"))
        elif (request.method, request.path) == ("GET", "/v1/models"):
            models: list[Json] = [{"id": name, "object": "model"} for name in self._models]
            await response.whole(200, orjson.dumps({"object": "list", "data": models}))
        elif (request.method, request.path) == ("POST", "/v1/embeddings"):
            await self._embed(orjson.loads(request.body), response)
        elif request.method != "POST" or request.path not in _FORMS:
            await _refuse(response, Failure(404, message=f"no route for {request.method} {request.path}"))
        else:
            self.requests.append(orjson.loads(request.body))
            self.headers.append(request.headers)
            how = "left"
            try:
                how = await self._reply(request.path, self.requests[-1], len(self.requests), response)
            finally:
                self.ended.append(how)

    async def _reply(self, path: str, body: JsonObject, number: int, response: WireResponse) -> str:
        fault = fault_of(body)
        try:
            answer = self._script.answer(asked_of(body)) if fault is None else Failure(400, message=fault)
        except InvalidInput as error:
            answer = Failure(400, message=error.message)
        if isinstance(answer, Failure):
            if not answer.in_stream:
                await _refuse(response, answer)
                return "failed"
            answer = Reply(broken=error_event(answer).decode())
        await response.start(200, {"content-type": "text/event-stream; charset=utf-8"})
        return await play(_FORMS[path](answer, body, f"{number:04x}"), answer, response, self._clock, self._hold)

    async def _embed(self, body: JsonObject, response: WireResponse) -> None:
        texts = body.get("input")
        if body.get("model") not in self._models or not isinstance(texts, list):
            await _refuse(response, Failure(404, "model_not_found", f"no model {body.get('model')!r}"))
            return
        # As it may come: in any order, each with its number.
        rows: list[Json] = [
            {"object": "embedding", "index": number, "embedding": _place(str(text))}
            for number, text in enumerate(texts)
        ]
        await response.whole(200, orjson.dumps({"object": "list", "data": rows[::-1], "model": body.get("model")}))

    async def _hold(self, name: str) -> None:
        await self._released[name].wait()


def _place(text: str) -> Json:
    """The fake's rule: how often each vowel stands in a text."""
    return [float(text.lower().count(vowel)) for vowel in "aeiou"]


async def _refuse(response: WireResponse, failure: Failure) -> None:
    headers = {"retry-after": failure.retry_after} if failure.retry_after else {}
    await response.whole(failure.status, error_body(failure), headers)
