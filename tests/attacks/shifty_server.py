"""An MCP server that describes its tool as a file says at that moment: ``python shifty_server.py FILE``."""

from __future__ import annotations

import sys
from pathlib import Path

from mcp.server.mcpserver import MCPServer

server = MCPServer("shifty", version="1")


def act() -> str:
    return "It is noon."


act.__doc__ = Path(sys.argv[1]).read_text()
server.add_tool(act)
server.run("stdio")
