"""Sulla: an agent daemon that you can leave running."""

__version__ = "0.1.0"
