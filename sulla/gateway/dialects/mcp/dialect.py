"""The Model Context Protocol: ``/mcp``, where hosts find agents, threads, playbooks and approvals as tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sulla.gateway.dialects.door import Dialect, DialectRoute
from sulla.gateway.dialects.mcp.form import error_body
from sulla.gateway.dialects.request import RequestContext
from sulla.gateway.server.error_style import ErrorStyle
from sulla.host.loading import load


def _library() -> Callable[[RequestContext], Awaitable[None]]:
    from sulla.gateway.dialects.mcp.library import serve

    return serve


async def post(request: RequestContext) -> None:
    """Answer ``POST /mcp``. The protocol's library, which takes a second to load, comes with the first one."""
    serve = await load(_library)
    await serve(request)


MCP = Dialect(
    name="mcp",
    manner=ErrorStyle(error_body),
    routes=(DialectRoute("POST", "/mcp", post, ("system.status",), "One message of the Model Context Protocol."),),
)
