"""The chat interface of seed 000."""
