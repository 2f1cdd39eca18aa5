"""Serves the page at ``/`` and what it loads, to anybody: there is no secret in it."""

from __future__ import annotations

from collections.abc import Collection

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sulla.core.dataclass import dataclass
from sulla.gateway.landing import landing
from sulla.gateway.problems import no_such_path
from sulla.gateway.rest.one_name import moved
from sulla.rpc.pages import ASSETS, BESIDE, PageRequest, Pages


@dataclass(frozen=True, slots=True)
class PageRoutes:
    """Answers them; with the page that says what this is, where nobody has another one."""

    pages: Pages | None
    listens_at: str
    """The address that the daemon listens on, as the settings have it."""
    allowed_hosts: Collection[str]
    """Names under which it may be called, beside loopback ones."""

    def routes(self) -> list[Route]:
        """The paths, and what answers them. ``HEAD`` goes with ``GET``."""
        loaded = (f"{ASSETS}{{file:path}}", *sorted(BESIDE))
        assets = [Route(path, self.asset, methods=["GET"]) for path in loaded]
        return [Route("/", self.page, methods=["GET"]), *assets]

    async def page(self, request: Request) -> Response:
        """The page, at one name."""
        found = await self._found(request)
        if found is None:
            return await landing(request)
        elsewhere = moved(request.scope, self.listens_at, self.allowed_hosts)
        if elsewhere is None:
            return found
        return Response(status_code=307, headers={"location": elsewhere, "cache-control": "no-store"})

    async def asset(self, request: Request) -> Response:
        """Something that it loads."""
        found = await self._found(request)
        if found is None:
            problem = no_such_path(request.url.path)
            return Response(problem.body(), problem.status, media_type="application/json")
        return found

    async def _found(self, request: Request) -> Response | None:
        if self.pages is None:
            return None
        said = request.headers
        accepts, known = said.get("accept-encoding", ""), said.get("if-none-match", "")
        asked = PageRequest(request.scope["path"], said.get("host", ""), accepts, known)
        answer = await self.pages.answer(asked)
        return None if answer is None else Response(answer.body, answer.status, dict(answer.headers))
