"""Running commands: the sandbox, processes, jobs in the background."""
