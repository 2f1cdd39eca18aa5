"""The chat interface of seed 001."""
