"""Models that run on this machine or another one, by Ollama."""
