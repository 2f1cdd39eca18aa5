"""Tools of MCP servers. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability

CAPABILITY = Capability(
    name="mcp",
    settings="sulla.mcp.settings:McpSettings",
    build="sulla.mcp.build:build",
)
