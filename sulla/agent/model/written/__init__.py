"""Calls of tools that a model writes down instead of making them."""
