"""The threads that are spoken in just now: kept, timed, delivered."""
