"""The door to MCP servers, whose tools agents can use."""

from sulla.mcp.child import Nest
from sulla.mcp.hub import McpHub
from sulla.mcp.server import McpServer, check_server
from sulla.mcp.session import Answer, Connect, Session
from sulla.mcp.trust import Judged, Kept, Stamp, Trust, TrustFiles

__all__ = [
    "Answer",
    "Connect",
    "Judged",
    "Kept",
    "McpHub",
    "McpServer",
    "Nest",
    "Session",
    "Stamp",
    "Trust",
    "TrustFiles",
    "check_server",
]
