"""The door to what agents remember: episodes, facts, and how they are found again."""
