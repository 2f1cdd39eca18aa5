"""What is spoken beside `sulla.v1`: the protocols of clients that connect unmodified, each a projection of one turn."""
