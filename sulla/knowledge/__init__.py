"""The knowledge of a home: what its owner has written down, as a source of grounded answers."""
