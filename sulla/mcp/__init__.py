"""The door to MCP servers, whose tools agents can use."""
