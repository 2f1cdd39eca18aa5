"""Live: what goes on in all threads at this moment, and who waits for a person."""
