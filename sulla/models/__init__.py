"""Language models: one protocol, and its adapters, of which the daemon loads one when a model of it is first used."""
