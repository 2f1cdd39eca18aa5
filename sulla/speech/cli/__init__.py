"""`sulla speech`."""
