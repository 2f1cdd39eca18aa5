"""What a daemon is where several share the work: a gateway, a worker, or both."""
