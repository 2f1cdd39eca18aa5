"""Who may do what: named tokens, what they allow, and the log of what was done with them."""
