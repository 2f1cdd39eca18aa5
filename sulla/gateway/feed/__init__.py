"""What a client sees of a thread: durable events by their cursor, and live ones between them."""
