"""Channels: people write to their daemon from the messenger that they have open, and are asked there."""
