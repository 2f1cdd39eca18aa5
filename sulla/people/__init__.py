"""People: who is there, what they are told, and what they have seen of it."""
