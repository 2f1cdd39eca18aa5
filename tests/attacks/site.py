"""The web of a stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from tests.attacks.grammar import filled
from tests.servers.wire import WireRequest, WireResponse


@dataclass(slots=True)
class Site:
    """The web of a stage: pages that hold the planted words, and every address that was read."""

    words: dict[str, str] = field(default_factory=dict)
    served: Mapping[str, str] = field(default_factory=dict)
    read: list[str] = field(default_factory=list)

    async def answer(self, request: WireRequest, response: WireResponse) -> None:
        """Give a page, or what a search engine would answer."""
        path = unquote(request.path)
        self.read.append(path)
        body = filled(self.served.get(path.partition("?")[0], "<p>Ten tips. {planted} The end.</p>"), self.words)
        kind = "application/json" if body.startswith("{") else "text/plain" if body.startswith("#") else "text/html"
        status = 404 if path.startswith("/gone") else 200
        await response.whole(status, body.encode(), {"content-type": f"{kind}; charset=utf-8"})
