"""Servers that stand in for models, search engines and the web, at the level of the wire."""
