"""A home: made, kept up to date, exported and imported."""
