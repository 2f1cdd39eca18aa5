"""The dialects that there are, and where. To add one: its file, and its line here."""

from __future__ import annotations

from functools import partial
from typing import Final

from starlette.routing import BaseRoute, Route, WebSocketRoute

from sulla.gateway.dialects.abi.dialect import ABI
from sulla.gateway.dialects.agui.dialect import AGUI
from sulla.gateway.dialects.door import Dialect, DialectDoor, manners_of
from sulla.gateway.dialects.hub.dialect import HUB
from sulla.gateway.dialects.mcp.dialect import MCP
from sulla.gateway.dialects.openai.dialect import OPENAI
from sulla.gateway.dialects.snippbot.dialect import SNIPPBOT
from sulla.gateway.rest.app import RestContext

DIALECTS: Final[tuple[Dialect, ...]] = (OPENAI, HUB, SNIPPBOT, ABI, MCP, AGUI)
MANNERS: Final = manners_of(DIALECTS)
"""How each of their paths is told who asks, and says what went wrong."""


def dialect_routes(desk: RestContext) -> list[BaseRoute]:
    """Their paths, and what answers them.

    Args:
        desk: what all of them share.
    """
    found: list[BaseRoute] = []
    for dialect in DIALECTS:
        found += [Route(path, DialectDoor(dialect, routes, desk)) for path, routes in dialect.by_path().items()]
        found += [WebSocketRoute(one.path, partial(one.keep, desk)) for one in dialect.sockets]
    return found
