"""What watches a daemon asks it over HTTP: whether it is alive, whether it can take turns, and its figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sulla.core.dataclass import dataclass
from sulla.core.errors import Busy, Forbidden, SullaError, Unauthorized
from sulla.core.jsontypes import JsonObject
from sulla.core.stamp import stamp
from sulla.gateway.context import ServerContext
from sulla.gateway.problems import problem_of
from sulla.gateway.rest.auth import principal_of
from sulla.gateway.server.auth import bearer
from sulla.gateway.server.perimeter import peer_of
from sulla.host.health import Trouble


class Operations(Protocol):
    """What the daemon knows of itself."""

    def troubles(self) -> Sequence[Trouble]:
        """What is wrong now; returns at once."""

    async def metrics(self, accept: str) -> tuple[str, bytes]:
        """The figures: their content type, and their text.

        Args:
            accept: the forms that whoever asks understands, as the header of that name says it.
        """


@dataclass(frozen=True, slots=True)
class Probes:
    """Answers them."""

    operations: Operations
    server: ServerContext

    def routes(self) -> list[Route]:
        """The paths, and what answers them."""
        return [Route("/readyz", self.ready, methods=["GET"]), Route("/metrics", self.metrics, methods=["GET"])]

    async def ready(self, request: Request) -> Response:
        """200 if turns can be taken, else 503; anybody is told what is wrong, a token that may read also why."""
        trusted = False
        if (header := request.headers.get("authorization")) is not None:
            address = peer_of(request.scope)
            try:
                trusted = "read" in self.server.guard.admit(address, bearer(header)).scopes
            except (Unauthorized, Busy) as error:
                self.server.observer.refused("rest", address, error.code)
                return _refusal(error)
        troubles = self.operations.troubles()
        blocked = any(trouble.blocks for trouble in troubles)
        told = {
            "status": "not_ready" if blocked else "ready",
            "blocking": [_shown(trouble, trusted) for trouble in troubles if trouble.blocks],
            "degraded": [_shown(trouble, trusted) for trouble in troubles if not trouble.blocks],
        }
        return JSONResponse(told, 503 if blocked else 200, {"cache-control": "no-store"})

    async def metrics(self, request: Request) -> Response:
        """The figures, for a token that may read."""
        if "read" not in principal_of(request.scope).scopes:
            self.server.observer.refused("rest", peer_of(request.scope), Forbidden.code)
            return _refusal(Forbidden("GET /metrics needs a token with the scope 'read'"))
        content_type, text = await self.operations.metrics(request.headers.get("accept", ""))
        return Response(text, headers={"content-type": content_type})


def _shown(trouble: Trouble, trusted: bool) -> JsonObject:
    shown: JsonObject = {"what": trouble.what, "since": stamp(trouble.since_ms)}
    return shown | {"why": trouble.why} if trusted else shown


def _refusal(error: SullaError) -> Response:
    problem = problem_of(error)
    headers = {name.decode(): value.decode() for name, value in problem.headers()}
    return Response(problem.body(), problem.status, headers, "application/json")
