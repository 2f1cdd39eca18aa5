"""The hub of the original desktop app."""
