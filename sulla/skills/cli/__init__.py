"""`sulla skills`."""
