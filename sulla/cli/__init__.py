"""The command line. Everything but `up`, `token` and `doctor` is a client of a running daemon."""

from sulla.cli.main import main

__all__ = ["main"]
