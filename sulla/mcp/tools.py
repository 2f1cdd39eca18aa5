"""The tools of a server as an agent's own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from sulla.core.jsontypes import FrozenJson
from sulla.core.words import Words
from sulla.definitions.agent_file import allows
from sulla.mcp.catalog import McpTool
from sulla.mcp.naming import tool_names
from sulla.mcp.supervisor import McpSupervisor
from sulla.tools.base import Done, Effect, Result, Tool, ToolContext

CATEGORY: Final = "mcp"


def tools_of(supervisor: McpSupervisor) -> Iterator[Tool]:
    """What a server offers at this moment.

    A tool stands for what it was when it was made: once the server means something else by its name, it refuses.
    """
    server, offered = supervisor.server, supervisor.tools.catalog.tools
    names = tool_names(server.name, [tool.name for tool in offered])
    for tool in offered:
        yield Tool(
            names[tool.name],
            f"{tool.description or tool.name} (Of the MCP server {server.name!r}.)",
            tool.schema,
            partial(_use, supervisor, tool),
            _effect(tool, trusted=server.reach == "inward"),
            CATEGORY,
            server.timeout_s,
            reach=server.reach,
            return_direct=allows(server.direct, tool.name),
            gives={
                "value": dict(tool.output) or {"description": "what the server gives as structured content, or null"}
            },
        )


def _effect(tool: McpTool, *, trusted: bool) -> Effect:
    """What a repeat would do: what the server says of that counts only if the owner vouches for it."""
    if not trusted:
        return "once"
    return "pure" if tool.read_only else "idempotent" if tool.idempotent else "once"


async def _use(supervisor: McpSupervisor, tool: McpTool, args: FrozenJson, context: ToolContext) -> Result:
    answer = await supervisor.call(tool, args)
    return Done(Words(answer.text), answer.is_error, "web", data=answer.data, cut=answer.cut)
