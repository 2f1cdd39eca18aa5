"""The command `sulla notify`."""
