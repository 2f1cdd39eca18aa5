"""The gateway: WebSocket, REST, voice and client dialects in front of the daemon; the only way in from outside."""
