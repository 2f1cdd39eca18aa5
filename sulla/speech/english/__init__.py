"""English as the turn detector reads it: its words are in `data/`, the rules in modules named after what they find."""
