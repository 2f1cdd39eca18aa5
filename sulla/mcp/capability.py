"""Tools of MCP servers. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability, Command

CAPABILITY = Capability(
    name="mcp",
    settings="sulla.mcp.settings:McpSettings",
    build="sulla.mcp.build:build",
    commands={
        "mcp": Command(
            "sulla.mcp.cli.commands",
            "list the MCP servers and their tools, and allow changed ones",
            "setup",
            (
                "sulla mcp list",
                "sulla mcp show wiki",
                "sulla mcp trust wiki",
            ),
        ),
    },
    checks="sulla.mcp.checks:CHECKS",
)
