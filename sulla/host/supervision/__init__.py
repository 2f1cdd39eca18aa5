"""Who looks after the daemon's process, and how the two talk."""
