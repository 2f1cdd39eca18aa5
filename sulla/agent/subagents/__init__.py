"""Runs that a run sets to work, and what they come to."""
