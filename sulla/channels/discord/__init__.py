"""Discord, by its HTTP interface and its gateway."""
