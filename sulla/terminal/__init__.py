"""What commands are made of: the client of a running daemon, tables, options, exit codes."""
