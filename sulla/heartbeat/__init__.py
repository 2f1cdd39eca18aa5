"""The door to agents that wake up by themselves."""
