"""The file that a person writes: its form, reading it, and what is wrong with it."""
