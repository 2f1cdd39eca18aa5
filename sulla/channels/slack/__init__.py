"""Slack, by socket mode."""
