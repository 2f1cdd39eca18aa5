"""Sulla as a server of the Model Context Protocol."""
