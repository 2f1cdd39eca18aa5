"""`sulla route` and `sulla audit`."""
