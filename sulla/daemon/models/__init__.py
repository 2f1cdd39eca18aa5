"""Which model answers, and its provider, made when it is first used."""
