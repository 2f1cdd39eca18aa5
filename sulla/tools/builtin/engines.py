"""What search engines are asked, and what their answers say. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.errors import Refused
from sulla.core.jsontypes import Json

Dialect = Literal["brave", "searxng"]

BRAVE_URL: Final = "https://api.search.brave.com/res/v1/web/search"
MAX_RESULTS: Final = 20
"""As many as Brave gives at once."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A search engine."""

    dialect: Dialect
    url: str
    """Where it is asked."""
    key: str = field(default="", repr=False)
    """What it wants to be shown; empty for nothing."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The fields of every request."""
        key = {"X-Subscription-Token": self.key} if self.key else {}
        return {"Accept": "application/json", **key}

    def fields(self, query: str, count: int) -> Mapping[str, str]:
        """The query of a request's URL."""
        if self.dialect == "brave":
            return {"q": query, "count": str(count), "text_decorations": "false"}
        return {"q": query, "format": "json"}


@dataclass(frozen=True, slots=True)
class Hit:
    """One result."""

    url: str
    title: str
    excerpt: str


def brave(key: str) -> Engine:
    """Brave's search.

    Args:
        key: of a subscription.
    """
    return Engine("brave", BRAVE_URL, key)


def searxng(url: str) -> Engine:
    """A SearXNG; its settings must have ``json`` among ``search.formats``.

    Args:
        url: where it is, without ``/search``.
    """
    return Engine("searxng", f"{url.rstrip('/')}/search")


def read_hits(body: bytes, engine: Engine, count: int) -> tuple[Hit, ...]:
    """The results in an answer, the best first.

    Args:
        body: the answer.
        engine: who gave it.
        count: how many at the most.

    Raises:
        Refused: it is not what the engine answers with.
    """
    try:
        said: Json = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refused(f"the search engine {engine.dialect} did not answer with JSON") from error
    if engine.dialect == "brave":
        said = said.get("web", {"results": []}) if isinstance(said, dict) else None
    results = said.get("results") if isinstance(said, dict) else None
    if not isinstance(results, list):
        raise Refused(f"the search engine {engine.dialect} answered with something else than results")
    return tuple(_hits(results, "description" if engine.dialect == "brave" else "content"))[:count]


def _hits(results: list[Json], excerpt: str) -> Iterator[Hit]:
    for result in results:
        match result:
            case {"url": str(url), "title": str(title), **others} if url.startswith(("http://", "https://")):
                about = others.get(excerpt)
                yield Hit(url, title, about if isinstance(about, str) else "")
            case _:
                pass  # a video, a map, or one without an address: not to be read
