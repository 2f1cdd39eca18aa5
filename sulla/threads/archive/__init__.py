"""Threads as files: written out, read back, looked through."""
