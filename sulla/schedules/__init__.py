"""Schedules: what happens at its time, whichever daemon is there, and happens once."""
