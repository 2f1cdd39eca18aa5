"""The files that people write: YAML with places, front matter, agents; and how one takes another's place."""
