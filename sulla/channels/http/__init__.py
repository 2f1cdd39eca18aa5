"""What a service may answer by HTTP: no more than so much, at once, and not from somewhere else."""
