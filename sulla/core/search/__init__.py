"""How texts are found by their words: what a word is, and what each counts for. Pure."""
