"""`sulla memory`."""
