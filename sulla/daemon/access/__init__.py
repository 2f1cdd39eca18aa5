"""Who may come in, what is written down of it, and the kill switch."""
