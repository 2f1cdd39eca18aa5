"""The heartbeat: agents that wake up by themselves and work on projects."""
