"""Expressions between ${{ and }}: parsed, typed, and walked with a bound on their cost."""
