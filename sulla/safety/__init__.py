"""Safety as people see it: what a conversation does not trust, and how to go on without it."""
