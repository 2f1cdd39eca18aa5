"""`sulla changes`."""
