"""`sulla mcp`."""
