"""MCP servers, whose tools agents can use."""
