"""`sulla schedule`."""
