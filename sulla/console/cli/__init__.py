"""The command `sulla console`."""
