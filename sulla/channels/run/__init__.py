"""What does it: reads channels, keeps what arrives, sends what is kept."""
