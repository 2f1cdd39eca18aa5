"""AG-UI: events of an agent for a user interface."""
