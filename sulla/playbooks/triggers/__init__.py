"""What starts playbooks beside people who ask for them: agents, messages, the clock, and what happens elsewhere."""
