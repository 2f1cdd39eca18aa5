"""What agents remember: episodes, facts, and how they are found again."""
