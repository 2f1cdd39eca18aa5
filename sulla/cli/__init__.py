"""The command line. Everything but `up`, `token` and `doctor` is a client of a running daemon."""
