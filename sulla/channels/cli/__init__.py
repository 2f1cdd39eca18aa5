"""The command `sulla channel`."""
