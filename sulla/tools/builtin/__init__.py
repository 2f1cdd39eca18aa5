"""The tools that every agent can have."""
