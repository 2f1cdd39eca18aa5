"""Skills: what agents can read up on, from folders, and whom each is trusted by."""
