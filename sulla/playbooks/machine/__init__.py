"""The machine of a run: facts in, actions out."""
