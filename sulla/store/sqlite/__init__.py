"""The store in SQLite: a file in the home, the embedded default."""
