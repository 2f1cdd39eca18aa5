"""The settings: their sections, where they are written, what they mean, and the bounds that follow."""
