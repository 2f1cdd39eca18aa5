"""The HTTP server: its sockets, who may connect, and how long strangers may take."""
