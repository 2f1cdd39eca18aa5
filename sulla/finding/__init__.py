"""Finding conversations again: by when something happened in them, by their names, and by their words."""
