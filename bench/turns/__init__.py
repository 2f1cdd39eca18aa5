"""Labelled speech: texts so far, and whether whoever spoke them was done. README.md says how they were made."""
