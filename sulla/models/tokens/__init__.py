"""How many tokens a text has, and what they cost."""
