"""Runs: the driver of the machine, its effects, and what a run says of itself."""
