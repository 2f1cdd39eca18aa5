"""What `sulla doctor` looks at that is no capability's."""
