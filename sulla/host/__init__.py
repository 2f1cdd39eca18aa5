"""What a process hands to its capabilities: clock and names, the home, the waker, what a check finds."""
