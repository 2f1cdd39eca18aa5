"""`sulla thread`."""
