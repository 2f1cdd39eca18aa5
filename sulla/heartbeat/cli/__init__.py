"""`sulla beat`."""
