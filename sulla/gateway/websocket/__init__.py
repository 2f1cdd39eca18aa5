"""One WebSocket from its upgrade to its close: the connection, and the machine that knows its protocol."""
