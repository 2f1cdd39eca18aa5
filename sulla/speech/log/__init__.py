"""What a daemon writes down of the speech that is open in it, so that a crash loses no word."""
