"""What people are asked before something is done, and what they have allowed."""
