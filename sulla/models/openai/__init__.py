"""Servers that speak OpenAI's protocol, in both forms of it."""
