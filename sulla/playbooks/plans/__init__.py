"""A plan of tasks that depend on each other: its form, and how a planner's answer is read."""
