"""`sulla project list` and `show`; the command itself is where plans are worked on, in `playbooks/cli/`."""
