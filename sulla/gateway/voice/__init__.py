"""/voice: the protocols of speech recognizers, over WebSocket."""
