"""The journal: conversations, and examples for training, as lines of JSON."""
