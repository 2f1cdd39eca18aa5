"""`sulla flow` and `sulla project`."""
