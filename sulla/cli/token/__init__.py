"""`sulla token`."""
