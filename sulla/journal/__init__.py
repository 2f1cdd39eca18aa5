"""The door to the journal: conversations, and examples for training, as lines of JSON."""
