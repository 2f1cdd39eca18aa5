"""`sulla safety`."""
