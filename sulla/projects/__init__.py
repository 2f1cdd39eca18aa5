"""Projects: the PROJECT.md that people and agents write in at once, and its tasks."""
