"""What the command line does with flows."""
