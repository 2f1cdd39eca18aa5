"""What recognizers say on their sockets, as chunks of speech."""
