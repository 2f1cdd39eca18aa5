"""What a run, a thread, an agent and a day may use."""
