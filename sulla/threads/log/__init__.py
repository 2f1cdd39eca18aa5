"""What a thread is: its records, what they add up to, and how that is kept."""
