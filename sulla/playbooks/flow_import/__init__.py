"""Reading the original's React-Flow workflows."""
