"""A talk at a terminal: its commands, what is shown of its turns, and the line that is typed."""
