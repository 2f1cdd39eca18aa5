"""The door to what runs jobs: the queue, the worker of one process, and the switch that pauses all work."""
