"""The door to MCP servers, whose tools agents can use."""

from sulla.mcp.child import Nest
from sulla.mcp.hub import McpHub
from sulla.mcp.server import McpServer, check_server
from sulla.mcp.session import Answer, Connect, Session

__all__ = ["Answer", "Connect", "McpHub", "McpServer", "Nest", "Session", "check_server"]
