"""Fakes of search engines on a real socket, in the form of the real ones' answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

import orjson

from sulla.core.jsontypes import Json, JsonObject
from tests.servers.wire import WireRequest, WireResponse, WireServer


@dataclass(frozen=True, slots=True)
class Found:
    """A result that a fake gives."""

    url: str
    title: str
    excerpt: str = ""


class _FakeEngine:
    """Answers every question with the same results while its block lasts.

    Args:
        results: all that it knows.
    """

    def __init__(self, results: Sequence[Found] = ()) -> None:
        self.results = tuple(results)
        self.asked: list[dict[str, str]] = []
        """The query of each question that it answered."""
        self._server = WireServer(self._answer)

    @property
    def url(self) -> str:
        """Where it is."""
        return self._server.url

    async def __aenter__(self) -> Self:
        await self._server.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._server.__aexit__(kind, error, trace)

    async def _answer(self, request: WireRequest, response: WireResponse) -> None:
        place = urlsplit(request.path)
        query = {name: values[-1] for name, values in parse_qs(place.query).items()}
        status, body = self._say(place.path, query, request)
        if status == 200:
            self.asked.append(query)
        await response.whole(status, orjson.dumps(body))

    def _say(self, path: str, query: dict[str, str], request: WireRequest) -> tuple[int, Json]:
        raise NotImplementedError


class FakeBrave(_FakeEngine):
    """Brave's web search.

    Args:
        key: the one it takes.
        results: all that it knows.
    """

    def __init__(self, key: str, results: Sequence[Found] = ()) -> None:
        super().__init__(results)
        self._key = key

    def _say(self, path: str, query: dict[str, str], request: WireRequest) -> tuple[int, Json]:
        if request.headers.get("x-subscription-token") != self._key:
            return 401, {"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "status": 401}}
        if path != "/res/v1/web/search" or "q" not in query:
            return 422, {"type": "ErrorResponse", "error": {"code": "VALIDATION", "status": 422}}
        said: JsonObject = {"type": "search", "query": {"original": query["q"]}}
        if self.results:
            count = int(query.get("count", "20"))
            rows: list[Json] = [
                {"type": "search_result", "url": row.url, "title": row.title, "description": row.excerpt}
                for row in self.results[:count]
            ]
            said["web"] = {"type": "search", "results": rows}
        return 200, said


class FakeSearxng(_FakeEngine):
    """A SearXNG.

    Args:
        results: all that it knows.
        formats: what its settings allow (``search.formats``).
    """

    def __init__(self, results: Sequence[Found] = (), formats: Sequence[str] = ("html", "json")) -> None:
        super().__init__(results)
        self._formats = formats

    def _say(self, path: str, query: dict[str, str], request: WireRequest) -> tuple[int, Json]:
        if path != "/search":
            return 404, None
        if query.get("format", "html") not in self._formats:
            return 403, None
        rows: list[Json] = [
            {"url": row.url, "title": row.title, "content": row.excerpt, "engine": "fake", "score": 1.0}
            for row in self.results
        ]
        return 200, {"query": query["q"], "results": rows, "suggestions": [query["q"]], "unresponsive_engines": []}
