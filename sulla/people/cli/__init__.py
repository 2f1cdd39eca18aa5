"""`sulla notices`."""
